/**
 * The version of a database's schema. Each implementation has numbered files in a folder `migrations`; a database
 * stores how many of them it has run.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { StoreFailure } from './failure.ts';

type Migrations = ReturnType<typeof migrationsIn>;

export function migrationsIn(folder: URL) {
  const files = readdirSync(folder).sort();
  return {
    latest: files.length,
    /** The statements that a database of this version lacks. */
    after: (version: number) =>
      files.slice(version).map((file) => readFileSync(new URL(file, folder), 'utf8')),
  };
}

/** Refuses a database that was written by a newer Shiftfeed. */
export function checkNotNewer(database: string, version: number, { latest }: Migrations): void {
  if (version <= latest) return;
  throw new StoreFailure(
    'unusable',
    `The database ${database} was written by a newer Shiftfeed (schema ${version}, this one knows ${latest}).`,
  );
}

/** Refuses a database whose schema cannot be read as it is. */
export function checkUpToDate(database: string, version: number, migrations: Migrations): void {
  checkNotNewer(database, version, migrations);
  if (version === migrations.latest) return;
  throw new StoreFailure(
    'unusable',
    version === 0
      ? `The database ${database} has no Shiftfeed tables yet: "import" and "serve" make them.`
      : `The database ${database} was written by an older Shiftfeed (schema ${version}, this one needs ${migrations.latest}): ` +
          '"import" and "serve" bring it up to date.',
  );
}
