/** `import --watch`: the planner saves, the website follows. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import v8 from 'node:v8';
import vm from 'node:vm';
import { importOnce } from '../../../src/cli/import/once.ts';
import { reported } from '../../../src/cli/import/report-file.ts';
import { watchingOf } from '../../../src/cli/import/watch.ts';
import { watchFile } from '../../../src/cli/import/watch-loop.ts';
import { start } from '../../support/cli.ts';
import { shiftfeed } from '../../support/cli-in-process.ts';
import { newFolder } from '../../support/database.ts';
import { pretendNewer } from '../../support/other-schema.ts';
import { often } from '../../support/strength.ts';
import { until } from '../../support/until.ts';

const HEADINGS = 'Datum;Von;Bis;Team';
const row = (day: number, times = '9;17') => `0${day}.03.2027;${times};Küche`;

test('follows the file through saving, mistakes and absence, and stops on SIGTERM', async (t) => {
  const { cwd, save, watch, run } = await setUp(t);
  await save([row(1)]);
  const watched = watch(
    '--premium',
    'true',
    '--published-from',
    'today',
    '--replace',
    '--report',
    'plan.txt',
  );
  const report = () => readFile(join(cwd, 'plan.txt'), 'utf8');
  await watched.told(/^Watching .*plan\.csv\.$/);
  await watched.told(
    /^Imported plan\.csv into acme: 1 shift added; 1 group added; the account is new, in UTC because no time zone was given\.$/,
  );
  await watched.told(/^Read Datum as date, Von as start_time, Bis as end_time, Team as group\.$/);

  await save([row(1), row(2)]);
  await watched.told(/^Imported plan\.csv into acme: 1 shift added, 1 unchanged\.$/);

  await appendFile(join(cwd, 'plan.csv'), `${row(3, '25:99;17')}\n`);
  await watched.told(/^Nothing was imported: the document has a problem\.$/);
  await watched.told(/^ {2}line 4, start_time: "25:99" is not a time/);
  await watched.told(/^The data stays as it was\. plan\.csv is imported when it has changed\.$/);
  assert.match((await run('account', 'show', 'acme')).stdout, /^shifts +2,/m);
  assert.match(
    await report(),
    /^Shiftfeed: plan\.csv, \d{4}-\d\d-\d\d \d\d:\d\d UTC\n\nNothing was imported: .*\n {2}line 4, /,
  );

  await rm(join(cwd, 'plan.csv'));
  await watched.told(/plan\.csv is not there\. It is imported as soon as it can be read\.$/);
  await save([row(2)]);
  await watched.told(/^Imported plan\.csv into acme: 1 shift removed, 1 unchanged\.$/);

  assert.match(await report(), /\n\nImported into acme\.\n.*\nshifts +0 +0 +1 +1\n$/s);

  assert.equal(await watched.stop('SIGTERM'), 0);
  assert.equal(watched.lines.filter((line) => line.includes('25:99')).length, 1);
  assert.equal(watched.lines.filter((line) => line.startsWith('Read ')).length, 1);
  assert.equal(watched.lines.at(-1), 'Stopped.');
});

test('does not read a file again that was imported before the watch began', async (t) => {
  const { cwd, databaseUrl, save, run } = await setUp(t);
  await save([row(1)]);
  const file = join(cwd, 'plan.csv');
  const [first = ''] = await cycles(t, file, databaseUrl, 5);
  assert.match(first, /^Imported plan\.csv into acme: /);
  const [again = ''] = await cycles(t, file, databaseUrl, 5);
  assert.match(
    again,
    /^plan\.csv is as it was imported into acme at \d{4}-\d\d-\d\dT\d\d:\d\dZ, and nobody has written to the account since\.$/,
  );
  await run('account', 'set', 'acme', '--name', 'Acme Ltd');
  const [changed = ''] = await cycles(t, file, databaseUrl, 5);
  assert.equal(changed, 'Imported plan.csv into acme: 1 shift unchanged.');
});

test('goes on while the database cannot be used, and imports when it can', async (t) => {
  const { cwd, save, watch } = await setUp(t);
  await save([row(1)]);
  await writeFile(
    join(cwd, 'test.db'),
    'This is no database, and longer than the head of a file of SQLite would be. '.repeat(3),
  );
  const watched = watch('--published-from', 'today', '--quiet');
  await watched.told(/The import is tried again\.$/);
  await rm(join(cwd, 'test.db'));
  await until('it is imported', async () => (await watched.run('account', 'list')).stdout.includes('acme'));
  assert.equal(await watched.stop('SIGINT'), 0);
  assert.equal(watched.lines.length, 1, 'with --quiet, only what is wrong is told');
});

for (const [sentence, readsFrom] of [
  ['that this version may read', 1],
  ['that this version cannot even read', 999],
] as const)
  test(`ends when the database is one of a newer Shiftfeed ${sentence}`, async (t) => {
    const { cwd, save, run } = await setUp(t);
    await save([row(1)]);
    // Saved long ago, so that nothing is waited for.
    const file = join(cwd, 'plan.csv');
    await utimes(file, 0, 0);
    await run('import', file, '--account', 'acme', '--published-from', 'today');
    await pretendNewer(t, `sqlite:${join(cwd, 'test.db')}`, 'sqlite', readsFrom);
    const { code, stderr } = await run('import', file, '--account', 'acme', '--watch');
    assert.equal(code, 1);
    assert.match(stderr, /^shiftfeed: The database \S+ was written by a newer Shiftfeed \(schema .*\.$/m);
  });

test('--report tells what is wrong without a command line, and overwrites nothing but a report', async (t) => {
  const { cwd, save, run } = await setUp(t);
  await save([row(1)]);
  const file = join(cwd, 'plan.csv');
  const args = ['import', file, '--account', 'acme', '--premium', 'true'];
  assert.equal((await run(...args, '--report', join(cwd, 'plan.txt'))).code, 1);
  const text = await readFile(join(cwd, 'plan.txt'), 'utf8');
  assert.match(text, /there is no column for the publish date$/m);
  assert.doesNotMatch(text, /npx/);
  await writeFile(file, 'Date,Start,End,Name,Colour\n3/6/2027,9,17,Ada and Bo,red\n');
  assert.match((await run(...args, '--report', join(cwd, 'plan.txt'))).stderr, /^Try: .*\n.*\nOr: /m);
  assert.match(
    await readFile(join(cwd, 'plan.txt'), 'utf8'),
    /^Shiftfeed: .*\n\nNothing was imported: .*\n(?: {2}line [^-]*\n)+$/,
  );
  await save([row(1)]);
  const { code, stderr } = await run(...args, '--published-from', 'today', '--report', file);
  assert.equal(code, 1);
  assert.match(stderr, /plan\.csv is there already and is not a report of an import: give another name\.$/m);
  assert.equal((await run(...args, '--dry-run', '--report', 'x.txt')).code, 2);
  assert.equal((await run(...args, '--published-from', 'today', '--report', join(cwd, 'plan.txt'))).code, 0);
  assert.match(await readFile(join(cwd, 'plan.txt'), 'utf8'), /\nshifts +1 +0 +0 +0\nNew groups: Küche\.\n$/);
});

describe('--watch is refused', () => {
  for (const [args, sentence] of [
    [['-', '--format', 'csv', '--account', 'acme'], '--watch is for a file: standard input is read once.'],
    [
      ['plan.csv', '--account', 'acme', '--dry-run'],
      '--watch imports, and --dry-run does not: give one of them.',
    ],
    [['plan.csv'], 'Say with --account whose shifts these are: a sheet does not tell.'],
    [
      ['plan.csv', '--account', 'acme', '--save-recipe', 'x.json'],
      '--save-recipe is for a single import: save the recipe first, and give --recipe with --watch.',
    ],
  ] as const)
    test(`with ${args.join(' ')}`, async () => {
      const { code, stderr } = await shiftfeed(['import', ...args, '--watch']);
      assert.deepEqual({ code, stderr }, { code: 2, stderr: `shiftfeed: ${sentence}\n` });
    });
});

test('a file that changes while it is read is not imported until it lies still', async (t) => {
  const { cwd, save, databaseUrl } = await setUp(t);
  await save([row(1)]);
  const file = join(cwd, 'plan.csv');
  let reads = 0;
  const lines = await cycles(t, file, databaseUrl, 12, async () => {
    if (reads++ === 0) await appendFile(file, `${row(2)}\n`);
  });
  assert.deepEqual(
    lines.filter((line) => line.startsWith('Imported')),
    [
      'Imported plan.csv into acme: 2 shifts added; 1 group added; the account is new, in UTC because no time zone was given.',
    ],
  );
});

test('a pipe that takes the place of the file before it is read does not stop the watch', async (t) => {
  const { cwd, save, databaseUrl } = await setUp(t);
  await save([row(1)]);
  const file = join(cwd, 'plan.csv');
  let reads = 0;
  let looks = 0;
  const lines = await cycles(
    t,
    file,
    databaseUrl,
    40,
    async () => {
      if (reads++ > 0) return;
      await rm(file);
      await once(spawn('mkfifo', [file]), 'close');
    },
    async () => {
      if (++looks === 20) await save([row(1)]);
    },
  );
  assert.deepEqual(
    lines.filter((line) => /not a file|^Imported/.test(line)),
    [
      `${file} could not be read: it is not a file. The import is tried again.`,
      `${file} is not a file. It is imported as soon as it is one.`,
      'Imported plan.csv into acme: 1 shift added; 1 group added; the account is new, in UTC because no time zone was given.',
    ],
  );
});

test('a report that the planner replaces by a link is not written, until the link is gone', async (t) => {
  const { cwd, save, databaseUrl, run } = await setUp(t);
  await save([row(1)]);
  const file = join(cwd, 'plan.csv');
  const report = join(cwd, 'last.txt');
  let looks = 0;
  const lines = await cycles(
    t,
    file,
    databaseUrl,
    60,
    undefined,
    async () => {
      looks++;
      if (looks === 5) {
        await rm(report);
        await symlink('test.db', report);
        await save([row(1), row(2)]);
      }
      if (looks === 40) await rm(report);
    },
    report,
  );
  assert.deepEqual(
    lines.filter((line) => line.includes('report')),
    [
      `The shifts were imported, but the report could not be written: ${report} is there already and is not a report of an import: give another name. The import is tried again.`,
    ],
  );
  assert.match((await run('account', 'show', 'acme')).stdout, /^shifts +2,/m);
  assert.match(await readFile(report, 'utf8'), /^Shiftfeed: plan\.csv, /);
});

test('a watch that is to stop ends the reading of a file at once', async (t) => {
  const { cwd, save } = await setUp(t);
  await save([row(1)]);
  const stopping = new AbortController();
  const watching = watchingOf(
    join(cwd, 'plan.csv'),
    async ({ stop }) => {
      stopping.abort();
      // As a thread that reads does: nothing but the signal ends it.
      stop.throwIfAborted();
      return new Promise(() => undefined);
    },
    { info: () => undefined, warn: () => assert.fail('a stop is no trouble') },
    stopping.signal,
  );
  await watchFile(watching);
});

test('a clock that is set back makes nobody wait', (t) => {
  let wallMs = Date.now();
  t.mock.method(Date, 'now', () => wallMs);
  const fail = () => assert.fail('nothing is imported');
  const { nowMs } = watchingOf('plan.csv', fail, { info: fail, warn: fail }, new AbortController().signal);
  const beforeMs = nowMs();
  wallMs -= 3_600_000;
  assert.ok(nowMs() >= beforeMs);
});

test('many imports after each other leave nothing behind in memory', async (t) => {
  const { cwd, save, databaseUrl } = await setUp(t);
  const file = join(cwd, 'plan.csv');
  v8.setFlagsFromString('--expose-gc');
  const gc = vm.runInNewContext('gc') as () => void;
  const used = () => {
    gc();
    return process.memoryUsage().heapUsed;
  };
  let looks = 0;
  const imports = often(40, 600);
  let early = 0;
  await save([row(1)]);
  const lines = await cycles(t, file, databaseUrl, imports * 5, undefined, async () => {
    looks++;
    if (looks === 100) early = used();
    if (looks % 5 === 0)
      await save([row(1), row((looks % 7) + 1, `${looks % 9};${10 + (looks % 9)}`)], looks);
  });
  assert.ok(lines.length >= imports * 0.9, `${lines.length} lines`);
  const growth = used() - early;
  assert.ok(growth < 4_000_000, `${growth} bytes more after ${lines.length} lines`);
});

/** Watches by a clock that runs on by itself, so that nothing is waited for. */
async function cycles(
  t: TestContext,
  file: string,
  databaseUrl: string,
  looks: number,
  onRead: () => Promise<void> = async () => undefined,
  onLook: () => Promise<void> = async () => undefined,
  report?: string,
): Promise<string[]> {
  const lines: string[] = [];
  const tell = (line: unknown) => void lines.push(String(line));
  const stopping = new AbortController();
  t.after(() => stopping.abort());
  const options = {
    account: 'acme',
    database: databaseUrl,
    publishedFrom: '2026-11-01',
    quiet: true,
    replace: true,
    watch: true,
  };
  const watching = watchingOf(
    file,
    async (watch) => {
      await onRead();
      const work = () => importOnce(file, 'sheet', options, [], watch);
      return report === undefined ? work() : reported(report, file, work, () => 'done');
    },
    { info: tell, warn: tell },
    stopping.signal,
  );
  let nowMs = Date.now();
  let seen = 0;
  await watchFile({
    ...watching,
    nowMs: () => nowMs,
    pause: async (ms) => {
      nowMs += ms;
      await onLook();
      if (++seen >= looks) stopping.abort();
    },
  });
  return lines;
}

async function setUp(t: TestContext) {
  const cwd = await newFolder(t);
  const databaseUrl = `sqlite:${join(cwd, 'test.db')}`;
  const run = (...args: string[]) => shiftfeed(args, { databaseUrl });
  return {
    cwd,
    databaseUrl,
    run,
    /** As spreadsheet programs do: into another file, which then takes the place of the first. */
    async save(rows: readonly string[], emptyLines = 0) {
      await writeFile(
        join(cwd, 'new'),
        [HEADINGS, ...rows, ...Array(emptyLines).fill('')].join('\n').concat('\n'),
      );
      await rename(join(cwd, 'new'), join(cwd, 'plan.csv'));
    },
    watch(...args: string[]) {
      const words = ['import', 'plan.csv', '--account', 'acme', '--watch', ...args];
      const child = start(words, { cwd, databaseUrl });
      t.after(() => void child.kill('SIGKILL'));
      let text = '';
      child.stderr?.setEncoding('utf8').on('data', (more: string) => {
        text += more;
      });
      const lines = (): string[] =>
        text.split('\n').flatMap((line) => (line.startsWith('{') ? JSON.parse(line).msg : []));
      return {
        run,
        get lines() {
          return lines();
        },
        told: (pattern: RegExp) =>
          until(`${pattern} is told`, () => lines().some((line) => pattern.test(line))),
        async stop(signal: NodeJS.Signals) {
          child.kill(signal);
          const [code] = await once(child, 'close');
          return code as number | null;
        },
      };
    },
  };
}
