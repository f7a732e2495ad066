/** Files in folders that others may write to: which links are followed, and what is replaced. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Stats } from 'node:fs';
import {
  chmod,
  chown,
  glob,
  lchown,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { openToRead, readWhole } from '../../src/cli/files.ts';
import { reported } from '../../src/cli/import/report-file.ts';
import { program, shiftfeed as runProcess } from '../support/cli.ts';
import { shiftfeed } from '../support/cli-in-process.ts';
import { newFolder } from '../support/database.ts';
import { skipsWithout } from '../support/installed.ts';

const SHEET = 'Datum;Von;Bis;Team\n01.03.2027;9;17;Küche\n';
const SECRET = 'root:x:0:0:the secret of somebody else';
const PLANNER = 12_345;
const OTHER_PLANNER = 12_346;
const OPTIONS = ['--account', 'acme', '--published-from', 'today'];

/** Without root, a test has links of its own user alone. */
const AS_ROOT = { skip: process.geteuid?.() !== 0 && 'only root can give links away.' };

describe('a link of another user is not followed', AS_ROOT, () => {
  test('to the imported file, nor on the way to it, and nobody is told what is there', async (t) => {
    const { cwd, file, foreignLink, run } = await setUp(t);
    await mkdir(join(cwd, 'other'));
    await file('other/plan.csv', SECRET);
    await foreignLink('other/plan.csv', 'plan.csv');
    await foreignLink('other', 'folder');
    for (const [name, link] of [
      ['plan.csv', 'plan.csv'],
      ['folder/plan.csv', 'folder'],
    ] as const) {
      const { code, stderr } = await run('import', name, ...OPTIONS, '--report', 'last.txt');
      const sentence = `${name} could not be read: the link ${join(cwd, link)} belongs to another user.`;
      assert.deepEqual([code, stderr], [1, `shiftfeed: ${sentence}\n`]);
      const report = await readFile(join(cwd, 'last.txt'), 'utf8');
      assert.ok(report.endsWith(`${sentence}\n`), report);
    }
  });

  test('by --report and --save-recipe, which leave alone what is there', async (t) => {
    const { cwd, file, foreignLink, run } = await setUp(t);
    await file('plan.csv', SHEET);
    await mkdir(join(cwd, 'state'));
    for (const [option, before, sentence] of [
      ['--report', 'Shiftfeed: a report', 'The report could not be written'],
      ['--save-recipe', '{}', 'The recipe cannot be saved'],
    ] as const) {
      await file(`state/${option}`, before);
      await foreignLink(`state/${option}`, option);
      const { code, stderr } = await run('import', 'plan.csv', ...OPTIONS, option, `./${option}`);
      assert.equal(code, 1);
      assert.equal(
        stderr,
        `shiftfeed: ${sentence}: the link ${join(cwd, option)} belongs to another user.\n`,
      );
      assert.equal(await readFile(join(cwd, 'state', option), 'utf8'), before);
    }
    assert.doesNotMatch((await run('account', 'list')).stdout, /acme/, 'nothing was imported');
  });

  test('to a recipe, a database URL, or what a gateway reads', async (t) => {
    const { cwd, file, foreignLink, run } = await setUp(t);
    await file('plan.csv', SHEET);
    await file('x', '{}');
    await foreignLink('x', 'link');
    await file('secret', `${'a'.repeat(43)}\n`);
    await file('token', 'token');
    const feeds = { kitchen: { group_ids: 'all', personal: true } };
    const config = {
      upstream: 'http://127.0.0.1:9/acme',
      token_file: 'token',
      links_secret_file: 'secret',
      feeds,
    };
    await file('token.json', JSON.stringify({ ...config, token_file: 'link' }));
    await file('secret.json', JSON.stringify({ ...config, links_secret_file: 'link' }));
    await file('links.json', JSON.stringify({ ...config, links_file: 'link' }));
    const tried = [
      ['import', 'plan.csv', ...OPTIONS, '--recipe', 'link'],
      ['account', 'list', '--database-file', 'link'],
      ['gateway', 'link'],
      ['gateway', 'token.json'],
      ['gateway', 'links', 'secret.json'],
      ['gateway', 'links', 'links.json'],
    ];
    for (const args of tried) {
      const { code, stderr } = await run(...args);
      const end = ` cannot be read: the link ${join(cwd, 'link')} belongs to another user.\n`;
      assert.deepEqual([code, stderr.endsWith(end)], [1, true], stderr);
    }
  });

  test('on the way to a new secret', async (t) => {
    const { cwd, foreignLink, run } = await setUp(t);
    await mkdir(join(cwd, 'other'));
    await foreignLink('other', 'folder');
    const { code, stderr } = await run('gateway', 'links', '--new-secret', 'folder/secret');
    assert.equal(code, 1);
    assert.match(stderr, /cannot be written: the link .*folder belongs to another user\.$/m);
    assert.deepEqual(await readdir(join(cwd, 'other')), []);
  });

  test('even if it takes the place of a folder while a file in it is opened', async (t) => {
    const { cwd, file, foreignLink } = await setUp(t);
    for (const [name, content] of [
      ['own', 'own'],
      ['other', SECRET],
    ] as const) {
      await mkdir(join(cwd, name));
      await file(`${name}/plan.csv`, content);
    }
    await foreignLink('other', 'link');
    // Each of the two stays for another number of steps each time, so that they change at every step of a reading.
    const showing = async (name: string, steps: number) => {
      await rename(join(cwd, name), join(cwd, 'folder'));
      for (let i = 0; i < steps; i++) await lstat(cwd);
      await rename(join(cwd, 'folder'), join(cwd, name));
    };
    let isDone = false;
    const planner = (async () => {
      for (let i = 0; !isDone; i++) {
        await showing('own', i % 17);
        await showing('link', i % 7);
      }
    })();
    const outcomes = new Set<string>();
    for (let i = 0; i < 300; i++) {
      const content = await readWhole(join(cwd, 'folder/plan.csv')).catch((error: Error) => error.name);
      outcomes.add(String(content));
    }
    isDone = true;
    await planner;
    assert.ok(!outcomes.has(SECRET));
    assert.ok(outcomes.has('own'));
  });
});

describe('a link is followed', () => {
  test('that belongs to root or to the user, as those by which Kubernetes mounts secrets', async (t) => {
    const { cwd, file, run } = await setUp(t);
    await chmod(cwd, 0o1777);
    await mkdir(join(cwd, '..2027'), { mode: 0o755 });
    await file('..2027/plan.csv', SHEET);
    await file('..2027/url', `sqlite:${join(cwd, 'test.db')}`);
    await symlink('..2027', join(cwd, '..data'));
    for (const name of ['plan.csv', 'url']) await symlink(`..data/${name}`, join(cwd, name));
    const { code, stderr } = await run('import', 'plan.csv', ...OPTIONS, '--database-file', 'url');
    assert.deepEqual([code, stderr], [0, '']);
    await asUser(PLANNER, async () => {
      assert.equal(String(await readWhole(join(cwd, 'plan.csv'))), SHEET);
      assert.equal(String(await readWhole(join(cwd, '..data/../plan.csv'))), SHEET);
    });
  });

  test('of another user to a file of the same user, unless nobody knows who that is', AS_ROOT, async (t) => {
    const { cwd, file, foreignLink } = await setUp(t);
    await file('plan.csv', SHEET);
    const read = async () => String(await readWhole(join(cwd, 'link')));
    await foreignLink('plan.csv', 'link');
    await chown(join(cwd, 'plan.csv'), PLANNER, PLANNER);
    assert.equal(await read(), SHEET);
    await asUser(OTHER_PLANNER, async () => assert.equal(await read(), SHEET));
    await chown(join(cwd, 'plan.csv'), OTHER_PLANNER, PLANNER);
    await assert.rejects(read, /belongs to another user/);
    const nobody = 65_534;
    for (const name of ['plan.csv', 'link']) await lchown(join(cwd, name), nobody, nobody);
    await assert.rejects(read, /belongs to another user/);
  });

  test('by --report, whose target is replaced', async (t) => {
    const { cwd, file, run } = await setUp(t);
    await file('plan.csv', SHEET);
    await mkdir(join(cwd, 'reports'));
    await symlink('reports/last.txt', join(cwd, 'link.txt'));
    for (let i = 0; i < 2; i++) {
      const { code } = await run('import', 'plan.csv', ...OPTIONS, '--report', 'link.txt');
      assert.equal(code, 0);
      assert.match(await readFile(join(cwd, 'reports/last.txt'), 'utf8'), /^Shiftfeed: plan\.csv/);
    }
    assert.deepEqual(await readdir(join(cwd, 'reports')), ['last.txt']);
  });

  test('unless it leads in a circle', async (t) => {
    const { cwd, run } = await setUp(t);
    await symlink('b.csv', join(cwd, 'a.csv'));
    await symlink('a.csv', join(cwd, 'b.csv'));
    const { stderr } = await run('import', 'a.csv', ...OPTIONS);
    assert.equal(stderr, 'shiftfeed: a.csv could not be read: its links lead in a circle.\n');
  });
});

describe('a report is written over nothing but a report', () => {
  for (const [what, put] of [
    ['a link to the database', (place: string) => symlink('test.db', place)],
    ['the database itself', (place: string) => writeFile(place, 'SQLite format 3')],
    ['a folder', (place: string) => mkdir(place)],
  ] as const)
    test(`when ${what} takes its place during the import`, async (t) => {
      const { cwd, file } = await setUp(t);
      await file('test.db', 'SQLite format 3');
      const report = join(cwd, 'last.txt');
      await writeFile(report, 'Shiftfeed: the last time');
      const work = async () => {
        await rm(report);
        await put(report);
      };
      await assert.rejects(
        reported(report, 'plan.csv', work, () => 'done'),
        {
          message: `The shifts were imported, but the report could not be written: ${report} is there already and is not a report of an import: give another name.`,
        },
      );
      assert.equal(await readFile(join(cwd, 'test.db'), 'utf8'), 'SQLite format 3');
      assert.deepEqual((await readdir(cwd)).toSorted(), ['last.txt', 'test.db']);
    });
});

test('a report and a recipe have the permissions of those that they replace', async (t) => {
  const { cwd, file, run } = await setUp(t);
  await file('plan.csv', SHEET);
  const names = ['last.txt', 'recipe.json'];
  const write = () =>
    run('import', 'plan.csv', ...OPTIONS, '--report', 'last.txt', '--save-recipe', 'recipe.json');
  assert.equal((await write()).code, 0);
  const isRoot = process.geteuid?.() === 0;
  for (const mode of [0o600, 0o666]) {
    for (const name of names) {
      await chmod(join(cwd, name), mode);
      if (isRoot) await chown(join(cwd, name), PLANNER, OTHER_PLANNER);
    }
    const before = await Promise.all(names.map((name) => stat(join(cwd, name))));
    assert.deepEqual(await write().then(({ code, stderr }) => [code, stderr]), [0, '']);
    const after = await Promise.all(names.map((name) => stat(join(cwd, name))));
    const rights = ({ mode, uid, gid }: Stats) => ({ mode, uid, gid });
    assert.deepEqual(after.map(rights), before.map(rights));
    for (const [i, { ino }] of after.entries()) assert.notEqual(ino, before[i]?.ino, 'it was replaced');
  }
});

test('a pipe whose writer waits is read: its writer is not turned away', async (t) => {
  const { cwd, run } = await setUp(t);
  await once(spawn('mkfifo', ['pipe'], { cwd }), 'close');
  const writer = spawn('sh', ['-c', 'printf %s "$0" > pipe', SHEET], { cwd });
  t.after(() => writer.kill('SIGKILL'));
  const written = once(writer, 'close');
  // A process is ended if it waits for ever.
  const { code, stderr } = await runProcess(['import', 'pipe', '--format', 'csv', '--quiet', ...OPTIONS], {
    cwd,
    databaseUrl: `sqlite:${join(cwd, 'test.db')}`,
  });
  assert.deepEqual([code, stderr], [0, '']);
  assert.deepEqual(await written, [0, null]);
  assert.match((await run('account', 'show', 'acme')).stdout, /^shifts +1,/m);
});

test('pipes that the operator names are read: the document, the recipe and the URL of the database', async (t) => {
  if (skipsWithout(t, ['bash', '--version'], 'bash')) return;
  const { cwd, file, run } = await setUp(t);
  await file('plan.csv', SHEET);
  await file('recipe.json', '{"published-from": "today"}');
  await file('url', `sqlite:${join(cwd, 'test.db')}`);
  const script = `mkfifo named; cat url > named & exec "$0" "$@" import <(cat plan.csv) --format csv --account acme \\
    --recipe <(cat recipe.json) --database-file named --quiet`;
  const bash = spawn('bash', ['-c', script, ...program()], { cwd });
  t.after(() => bash.kill('SIGKILL'));
  const [[code], stderr] = await Promise.all([once(bash, 'close'), text(bash.stderr)]);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match((await run('account', 'show', 'acme')).stdout, /^shifts +1,/m);
});

test('a pipe in the place of a file that is read again and again is refused at once', async (t) => {
  const { cwd } = await setUp(t);
  const pipe = join(cwd, 'pipe');
  await once(spawn('mkfifo', [pipe]), 'close');
  await assert.rejects(openToRead(pipe), { message: 'it is not a file' });
  if (process.geteuid?.() !== 0) return;
  await chown(pipe, PLANNER, PLANNER);
  await assert.rejects(openToRead(pipe, { orPipe: true }), { message: 'it is not a file' });
});

test('commands open files in no other way', async () => {
  const src = join(import.meta.dirname, '../../src');
  const others: string[] = [];
  for await (const file of glob('{cli,server,gateway}/**/*.ts', { cwd: src })) {
    const source = await readFile(join(src, file), 'utf8');
    if (
      /^import [^;]*\b(open|(read|write|append)File|create(Read|Write)Stream)(Sync)?\b[^;]*'node:fs/m.test(
        source,
      )
    )
      others.push(file);
  }
  // The other one reads in /proc.
  assert.deepEqual(others.toSorted(), ['cli/files.ts', 'server/listening.ts']);
});

async function setUp(t: TestContext) {
  const cwd = await newFolder(t);
  await chmod(cwd, 0o755);
  const databaseUrl = `sqlite:${join(cwd, 'test.db')}`;
  return {
    cwd,
    file: (name: string, content: string) => writeFile(join(cwd, name), content),
    async foreignLink(target: string, name: string) {
      await symlink(target, join(cwd, name));
      await lchown(join(cwd, name), PLANNER, PLANNER);
    },
    run: (...args: string[]) =>
      shiftfeed(args, { cwd, ...(args.includes('--database-file') ? {} : { databaseUrl }) }),
  };
}

/** Only root can be somebody else; others stay who they are. */
async function asUser(uid: number, work: () => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(uid);
  try {
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}
