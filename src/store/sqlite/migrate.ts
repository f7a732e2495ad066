/**
 * Brings the schema up to date. The write lock is taken before the check, so processes that start at the same moment
 * migrate one after the other, and the second finds nothing to do.
 */

import type { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { StoreFailure } from '../failure.ts';
import { checkNotNewer, checkUpToDate, migrationsIn } from '../schema-version.ts';
import { BUSY_TIMEOUT_MS, reading, writing } from './connection.ts';
import { isBusy } from './explain.ts';

const FOLDER = new URL('./migrations/', import.meta.url);
/** Marks a file as ours in its header; spells "shft". */
const APPLICATION_ID = 0x73686674;
const RETRY_MS = 10;

export async function migrate(database: DatabaseSync, path: string): Promise<void> {
  const migrations = migrationsIn(FOLDER);
  // Checked before anything is written: a file of another program stays unchanged.
  const version = reading(database, () => versionOf(database, path));
  checkNotNewer(path, version, migrations);
  await useWriteAheadLog(database);
  if (version === migrations.latest) return;
  await writing(database, async () => {
    // A constraint is changed by editing its text in the schema, which SQLite's defensive mode forbids.
    database.enableDefensive(false);
    try {
      for (const statements of migrations.after(versionOf(database, path))) database.exec(statements);
    } finally {
      database.enableDefensive(true);
    }
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.latest}`);
    return true;
  });
}

/**
 * The write-ahead log lets readers go on while somebody writes. When two processes turn it on at the same moment,
 * SQLite refuses one of them at once, whatever the timeout of its connection is.
 */
async function useWriteAheadLog(database: DatabaseSync): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || waitedMs >= BUSY_TIMEOUT_MS) throw error;
      await setTimeout(RETRY_MS);
    }
  }
}

/** Refuses a database whose schema cannot be read as it is. */
export function checkSchema(database: DatabaseSync, path: string): void {
  checkUpToDate(
    path,
    reading(database, () => versionOf(database, path)),
    migrationsIn(FOLDER),
  );
}

/** Call it in a transaction: it runs several queries, and another process may be migrating. */
function versionOf(database: DatabaseSync, path: string): number {
  const isOurs = pragma(database, 'application_id') === APPLICATION_ID;
  const version = isOurs ? pragma(database, 'user_version') : 0;
  if (version !== 0) return version;
  const tables = tablesIn(database);
  if (OUR_TABLES.every((name) => tables.includes(name))) {
    throw new StoreFailure(
      'unusable',
      `The database ${path} has the tables of Shiftfeed, but does not tell which version made them: "sqlite3 .dump" loses that. ` +
        'Copy databases with "VACUUM INTO" or ".backup". If this version of Shiftfeed made it, this puts it right: ' +
        `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrationsIn(FOLDER).latest};`,
    );
  }
  if (tables.length > 0) {
    throw new StoreFailure(
      'unusable',
      `The database ${path} has tables of another program: give Shiftfeed a file of its own.`,
    );
  }
  return 0;
}

const OUR_TABLES = ['accounts', 'tokens', 'groups', 'shifts', 'months'];

/** Without the tables that Litestream, which replicates databases, adds to each of them. */
function tablesIn(database: DatabaseSync): string[] {
  const rows = database
    .prepare("SELECT name FROM sqlite_schema WHERE tbl_name NOT GLOB '_litestream_*'")
    .all();
  return rows.map(({ name }) => String(name));
}

function pragma(database: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}
