/** A disk that is full and a database that somebody else holds: a sentence, and nothing is lost. */

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { importDocument } from '../../src/import/import.ts';
import { COMMAND_CONNECTION, connect as connectPostgres } from '../../src/store/postgres/connection.ts';
import { importStore as postgresImportStore } from '../../src/store/postgres/import.ts';
import { connect } from '../../src/store/sqlite/connection.ts';
import { explain } from '../../src/store/sqlite/explain.ts';
import { importStore } from '../../src/store/sqlite/import.ts';
import type { ImportStore } from '../../src/store/staging/stage.ts';
import { postgresClient } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { importer } from './importer.ts';

const SMALL = acme([shift('2026-12-01', { id: 1 })]);
const LARGE = acme(
  Array.from({ length: 3_000 }, (_, i) => shift('2026-12-02', { id: i + 2, remarks: 'x'.repeat(500) })),
);

const importInto = (store: ImportStore, document: object) =>
  importDocument(store, document, { replace: true, dryRun: false });

describe('on SQLite', () => {
  for (const [name, limit] of [
    ['the database', 'PRAGMA main.max_page_count = 100'],
    ['what is staged', 'PRAGMA temp.max_page_count = 100'],
  ] as const)
    test(`a disk that is too small for ${name}`, async (t) => {
      const { path, database, contents, run } = await sqlite(t);
      const before = await contents();
      database.exec(limit);
      await assert.rejects(importExplained(database, path), {
        kind: 'unusable',
        message: `The disk of the database or of temporary files (TMPDIR) is full: nothing was written to ${path}.`,
      });
      assert.deepEqual(await contents(), before);
      // Once there is room, all is well.
      assert.equal((await run(LARGE)).tables.shifts.added, 3_000);
    });

  test('a database that lacks a trigger, which doctor tells, takes small and large imports alike', async (t) => {
    const { database, run } = await sqlite(t);
    database.exec('DROP TRIGGER shifts_inserted');
    const shifts = Array.from({ length: 5_001 }, (_, i) => shift('2026-12-02', { id: i + 2 }));
    assert.equal((await run(acme(shifts))).tables.shifts.added, 5_001);
  });

  test('a database that another program holds', async (t) => {
    const { path, database, contents, run } = await sqlite(t);
    const before = await contents();
    const other = new DatabaseSync(path);
    t.after(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    database.exec('PRAGMA busy_timeout = 1');
    await assert.rejects(importExplained(database, path), {
      kind: 'busy',
      message: `The database ${path} is being written by another process: try again in a moment.`,
    });
    other.exec('ROLLBACK');
    assert.deepEqual(await contents(), before);
    assert.equal((await run(LARGE)).tables.shifts.added, 3_000);
  });
});

test('on PostgreSQL, a full disk and a table that another program holds', async (t) => {
  const { url, run, contents } = await importer(t, 'postgres');
  await run(SMALL);
  const before = await contents();
  const place = new URL(url).host + new URL(url).pathname;
  const program = await postgresClient(t, url);
  const connection = connectPostgres(url, { ...COMMAND_CONNECTION, lockMs: 1 });
  t.after(() => connection.close());

  await program.query('BEGIN; LOCK TABLE shiftfeed.shifts');
  await assert.rejects(importInto(postgresImportStore(connection), LARGE), {
    kind: 'busy',
    message: `Another program holds a lock in the database ${place}: try again in a moment.`,
  });
  await program.query('ROLLBACK');
  assert.deepEqual(await contents(), before);

  // What a server says that cannot write: nothing but its error can be had without a disk of one's own.
  await program.query(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$`);
  await program.query(
    'CREATE TRIGGER full_disk AFTER INSERT ON shiftfeed.shifts EXECUTE FUNCTION full_disk()',
  );
  await assert.rejects(importInto(postgresImportStore(connection), LARGE), {
    kind: 'unusable',
    message: `The disk of the database ${place} is full: nothing was written.`,
  });
  assert.deepEqual(await contents(), before);
  await program.query('DROP TRIGGER full_disk ON shiftfeed.shifts');
  assert.equal((await run(LARGE)).tables.shifts.added, 3_000);
});

/** As the command does it, which turns what SQLite throws into sentences. */
async function importExplained(database: DatabaseSync, path: string): Promise<void> {
  try {
    await importInto(importStore(database, path), LARGE);
  } catch (error) {
    throw explain(path, error);
  }
}

async function sqlite(context: TestContext) {
  const { url, run, contents } = await importer(context);
  await run(SMALL);
  const path = url.replace('sqlite:', '');
  const database = connect(path, 'existing');
  context.after(() => database.close());
  return { path, database, run, contents };
}
