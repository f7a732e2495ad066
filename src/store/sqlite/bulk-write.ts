/**
 * What a large import does without while it writes, because each takes as long as the writing itself: triggers and
 * indexes for each row, and foreign keys. It is all in one transaction, so nobody else is ever without them.
 */

import type { DatabaseSync } from 'node:sqlite';
import { PAGE_CACHE_KIB } from './connection.ts';

/** The triggers that stamp the month of each written shift. */
const STAMPING_TRIGGERS = [
  'shifts_inserted',
  'shifts_updated',
  'shifts_before_insert',
  'shifts_before_update',
  'shifts_replaced_by_insert',
  'shifts_replaced_by_update',
];

/** Returns what puts them back. Whoever writes meanwhile stamps the months. */
export function dropTriggers(database: DatabaseSync): () => void {
  const triggers = partsNamed(database, 'trigger', STAMPING_TRIGGERS);
  for (const { name } of triggers) database.exec(`DROP TRIGGER main.${name}`);
  return () => {
    for (const { sql } of triggers) database.exec(sql);
  };
}

/** Those that no constraint needs. */
const SECONDARY_INDEXES = ['shifts_of_group', 'shifts_of_location', 'shifts_of_person'];
/** Nobody else can write while an index is made: a few seconds for so many shifts. */
const MAX_INDEXED_AT_ONCE = 4_000_000;
/** SQLite sorts as many rows at once as fit into its page cache. What fits into that of the processor is sorted faster. */
const SORTING_CACHE_KIB = 4 * 1024;

/**
 * An index is made anew in about half of the time that it takes to add all its rows one by one. So this pays when at
 * least half of the rows that the table will have are written.
 */
export function isFasterWithoutIndexes(
  database: DatabaseSync,
  { toWrite, toAdd }: { readonly toWrite: number; readonly toAdd: number },
): boolean {
  const most = Math.min(2 * toWrite, MAX_INDEXED_AT_ONCE) - toAdd;
  if (most < 0) return false;
  // Counts no further than it matters, because the table may be large.
  const row = database
    .prepare('SELECT count(*) AS count FROM (SELECT 1 FROM main.shifts LIMIT ?)')
    .get(most + 1);
  return Number(row?.count) <= most;
}

/** Returns what puts them back, and calls `beforeEach` before each of these long statements. */
export function dropIndexes(database: DatabaseSync): (beforeEach: () => void) => void {
  const indexes = hasStatistics(database) ? [] : partsNamed(database, 'index', SECONDARY_INDEXES);
  for (const { name } of indexes) database.exec(`DROP INDEX main.${name}`);
  return (beforeEach) => {
    database.exec(`PRAGMA main.cache_size = -${SORTING_CACHE_KIB}`);
    try {
      for (const { sql } of indexes) {
        beforeEach();
        database.exec(sql);
      }
    } finally {
      database.exec(`PRAGMA main.cache_size = -${PAGE_CACHE_KIB}`);
    }
  };
}

/** An operator has run ANALYZE. What it found out about an index would go with the index. */
function hasStatistics(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM main.sqlite_schema WHERE name = 'sqlite_stat1'").get() !== undefined;
}

function partsNamed(
  database: DatabaseSync,
  type: 'trigger' | 'index',
  names: readonly string[],
): readonly { readonly name: string; readonly sql: string }[] {
  return database
    .prepare(
      `SELECT name, sql FROM main.sqlite_schema
      WHERE type = ? AND name IN (SELECT value FROM json_each(?)) ORDER BY rowid`,
    )
    .all(type, JSON.stringify(names))
    .map(({ name, sql }) => ({ name: String(name), sql: String(sql) }));
}

/**
 * Runs a transaction whose references are checked by itself. SQLite would look up three rows for each shift that is
 * written. `work` has to begin the transaction, because foreign keys cannot be switched within one.
 */
export async function withoutForeignKeys<T>(database: DatabaseSync, work: () => Promise<T>): Promise<T> {
  database.exec('PRAGMA foreign_keys = OFF');
  try {
    return await work();
  } finally {
    database.exec('PRAGMA foreign_keys = ON');
  }
}

const OUR_TABLES = ['tokens', 'groups', 'locations', 'people', 'shifts', 'months', 'imports'];

/** Other programs may have tables here that refer to ours. Only SQLite knows what is to become of their rows. */
export function areForeignKeysOurs(database: DatabaseSync): boolean {
  const foreign = database.prepare(`
    SELECT 1 FROM main.sqlite_schema AS part, pragma_foreign_key_list(part.name)
    WHERE part.type = 'table' AND part.name NOT IN (SELECT value FROM json_each(?)) LIMIT 1`);
  return foreign.get(JSON.stringify(OUR_TABLES)) === undefined;
}
