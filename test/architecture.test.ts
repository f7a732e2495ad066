import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { glob, readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

const SRC = join(import.meta.dirname, '../src');
const KIT = join(import.meta.dirname, '../kit');
/** The ground floor: everybody may import it, and it imports nothing. */
const COMMON = join(import.meta.dirname, '../common');
const SHEETS = join(import.meta.dirname, '../sheets/src');

/** A room may import from itself and from the rooms named here. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  install: [],
  listing: [],
  store: ['listing', 'install'],
  feed: ['store', 'listing', 'install'],
  import: ['store', 'listing', 'install'],
  export: ['store', 'listing'],
  doctor: ['import', 'store', 'listing'],
  demo: ['import', 'listing'],
  http: ['feed', 'store', 'listing', 'install'],
  server: ['http', 'feed', 'store', 'listing', 'install'],
  gateway: ['server', 'http'],
  desk: ['server', 'http', 'feed', 'import', 'store', 'listing', 'install'],
  cli: [
    'demo',
    'desk',
    'doctor',
    'export',
    'gateway',
    'server',
    'http',
    'feed',
    'import',
    'store',
    'listing',
    'install',
  ],
};
/** The command line, what it runs as a process, and what starts one. */
const PROCESS_ROOMS = ['cli', 'desk', 'gateway', 'install', 'server'];
/** The rooms of http, the lowest first: each may import from those before it. The app itself comes last. */
const HTTP_ROOMS = ['protocol', 'encoding', 'limits', 'observe', 'listing', 'reference', '.'];
/** Which packages of the kit a room may import. Everybody may import what is common. */
const ROOM_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  http: ['@shiftfeed/calendar'],
  gateway: ['@shiftfeed/calendar', '@shiftfeed/client', '@shiftfeed/gateway'],
  cli: ['@shiftfeed/gateway'],
  import: ['@shiftfeed/sheets'],
};
/**
 * The stages of reading a sheet, in the order in which a file passes them: each may import from those before it. Words,
 * cells, options and the report belong to none of them.
 */
const SHEET_STAGES = [
  'problem.ts',
  'words',
  'cell.ts',
  'sheet-options.ts',
  'ledger.ts',
  'report.ts',
  'bytes',
  'sheets',
  'shape',
  'heading-questions.ts',
  'columns.ts',
  'rows',
  'values',
  'read.ts',
  'layout.ts',
  'excerpt.ts',
  'door.ts',
];
/** What a package of the kit may import, beside its own files. */
const KIT_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  calendar: ['@shiftfeed/common', 'react', 'svelte/elements', 'vue'],
  client: ['@shiftfeed/common'],
  gateway: ['@shiftfeed/client', '@shiftfeed/common'],
};

/** What runs in browsers. */
const PAGES = ['desk/page', 'http/explorer', 'http/look'];

test('scripts of pages import each other, and of everything else only types', async () => {
  for (const file of await pageScripts()) {
    const text = readFileSync(file, 'utf8');
    for (const [, specifier = ''] of text.matchAll(/^import (?!type )[^;]*?'([^']+)';$/gm))
      assert.match(specifier, /^\.\/[\w-]+\.ts$/, relative(SRC, file));
  }
});

test('every room of the house is known here', async () => {
  const entries = await readdir(SRC, { withFileTypes: true });
  const rooms = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  assert.deepEqual(rooms.sort(), Object.keys(MAY_IMPORT).sort());
});

test('imports point one way: cli, server, http, feed, store, listing', async () => {
  for (const file of await sources()) {
    const room = roomOf(file);
    for (const target of importsOf(file)) {
      const targetRoom = roomOf(target);
      const isFine =
        targetRoom === room ||
        MAY_IMPORT[room]?.includes(targetRoom) ||
        (['cli', 'import'].includes(room) && relative(SRC, target) === '../package.json');
      assert.ok(isFine, `${relative(SRC, file)} must not import ${relative(SRC, target)}`);
    }
  }
});

test('packages of the kit are used where they are named here, and everything is used that is', async () => {
  const used: Record<string, Set<string>> = {};
  for (const file of await sources()) {
    const ours = specifiersOf(file).filter((specifier) => specifier.startsWith('@shiftfeed/'));
    for (const name of ours.map(packageOf).filter((one) => one !== '@shiftfeed/common')) {
      used[roomOf(file)] ??= new Set();
      used[roomOf(file)]?.add(name);
    }
  }
  const sorted = Object.entries(used).map(([room, names]) => [room, [...names].sort()]);
  assert.deepEqual(Object.fromEntries(sorted), ROOM_MAY_IMPORT);
});

test('within http, imports point one way, too', async () => {
  const levelOf = (file: string) => {
    const [room = '', rest] = relative(join(SRC, 'http'), file).split('/');
    return HTTP_ROOMS.indexOf(rest === undefined ? '.' : room);
  };
  for (const file of await sources()) {
    if (roomOf(file) !== 'http') continue;
    assert.notEqual(levelOf(file), -1, `${relative(SRC, file)} lies in a room that is not known here`);
    for (const target of importsOf(file).filter((one) => roomOf(one) === 'http')) {
      assert.ok(
        levelOf(target) <= levelOf(file),
        `${relative(SRC, file)} must not import ${relative(SRC, target)}`,
      );
    }
  }
});

test('a sheet goes one way: bytes, sheets, shape, columns, rows, values', async () => {
  const stageOf = (file: string) => SHEET_STAGES.indexOf(relative(SHEETS, file).split('/')[0] ?? '');
  for await (const name of glob('**/*.ts', { cwd: SHEETS })) {
    const file = join(SHEETS, name);
    assert.notEqual(stageOf(file), -1, `${name} lies in a stage that is not known here`);
    for (const target of importsOf(file).filter((one) => one.endsWith('.ts'))) {
      const isBefore = stageOf(target) <= stageOf(file);
      assert.ok(isBefore, `${name} must not import ${relative(SHEETS, target)}`);
    }
    // A sheet as it lies in a file has no headings yet.
    if (/^(?:bytes|sheets)\//.test(name))
      assert.doesNotMatch(readFileSync(file, 'utf8'), /words\/headings\.ts/, name);
  }
});

test('sheets know neither a database nor a command line, nor what time it is', async () => {
  const others = new Set<string>();
  for await (const name of glob('**/*.ts', { cwd: SHEETS })) {
    const file = join(SHEETS, name);
    for (const specifier of specifiersOf(file))
      if (!specifier.startsWith('.')) others.add(packageOf(specifier));
    assert.doesNotMatch(readFileSync(file, 'utf8'), /process\.|console\.|Date\.now|new Date\(\)/, name);
  }
  assert.deepEqual([...others].sort(), [
    '@shiftfeed/common',
    'csv-parse',
    'fastest-levenshtein',
    'node:events',
    'node:path',
    'saxes',
    'yauzl',
  ]);
});

test('the listing is pure: it imports its own files and what is common, and nothing of Node', async () => {
  for (const file of await sources()) {
    if (roomOf(file) !== 'listing') continue;
    const outside = specifiersOf(file).filter(
      (specifier) => !specifier.startsWith('./') && !specifier.startsWith('@shiftfeed/common/'),
    );
    assert.deepEqual(outside, [], relative(SRC, file));
  }
});

test('files and threads of ours are found in one place, so that they are found inside an executable, too', async () => {
  for (const file of await sources()) {
    if (roomOf(file) === 'install') continue;
    const text = readFileSync(file, 'utf8');
    assert.doesNotMatch(text, /new Worker\(|import\.meta\.(dirname|filename)/, relative(SRC, file));
    for (const [, before] of text.matchAll(/(\w+)\(new URL\([^)]*import\.meta/g))
      assert.match(before ?? '', /^(ownFile|ownFilesIn|startThread|startProcess)$/, relative(SRC, file));
  }
});

test('only what runs as a process ends it, reads the environment or prints', async () => {
  for (const file of await sources()) {
    if (PROCESS_ROOMS.includes(roomOf(file))) continue;
    const text = readFileSync(file, 'utf8');
    assert.doesNotMatch(text, /process\.(exit|env|argv|stdout|stderr|on)\b|console\./, relative(SRC, file));
  }
});

test('only what runs as a process asks for the time: it is passed in', async () => {
  for (const file of await sources()) {
    if (PROCESS_ROOMS.includes(roomOf(file))) continue;
    assert.doesNotMatch(
      readFileSync(file, 'utf8'),
      /Date\.now|new Date\(\)|Temporal\.Now/,
      relative(SRC, file),
    );
  }
});

test('commands start fast: what only a server needs is loaded when it serves', () => {
  const loaded = new Set<string>();
  loadStatically(join(SRC, 'cli/main.ts'), loaded);
  assert.ok(loaded.has('commander'));
  for (const name of ['pino', 'prom-client', 'pg']) assert.ok(!loaded.has(name), name);
});

/** Adds the modules and packages that a file imports, and those that these import, unless it does so on demand. */
function loadStatically(file: string, loaded: Set<string>): void {
  if (loaded.has(file)) return;
  loaded.add(file);
  for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(
    /^(?:import|export) (?!type )[^;]*?'([^']+)'/gm,
  )) {
    if (specifier.endsWith('.ts')) loadStatically(join(dirname(file), specifier), loaded);
    else loaded.add(specifier);
  }
}

test('packages of the kit import their own files and what is named here, and nothing of Node', async () => {
  const packages = (await Array.fromAsync(glob('*/package.json', { cwd: KIT }))).map(dirname);
  assert.deepEqual(packages.sort(), Object.keys(KIT_MAY_IMPORT).sort());
  const folders = packages.map((name) => [name, join(KIT, name, 'src')] as const);
  for (const [name, folder] of [...folders, ['common', join(COMMON, 'src')] as const]) {
    const files = await Array.fromAsync(glob('**/*.ts', { cwd: folder }));
    assert.ok(files.length > 0, name);
    for (const file of files.map((file) => join(folder, file))) {
      for (const specifier of specifiersOf(file)) {
        const isOwn = specifier.startsWith('.') && join(dirname(file), specifier).startsWith(`${folder}/`);
        const isFine = isOwn || KIT_MAY_IMPORT[name]?.includes(packageOf(specifier));
        assert.ok(isFine, `${relative(KIT, file)} must not import ${specifier}`);
      }
    }
  }
});

test('how hard a test tries is decided in its own file, where the runner of the long tests looks for it', async () => {
  for await (const file of glob('**/*.ts', { cwd: import.meta.dirname })) {
    const text = readFileSync(join(import.meta.dirname, file), 'utf8');
    if (!/\.(test|long)\.ts$/.test(file)) assert.doesNotMatch(text, /import .*strength\.ts'/, file);
  }
});

/** Such as `@shiftfeed/common` of `@shiftfeed/common/days`. */
function packageOf(specifier: string): string {
  return specifier.split('/').slice(0, 2).join('/');
}

async function pageScripts(): Promise<string[]> {
  const files = await Array.fromAsync(glob(`{${PAGES}}/*.ts`, { cwd: SRC }));
  assert.ok(files.length > 20);
  return files.map((file) => join(SRC, file));
}

/** What runs in Node. */
async function sources(): Promise<string[]> {
  const files = await Array.fromAsync(glob('**/*.ts', { cwd: SRC, exclude: PAGES }));
  assert.ok(files.length > 20);
  return files.map((file) => join(SRC, file));
}

function roomOf(file: string): string {
  return relative(SRC, file).split('/')[0] as string;
}

function importsOf(file: string): string[] {
  return specifiersOf(file)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => join(dirname(file), specifier));
}

function specifiersOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const pattern = /(?:from |import |import\()'([^']+)'|new URL\('(\.[^']+\.ts)'/g;
  return [...text.matchAll(pattern)].map((match) => (match[1] ?? match[2]) as string);
}
