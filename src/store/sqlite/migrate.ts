/**
 * Brings the schema up to date with the numbered files beside this one. `user_version` says how many
 * of them a database has. The write lock is taken before looking, so processes that start at the same
 * moment migrate one after the other and the second finds nothing to do.
 */

import { readdirSync, readFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { StoreFailure } from '../failure.ts';
import { writing } from './connection.ts';

const FOLDER = new URL('./migrations/', import.meta.url);

export async function migrate(database: DatabaseSync, path: string): Promise<void> {
  const files = readdirSync(FOLDER).sort();
  if (versionOf(database) === files.length) return;
  await writing(database, async () => {
    const version = versionOf(database);
    if (version > files.length) {
      throw new StoreFailure(
        'unusable',
        `The database ${path} was written by a newer Shiftfeed (schema ${version}, this one knows ${files.length}).`,
      );
    }
    for (const file of files.slice(version)) database.exec(readFileSync(new URL(file, FOLDER), 'utf8'));
    database.exec(`PRAGMA user_version = ${files.length}`);
    return true;
  });
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version);
}
