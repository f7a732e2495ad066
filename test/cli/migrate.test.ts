/** Upgrades: what commands and servers say and do when the schema is of another version. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { describeDatabase } from '../../src/store/open.ts';
import { beginLongWrite } from '../../src/store/sqlite/right-of-way.ts';
import { EXECUTABLE } from '../support/cli.ts';
import { command, startServer } from '../support/cli-in-process.ts';
import { DATABASES, newDatabaseUrl, newFolder, pathOf, runSql } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { startOtherProcess } from '../support/other-process.ts';
import { addMigrations, filledUrl, latestSchema, OLD_TOKEN, pretendNewer } from '../support/other-schema.ts';
import { isLong } from '../support/strength.ts';
import { until } from '../support/until.ts';

for (const kind of DATABASES) {
  const latest = latestSchema(kind);

  describe(`The schema of an older version on ${kind}`, {
    skip: EXECUTABLE ? 'an executable has the migrations that it has' : false,
  }, () => {
    test('is brought up to date by "migrate", which says what it did, and then that there is nothing to do', async (t) => {
      const url = await filledUrl(t, kind);
      addMigrations(t, kind, ['CREATE TABLE later (id integer)']);
      const name = describeDatabase(url);
      assert.match(
        (await command(url, 'account', 'list')).stderr,
        /"shiftfeed migrate" brings it up to date/,
      );
      assert.deepEqual(await command(url, 'migrate'), printed(`${name}: schema ${latest} → ${latest + 1}\n`));
      const nothing = printed(`${name}: the schema is up to date, nothing to do\n`);
      assert.deepEqual(await command(url, 'migrate'), nothing);
      const { stdout } = await command(url, 'migrate', '--json');
      assert.deepEqual(JSON.parse(stdout), { database: name, migrated: null });
      assert.equal((await command(url, 'doctor')).code, 0);
    });

    test('is brought up to date by every command that writes, which says so', async (t) => {
      const url = await filledUrl(t, kind);
      addMigrations(t, kind, ['CREATE TABLE later (id integer)']);
      const { code, stderr } = await command(url, 'import', await plan(t));
      const said = `shiftfeed: The database ${describeDatabase(url)} was brought up to date: schema ${latest} → ${latest + 1}.\n`;
      assert.deepEqual([code, stderr], [0, said]);
      assert.equal((await command(url, 'import', await plan(t))).stderr, '');
    });
  });

  test(`"migrate" makes the tables of a new database on ${kind}`, async (t) => {
    const url = await newDatabaseUrl(t, kind);
    const name = describeDatabase(url);
    const { stdout } = await command(url, 'migrate', '--json');
    assert.deepEqual(JSON.parse(stdout), { database: name, migrated: { from: 0, to: latest } });
    assert.equal((await command(url, 'doctor')).code, 0);
  });

  test(`a server goes on, and starts again, on the schema of a newer version that it can read, on ${kind}`, async (t) => {
    const url = await filledUrl(t, kind);
    const before = await startServer(t, [], { databaseUrl: url });
    assert.equal(await countShifts(before.url), 1);
    await pretendNewer(t, url, kind, latest);
    assert.equal(await countShifts(before.url), 1);

    // Each worker opens the file by itself.
    const workers = isLong && kind === 'sqlite' ? ['--workers', '2'] : [];
    const restarted = await startServer(t, workers, { databaseUrl: url });
    assert.equal(await countShifts(restarted.url), 1);
    const newer = `The database ${describeDatabase(url)} was written by a newer Shiftfeed (schema ${latest + 1}, this one knows ${latest})`;
    const advice = `shiftfeed: ${newer}: use that version here, too.`;
    const notice = `${advice} Until then, this one still serves what it reads there.\n`;
    assert.equal(restarted.complaints(), notice);

    for (const words of [
      ['import', await plan(t)],
      ['export', 'acme'],
      ['migrate'],
      ['serve', '--demo', '--port', '0'],
    ]) {
      const refused = await command(url, ...words);
      assert.deepEqual(refused, { code: 1, stdout: '', stderr: `${advice}\n` }, words.join(' '));
    }
    await pretendNewer(t, url, kind, latest + 1);
    assert.deepEqual(await command(url, 'serve', '--port', '0'), {
      code: 1,
      stdout: '',
      stderr: `shiftfeed: ${newer}: use that version, or restore the backup from before the upgrade.\n`,
    });
  });
}

test('a large import into SQLite gives way to a migration', async (t) => {
  const url = await newDatabaseUrl(t);
  runSql(url, 'PRAGMA journal_mode = WAL');
  const database = new DatabaseSync(pathOf(url));
  t.after(() => database.close());
  database.exec('BEGIN IMMEDIATE');
  const large = beginLongWrite(pathOf(url));
  const migrating = startOtherProcess(t)(['migrate'], { databaseUrl: url });
  await until('it is asked for way', () => large?.isAskedForWay() === true);
  database.exec('ROLLBACK');
  large?.letPass();
  assert.equal((await migrating).code, 0);
});

function printed(stdout: string) {
  return { code: 0, stdout, stderr: '' };
}

async function plan(t: TestContext): Promise<string> {
  const file = join(await newFolder(t), 'plan.json');
  await writeFile(file, JSON.stringify(acme([shift('2026-12-01', { id: 1 })])));
  return file;
}

async function countShifts(root: string): Promise<number> {
  const headers = { authorization: `Bearer ${OLD_TOKEN}` };
  let listed = { shifts: [] as unknown[] };
  // On a busy machine, PostgreSQL may answer too late now and then.
  await until('shifts are listed', async () => {
    const response = await fetch(`${root}/acme/api/v1/shifts?years=2026`, { headers });
    listed = (await response.json()) as typeof listed;
    assert.ok([200, 503].includes(response.status), JSON.stringify(listed));
    return response.status === 200;
  });
  return listed.shifts.length;
}
