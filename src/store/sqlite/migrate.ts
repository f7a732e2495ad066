/**
 * Brings the schema up to date with the numbered files beside this one. `user_version` says how many
 * of them a database has. The write lock is taken before looking, so processes that start at the same
 * moment migrate one after the other and the second finds nothing to do.
 */

import { readdirSync, readFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { StoreFailure } from '../failure.ts';
import { BUSY_TIMEOUT_MS, isBusy, reading, writing } from './connection.ts';

const FOLDER = new URL('./migrations/', import.meta.url);
/** Says in the head of a file whose it is; spells "shft". */
const APPLICATION_ID = 0x73686674;
const RETRY_MS = 10;

export async function migrate(database: DatabaseSync, path: string): Promise<void> {
  const files = migrationFiles();
  // Looked at before anything is written: a file of another program stays as it is.
  const isUpToDate = reading(database, () => versionOf(database, path)) === files.length;
  await keepLog(database);
  if (isUpToDate) return;
  await writing(database, async () => {
    for (const file of files.slice(versionOf(database, path)))
      database.exec(readFileSync(new URL(file, FOLDER), 'utf8'));
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${files.length}`);
    return true;
  });
}

/**
 * Turns on the write-ahead log, which lets readers go on while somebody writes. SQLite does not wait for another process that
 * does the same at this moment, whatever the timeout of the connection is.
 */
async function keepLog(database: DatabaseSync): Promise<void> {
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

/** Refuses a database that cannot be read as it is. */
export function checkSchema(database: DatabaseSync, path: string): void {
  const version = reading(database, () => versionOf(database, path));
  const latest = migrationFiles().length;
  if (version === 0)
    throw unusable(`The database ${path} has no Shiftfeed tables yet: "import" and "serve" make them.`);
  if (version < latest) {
    throw unusable(
      `The database ${path} was written by an older Shiftfeed (schema ${version}, this one needs ${latest}): ` +
        '"import" and "serve" bring it up to date.',
    );
  }
}

/** Looks several times, so its caller has a transaction: another process may be migrating. */
function versionOf(database: DatabaseSync, path: string): number {
  const latest = migrationFiles().length;
  const isOurs = pragma(database, 'application_id') === APPLICATION_ID;
  if (!isOurs && database.prepare('SELECT 1 FROM sqlite_schema').get() !== undefined)
    throw unusable(`The database ${path} has tables of another program: give Shiftfeed a file of its own.`);
  const version = isOurs ? pragma(database, 'user_version') : 0;
  if (version > latest) {
    throw unusable(
      `The database ${path} was written by a newer Shiftfeed (schema ${version}, this one knows ${latest}).`,
    );
  }
  return version;
}

function pragma(database: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}

function migrationFiles(): string[] {
  return readdirSync(FOLDER).sort();
}

function unusable(message: string): StoreFailure {
  return new StoreFailure('unusable', message);
}
