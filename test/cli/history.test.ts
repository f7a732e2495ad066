/** The history of imports, taking the last one back, and files that were imported before. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { openDesk } from '../desk/desk.ts';
import { importer } from '../import/importer.ts';
import { command, shiftfeed, startServer } from '../support/cli-in-process.ts';
import { DATABASES, type DatabaseKind, newFolder, newStoreUrl, runSql } from '../support/database.ts';
import { acme, KITCHEN, shift } from '../support/document.ts';
import { often } from '../support/strength.ts';
import { until } from '../support/until.ts';

const NOW_MS = Date.parse('2026-11-15T12:00:00Z');
const DAY_MS = 86_400_000;
const PLAN = JSON.stringify(acme([shift('2026-12-01', { id: 1 })]));
const NEXT = JSON.stringify(
  acme([shift('2026-12-01', { id: 1, remarks: 'new' }), shift('2026-12-02', { id: 2 })]),
);
const SHEET = 'date,start_time,end_time,group\n2026-12-01,9:00,17:00,Bar\n';
const SHEET_OPTIONS = ['--account', 'acme', '--published-from', '2026-11-01'];

for (const kind of DATABASES.slice(0, often(1, 2)))
  describe(`on ${kind}`, () => {
    test('imports and what was taken back are listed, the newest first', async (t) => {
      const { run, file } = await prepare(t, kind);
      assert.equal((await run('account', 'create', 'acme')).code, 0);
      const none = await run('account', 'history', 'acme');
      assert.equal(none.stdout, 'There is no import into acme that could be taken back.\n');
      const plan = await file('plan.json', PLAN);
      await run('import', plan);
      await run('import', plan);
      await run('import', plan);
      await run('import', await file('next.json', NEXT), '--replace');

      const listed = await run('account', 'history', 'acme');
      assert.equal(
        withoutTimes(listed.stdout),
        `AT                 WHAT    FILE       BY            ADDED  CHANGED  REMOVED  UNCHANGED
…  import  next.json  command line      1        1        0          0
…  import  plan.json  command line      0        0        0          1
…  import  plan.json  command line      1        0        0          0

"shiftfeed undo acme" takes the last import back.
`,
      );
      const undone = await run('undo', 'acme');
      assert.equal(
        withoutTimes(undone.stdout),
        `The import of next.json into acme at … is taken back.
           added  changed  removed
groups         0        0        0
locations      0        0        0
people         0        0        0
shifts         0        1        1
`,
      );
      const [entry, , ...others] = JSON.parse((await run('account', 'history', 'acme', '--json')).stdout);
      assert.equal(others.length, 2);
      assert.match(entry.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const { revision } = JSON.parse((await run('account', 'show', 'acme', '--json')).stdout);
      const none0 = { added: 0, changed: 0, removed: 0, unchanged: 0 };
      assert.deepEqual(
        { ...entry, at: '' },
        {
          at: '',
          action: 'undo',
          file: 'next.json',
          who: 'command line',
          account: 'unchanged',
          tables: {
            groups: none0,
            locations: none0,
            people: none0,
            shifts: { ...none0, changed: 1, removed: 1 },
          },
          revision,
        },
      );
      const again = await run('undo', 'acme');
      assert.equal(again.code, 1);
      assert.equal(
        withoutTimes(again.stderr),
        'shiftfeed: The last import into acme was taken back already, at …. Only one can be: to have it again, ' +
          'or what was before it, import that file.\n',
      );
    });

    test('undo says what becomes of settings and of a new account, and of none', async (t) => {
      const { run, file } = await prepare(t, kind);
      const made = JSON.stringify({ account: { slug: 'acme', sort: 'group' }, groups: [KITCHEN] });
      await run('import', await file('made.json', made));
      assert.match(
        (await run('undo', 'acme')).stdout,
        /\nThe account itself stays, empty: "shiftfeed account remove acme" removes it\.\n/,
      );
      const changed = JSON.stringify({ account: { slug: 'acme', sort: 'time' } });
      await run('import', await file('changed.json', changed));
      const { stdout } = await run('undo', 'acme', '--json');
      assert.partialDeepStrictEqual(JSON.parse(stdout), {
        slug: 'acme',
        undone: { file: 'changed.json', action: 'import', account: 'changed' },
        account: 'changed',
      });
      assert.match((await run('account', 'show', 'acme')).stdout, /^sort +group$/m);
      for (const args of [['undo'], ['account', 'history']]) {
        const { code, stderr } = await run(...args, 'nobody');
        assert.deepEqual(
          { code, stderr },
          {
            code: 1,
            stderr: 'shiftfeed: There is no account "nobody": "shiftfeed import" creates accounts.\n',
          },
        );
      }
    });

    test('a copy with tokens says that it cannot be taken back, and is not', async (t) => {
      const { run, file } = await prepare(t, kind);
      await run('import', await file('plan.json', PLAN));
      await run('account', 'set', 'acme', '--premium', 'true');
      await run('token', 'create', 'acme', '--label', 'website');
      const { url: to } = await importer(t, kind);
      const args = ['account', 'copy', 'acme', '--to', to];
      const told = /\n"shiftfeed undo" cannot take this import back: it is a copy with tokens\.\n$/;
      assert.match((await run(...args, '--dry-run')).stdout, told);
      assert.match((await run(...args)).stdout, told);
      const undone = await command(to, 'undo', 'acme');
      assert.equal(undone.code, 1);
      assert.match(undone.stderr, /cannot be taken back, because it took tokens, too\.\n$/);
      assert.match((await command(to, 'token', 'list', 'acme')).stdout, /website/);
    });

    test('a file that was imported with the same options is not read again, unless anything could come of it', async (t) => {
      const { run, file, isRecognised } = await prepare(t, kind);
      const sheet = await file('plan.csv', SHEET);
      const args = ['import', sheet, ...SHEET_OPTIONS];
      assert.equal(await isRecognised(...args), false);
      const { stdout } = await run(...args);
      assert.match(
        stdout,
        /^Unchanged since \d{4}-\d\d-\d\dT\d\d:\d\dZ: the file and the options are the same, and nobody has written to the account\.\nThe account acme keeps its settings\.\n/,
      );
      assert.match(stdout, /^shifts +0 +0 +0 +1$/m);
      assert.equal(await isRecognised('import', await file('other-name.csv', SHEET), ...SHEET_OPTIONS), true);
      assert.equal(await isRecognised(...args, '--dry-run'), false);

      assert.equal(await isRecognised(...args, '--replace'), false, 'other options');
      assert.equal(await isRecognised(...args, '--replace'), true);
      assert.equal(await isRecognised(...args), false, 'only the last import counts');
      await file('plan.csv', SHEET.replace('Bar', 'Bat'));
      assert.equal(await isRecognised(...args), false, 'other bytes of the same length');
      await file('plan.csv', SHEET);
      assert.equal(await isRecognised(...args), false);

      for (const change of [
        ['account', 'set', 'acme', '--name', 'Acme Ltd'],
        ['account', 'set', 'acme', '--premium', 'true'],
        ['group', 'set', 'acme', '1', '--private', 'true'],
      ]) {
        assert.equal(await isRecognised(...args), true);
        assert.equal((await run(...change)).code, 0);
        assert.equal(await isRecognised(...args), false, change.join(' '));
      }
      await run('import', await file('more.csv', `${SHEET}2026-12-02,9:00,17:00,Bar\n`), ...SHEET_OPTIONS);
      assert.equal((await run('undo', 'acme')).code, 0);
      assert.equal(
        await isRecognised('import', join(sheet, '../more.csv'), ...SHEET_OPTIONS),
        false,
        'undone',
      );
      await run('account', 'rename', 'acme', 'acme-north');
      assert.equal(await isRecognised(...args), false, 'it would be a new account');
    });

    test('with today, a file is recognised on the same day only', async (t) => {
      const { file, at } = await prepare(t, kind);
      const sheet = await file('plan.csv', SHEET);
      const args = ['import', sheet, '--account', 'acme', '--published-from', 'today'];
      const isRecognised = async (nowMs: number) => /^Unchanged/.test((await at(nowMs)(...args)).stdout);
      assert.equal(await isRecognised(NOW_MS), false);
      assert.equal(await isRecognised(NOW_MS + 1), true);
      assert.equal(await isRecognised(NOW_MS + DAY_MS), false);
    });
  });

test('a document that is imported into an account of its own is found without --account', async (t) => {
  const { file, isRecognised } = await prepare(t, 'sqlite');
  const plan = await file('plan.json', PLAN);
  const other = await file('other.json', PLAN.replace('"acme"', '"beta"'));
  for (const expected of [false, true]) {
    assert.equal(await isRecognised('import', plan), expected);
    assert.equal(await isRecognised('import', other), expected);
  }
});

test('a service and a desk forget what is older than a year, without another import', async (t) => {
  for (const start of [
    (databaseUrl: string) => startServer(t, [], { databaseUrl }),
    (databaseUrl: string) => openDesk(t, { databaseUrl }),
  ]) {
    const { databaseUrl, run, file } = await prepare(t, 'sqlite');
    await run('import', await file('plan.json', PLAN));
    runSql(databaseUrl, `UPDATE import_history SET at = at - ${367 * DAY_MS}`);
    await start(databaseUrl);
    await until('it is forgotten', async () => {
      const { stdout } = await run('account', 'history', 'acme', '--json');
      return JSON.parse(stdout).length === 0;
    });
  }
});

/** Times differ from run to run. */
function withoutTimes(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\dZ/g, '…');
}

async function prepare(t: TestContext, kind: DatabaseKind) {
  const databaseUrl = await newStoreUrl(t, kind);
  const folder = await newFolder(t);
  const at =
    (nowMs?: number) =>
    (...args: string[]) =>
      shiftfeed(args, { databaseUrl, ...(nowMs === undefined ? {} : { nowMs }) });
  const run = at();
  return {
    databaseUrl,
    at,
    run,
    async file(name: string, text: string): Promise<string> {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    },
    async isRecognised(...args: string[]): Promise<boolean> {
      const { code, stdout, stderr } = await run(...args);
      assert.equal(code, 0, stderr);
      return stdout.startsWith('Unchanged since ');
    },
  };
}
