import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { chmod, chown, glob, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { Command } from 'commander';
import { makeProgram } from '../src/cli/program.ts';
import { PAGES_SHARE_OF_BUDGET, SNAPSHOTS_SHARE_OF_BUDGET } from '../src/feed/feed.ts';
import { IN_FLIGHT_BYTES } from '../src/http/limits/limits.ts';
import { PARAMETERS } from '../src/http/listing/query.ts';
import { BODY_CACHE_SHARE } from '../src/server/server.ts';
import { importer } from './import/importer.ts';
import { newFolder } from './support/database.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const PROGRAM = await makeProgram();

test('CI runs the test command of the README, and the long tests', () => {
  const commands = [...read('README.md').matchAll(/^npm ci && npm .+$/gm)].map(([line]) => line);
  assert.deepEqual(commands, ['npm ci && npm start', 'npm ci && npm test']);
  assert.ok(read('.ci/run').endsWith(`\n${commands[1]} && npm run test:long\n`));
});

test('no page lets npx fetch a package of the name from the public registry, or take its options', async () => {
  for await (const page of glob('{README.md,{docs,kit,examples,deploy}/**/*.md}', {
    cwd: ROOT,
    exclude: ['**/node_modules'],
  }))
    assert.doesNotMatch(read(page), /npx (?!--no -- )(?:-\S+ )*shiftfeed/, page);
});

test('no command reads standard input without saying what it is', async () => {
  const pages = await Array.fromAsync(
    glob('{README.md,{docs,kit,examples}/**/*.md,deploy/*.{service,yaml}}', {
      cwd: ROOT,
      exclude: ['**/node_modules'],
    }),
  );
  const commands = pages.flatMap((page) => [...read(page).matchAll(/\bimport - .*/g)].map(([line]) => line));
  assert.ok(commands.length > 2);
  for (const command of commands) assert.match(command, /^import - --format \w/);
});

test('a copy of a SQLite database that is restored as the manual says keeps who may open the database', async (t) => {
  const [, commands = ''] = /^```sh\n(cp copy\.db [^`]+)^```$/m.exec(read('docs/operating.md')) ?? [];
  const folder = await newFolder(t);
  const database = join(folder, 'shiftfeed.db');
  await writeFile(database, 'old', { mode: 0o600 });
  await writeFile(join(folder, 'copy.db'), 'restored', { mode: 0o600 });
  await chmod(database, 0o640);
  // Only root can give a file away.
  if (process.getuid?.() === 0) await chown(database, 1000, 1000);
  const before = await stat(database);
  execFileSync('sh', ['-ec', commands], { cwd: folder });
  assert.equal(await readFile(database, 'utf8'), 'restored');
  const { uid, gid, mode } = await stat(database);
  assert.deepEqual({ uid, gid, mode }, { uid: before.uid, gid: before.gid, mode: before.mode });
});

test('every command and option of the command line is documented, and has an example', () => {
  const manual = read('docs/operating.md') + read('docs/importing.md');
  for (const command of commandsOf(PROGRAM)) {
    for (const { long } of command.options) {
      if (long !== '--version') assert.ok(manual.includes(long as string), `${command.name()} ${long}`);
    }
    const name = [command.parent?.name(), command.name()]
      .filter((part) => part && part !== 'shiftfeed')
      .join(' ');
    assert.ok(manual.includes(name), name);
  }
});

test('docs/decisions.md says of each direct dependency why it is there, and SECURITY.md how to report', () => {
  const [, reasons = ''] = /\*\*Few dependencies\.\*\*(.*?)\n\n/s.exec(read('docs/decisions.md')) ?? [];
  const words = new Set(reasons.split(/[\s,;()]+/));
  const { dependencies } = JSON.parse(read('package.json'));
  const names = Object.keys(dependencies).filter((name) => !name.startsWith('@shiftfeed/'));
  assert.deepEqual(
    names.filter((name) => !words.has(name)),
    [],
  );
  assert.match(read('SECURITY.md'), /report/i);
});

test('every parameter is documented', () => {
  const manual = read('docs/api.md');
  for (const name of Object.keys(PARAMETERS)) assert.match(manual, new RegExp(`^\\| \`${name}\` \\|`, 'm'));
});

test('the import document of the manual can be imported', async (t) => {
  const block = /`plan\.json`:\n\n```json\n([\s\S]+?)```/.exec(read('docs/importing.md'))?.[1];
  const { importText, contents } = await importer(t);
  const { slug } = await importText(block ?? '');
  assert.equal((await contents(slug)).shifts, 1);
});

test('the figures about memory in the manuals follow from the shares that the code gives', () => {
  const cache = Number(defaultOf('serve', '--cache-mb'));
  const inFlight = IN_FLIGHT_BYTES / (1024 * 1024);
  const pages = cache * BODY_CACHE_SHARE;
  const rest = cache - inFlight - pages;
  const accounts = rest * (SNAPSHOTS_SHARE_OF_BUDGET + PAGES_SHARE_OF_BUDGET);
  const shifts = rest - accounts;
  const scaling = read('docs/scaling.md').replaceAll(/\s+/g, ' ');
  const figures =
    /some (\d+) bytes, and (\d+) more\. Of `--cache-mb (\d+)`, (\d+) MB .*?, (\d+) MB .*?, and (\d+) MB .*? (\d+) MB are left for shifts, so about ([\d,]+) of them/.exec(
      scaling,
    );
  const [bytes = 0, more = 0, ...told] = (figures ?? [])
    .slice(1)
    .map((text) => Number(text.replace(',', '')));
  const fitting = (shifts * 1024 * 1024) / (bytes + more);
  assert.deepEqual(told, [cache, inFlight, pages, accounts, shifts, Math.floor(fitting / 10_000) * 10_000]);

  const operating = read('docs/operating.md').replaceAll(/\s+/g, ' ');
  assert.ok(operating.includes('an eighth of the whole is for pages'));
  assert.equal(BODY_CACHE_SHARE, 1 / 8);
  assert.ok(operating.includes('Of what then remains, an eighth is for what is known of accounts'));
  assert.equal(SNAPSHOTS_SHARE_OF_BUDGET + PAGES_SHARE_OF_BUDGET, 1 / 8);
});

test('links between documents lead somewhere', async () => {
  for await (const file of glob(['*.md', 'docs/*.md', 'kit/*/*.md'], { cwd: ROOT })) {
    for (const [, target = ''] of read(file).matchAll(/\]\(([^)]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const text = path === '' ? read(file) : read(join(dirname(file), path));
      const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
        heading
          .toLowerCase()
          .replace(/[^\p{L}\p{N}\s_-]/gu, '')
          .replaceAll(' ', '-'),
      );
      if (anchor !== undefined) assert.ok(headings.includes(anchor), `${file}: ${target}`);
    }
  }
});

test('the pictures of the README are there in light and dark, and small', () => {
  const readme = read('README.md');
  const pictures = [...readme.matchAll(/(?:src|srcset)="([^"]+\.png)"/g)].map(([, file = '']) => file);
  assert.equal(pictures.length, 6);
  for (const file of pictures) {
    assert.ok(statSync(join(ROOT, file)).size < 150_000, file);
    assert.ok(pictures.includes(file.replace('light', 'dark')), file);
  }
});

function defaultOf(command: string, option: string): unknown {
  const found = commandsOf(PROGRAM).find((one) => one.name() === command);
  return found?.options.find(({ long }) => long === option)?.defaultValue;
}

function commandsOf(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...commandsOf(child)]);
}
