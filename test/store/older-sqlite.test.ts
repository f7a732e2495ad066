/**
 * Programs that write to the database bring a SQLite of their own. This one is of 2022, as in the systems of that year.
 */

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import initSqlJs from 'sql.js';
import { importDocument } from '../../src/import/import.ts';
import { openStore } from '../../src/store/open.ts';
import { newFolder } from '../support/database.ts';
import { acme, KITCHEN, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';

const KITCHEN_SHIFT = `'09:00', '17:00', '2026-12-01', ${KITCHEN.id}, '2026-01-01'`;
const statements: [string, string, object[]][] = [
  [
    'adds a shift',
    `INSERT INTO shifts (account_id, id, date, start_time, end_time, end_date, group_id, publish_date)
     VALUES (1, 2, '2026-12-01', ${KITCHEN_SHIFT})`,
    [{ id: 1 }, { id: 2 }],
  ],
  ['changes a shift', `UPDATE shifts SET remarks = 'changed'`, [{ id: 1, remarks: 'changed' }]],
  [
    'replaces a shift',
    `INSERT OR REPLACE INTO shifts (account_id, id, date, start_time, end_time, end_date, group_id, publish_date, remarks)
     VALUES (1, 1, '2026-11-30', ${KITCHEN_SHIFT}, 'moved')`,
    [{ id: 1, date: '2026-11-30', remarks: 'moved' }],
  ],
  ['removes a shift', 'DELETE FROM shifts', []],
  ['renames a group', `UPDATE groups SET name = 'Galley'`, [{ id: 1, group: { id: 1, name: 'Galley' } }]],
  ['hides a group', 'UPDATE groups SET active = 0', []],
  ['sorts by group', `UPDATE accounts SET sort = 'group'`, [{ id: 1 }]],
];
for (const [sentence, sql, expected] of statements) {
  test(`an older SQLite ${sentence}, and the next request sees it`, async (context) => {
    const service = await startService(context, { now: '2026-11-15T12:00:00Z' });
    await service.import(acme([shift('2026-12-01', { id: 1 })]));
    const token = await service.token('acme');
    const before = await service.get('acme', '', token);

    const file = join(await newFolder(context), 'copy.db');
    const path = service.databaseUrl.slice('sqlite:'.length);
    await copyDatabase(path, file);
    endWriteAheadLog(file);
    await writeFile(file, await runWithOlderSqlite(await readFile(file), sql));
    await copyDatabase(file, path);

    const after = await service.get('acme', '', token);
    const { shifts } = (await after.json()) as { shifts: object[] };
    assert.equal(shifts.length, expected.length);
    assert.partialDeepStrictEqual(shifts, expected);
    const revisionOf = (response: Response) => Number(response.headers.get('shiftfeed-revision'));
    assert.ok(revisionOf(after) > revisionOf(before));
  });
}

for (const column of ['date', 'end_date', 'publish_date']) {
  test(`an older SQLite cannot write 30 February as a ${column}`, async (context) => {
    const path = join(await newFolder(context), 'test.db');
    await importInto(path);
    endWriteAheadLog(path);
    await assert.rejects(
      runWithOlderSqlite(await readFile(path), `UPDATE shifts SET ${column} = '2027-02-30'`),
      /CHECK constraint failed/,
    );
  });
}

async function importInto(path: string): Promise<void> {
  const store = await openStore(`sqlite:${path}`, { missing: 'create' });
  const document = acme([shift('2026-12-01', { id: 1 })]);
  await importDocument(store, document, { replace: false, dryRun: false });
  await store.close();
}

async function copyDatabase(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from);
  await backup(source, to);
  source.close();
}

/** The older SQLite works in memory, where it cannot have one. */
function endWriteAheadLog(file: string): void {
  const copy = new DatabaseSync(file);
  copy.exec('PRAGMA journal_mode = DELETE');
  copy.close();
}

async function runWithOlderSqlite(bytes: Uint8Array, sql: string): Promise<Uint8Array> {
  const { Database } = await initSqlJs();
  const database = new Database(bytes);
  const [version] = database.exec('SELECT sqlite_version()');
  assert.match(String(version?.values[0]), /^3\.39\./);
  database.run('PRAGMA foreign_keys = ON');
  database.run(sql);
  return database.export();
}
