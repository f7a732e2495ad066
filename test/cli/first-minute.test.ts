/** What somebody sees who starts for the first time. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { calledAs } from '../../src/cli/help.ts';
import { makeProgram } from '../../src/cli/program.ts';
import { beginning, ending } from '../../src/cli/serve/run.ts';
import { LAUNCHER } from '../support/cli.ts';
import { shiftfeed } from '../support/cli-in-process.ts';
import { newFolder } from '../support/database.ts';

function runProcess(launcher: string, options: { cwd: string; env: Record<string, string> }): string {
  return spawnSync(process.execPath, [launcher], { ...options, encoding: 'utf8' }).stderr;
}

describe('shiftfeed without any words', () => {
  test('says what to type next, and each of that is a command', async () => {
    const { code, stdout, stderr } = await shiftfeed([]);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    const commands = [...stderr.matchAll(/^ {2}npx --no -- shiftfeed (\S+)/gm)].map(([, name]) => name);
    assert.deepEqual(commands, ['serve', 'import', 'token', 'serve', 'gateway']);
    const program = await makeProgram();
    for (const name of commands) assert.ok(program.commands.some((command) => command.name() === name));
  });

  test('names the program as it was called', async (t) => {
    const folder = await newFolder(t);
    const link = join(folder, 'shiftfeed');
    await symlink(LAUNCHER, link);
    const as = (launcher: string, env: Record<string, string>, cwd = folder) =>
      runProcess(launcher, { cwd, env: { npm_command: '', PATH: '', ...env } });
    assert.match(as(link, { PATH: folder }), /^ {2}shiftfeed serve --demo$/m);
    assert.match(as(link, {}, '/usr'), new RegExp(`^ {2}${link} serve --demo$`, 'm'));
    assert.match(as(link, {}), /^ {2}\.\/shiftfeed serve --demo$/m);
    assert.match(
      as(LAUNCHER, {}, dirname(dirname(LAUNCHER))),
      /^ {2}node .\/bin\/shiftfeed.js serve --demo$/m,
    );
    const folderWithSpace = join(folder, 'a b');
    await mkdir(folderWithSpace);
    await symlink(LAUNCHER, join(folderWithSpace, 'shiftfeed'));
    assert.match(as(join(folderWithSpace, 'shiftfeed'), {}), /^ {2}'\.\/a b\/shiftfeed' serve --demo$/m);
    assert.match(as(LAUNCHER, { npm_command: 'exec' }), /^ {2}npx --no -- shiftfeed serve --demo$/m);
  });

  test('takes no folder for the executable that the shell found', async (t) => {
    const before = process.cwd();
    t.after(() => process.chdir(before));
    process.chdir(await newFolder(t));
    await mkdir('shiftfeed');
    assert.deepEqual(calledAs('shiftfeed'), ['shiftfeed']);
  });
});

describe('serve', () => {
  const facts = {
    root: 'http://127.0.0.1:8080',
    metricsUrl: undefined,
    pages: true,
    database: 'sqlite:/srv/shiftfeed.db',
    accounts: ['acme', 'demo'],
  };

  test('shows on a terminal, in aligned lines, where its docs, its database and its accounts are', () => {
    assert.equal(
      beginning({ ...facts, metricsUrl: 'http://127.0.0.1:9090/metrics' }, true),
      `Shiftfeed listens on http://127.0.0.1:8080

  Docs      http://127.0.0.1:8080/docs
  Database  /srv/shiftfeed.db
  Accounts  acme, demo
  Metrics   http://127.0.0.1:9090/metrics
`,
    );
    assert.equal(ending(facts, true), 'Ctrl-C stops it.');
  });

  test('names no page to those who have switched pages off', () => {
    assert.doesNotMatch(beginning({ ...facts, pages: false }, true), /docs/i);
  });

  test('shows a password nowhere', () => {
    const url = 'postgres://ann:secret@db.example/plans';
    for (const isTerminal of [true, false]) {
      const given = { ...facts, database: url, readDatabase: url };
      const text = beginning(given, isTerminal) + ending(given, isTerminal);
      assert.match(text, /db\.example\/plans/);
      assert.doesNotMatch(text, /secret/);
    }
  });

  test('names some of many accounts', () => {
    const accounts = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    assert.match(beginning({ ...facts, accounts }, true), /^ {2}Accounts {2}a, b, c, d, e and 2 more$/m);
  });

  test('says how to get data in while there is none', () => {
    for (const isTerminal of [true, false]) {
      const text = ending({ ...facts, accounts: [] }, isTerminal);
      assert.match(text, /^There is no account yet: "shiftfeed import plan\.json" adds one, /m);
    }
    assert.match(beginning({ ...facts, accounts: [] }, true), /^ {2}Accounts {2}none yet$/m);
  });

  test('says nothing of accounts that it could not read', () => {
    const unknown = { ...facts, accounts: undefined };
    assert.doesNotMatch(beginning(unknown, true) + ending(unknown, true), /account/i);
  });
});
