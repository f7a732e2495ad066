/**
 * The first large import of a database writes its shifts without triggers, secondary indexes and foreign keys, and
 * makes up for them at its end, for all rows together. That takes half the time. The transaction holds the write lock
 * throughout, so nobody else ever sees a database without them.
 */

import type { DatabaseSync } from 'node:sqlite';
import { REFERENCES } from '../records.ts';
import { referenceMissing } from '../staging/reference-missing.ts';

/** False if another program has tables that refer to ours: only SQLite knows what has to happen to their rows. */
export function isFirstImport(database: DatabaseSync): boolean {
  return (
    database.prepare('SELECT 1 FROM main.shifts LIMIT 1').get() === undefined &&
    database
      .prepare(
        `SELECT 1 FROM main.sqlite_schema AS other, pragma_foreign_key_list(other.name) AS reference
        WHERE other.type = 'table' AND other.name <> 'shifts'
          AND reference."table" IN ('groups', 'locations', 'people', 'shifts') LIMIT 1`,
      )
      .get() === undefined
  );
}

/** `work` has to begin the transaction itself, because foreign keys cannot be switched within one. */
export async function withoutForeignKeys(database: DatabaseSync, work: () => Promise<void>): Promise<void> {
  database.exec('PRAGMA foreign_keys = OFF');
  try {
    await work();
  } finally {
    database.exec('PRAGMA foreign_keys = ON');
  }
}

/**
 * Call it within the transaction, before its first write. Call the returned function after the last write, and pass it
 * a function to run before each long statement. The result is right whatever was written in between.
 */
export function dropUpkeep(database: DatabaseSync): (beforeEach: () => void) => void {
  // Triggers and indexes that somebody else made stay.
  const upkeep = database
    .prepare(
      `SELECT type, name, sql FROM main.sqlite_schema WHERE name IN (
        'shifts_inserted', 'shifts_before_insert', 'shifts_replaced_by_insert',
        'shifts_of_group', 'shifts_of_location', 'shifts_of_person', 'shifts_to_count'
      ) ORDER BY rowid`,
    )
    .all();
  for (const { type, name } of upkeep) database.exec(`DROP ${type} main.${name}`);
  return (beforeEach) => {
    for (const { sql } of upkeep) {
      beforeEach();
      database.exec(String(sql));
    }
    beforeEach();
    database.exec('INSERT INTO main.changes SELECT DISTINCT account_id, substr(date, 1, 7) FROM main.shifts');
    for (const [field, table, noun] of REFERENCES) {
      const missing = database.prepare(
        `SELECT used.id FROM (SELECT DISTINCT account_id, ${field} AS id FROM main.shifts) AS used
        LEFT JOIN main.${table} AS kept ON kept.account_id = used.account_id AND kept.id = used.id
        WHERE used.id IS NOT NULL AND kept.id IS NULL LIMIT 1`,
      );
      const row = missing.get();
      if (row !== undefined) throw referenceMissing(noun, Number(row.id));
    }
  };
}
