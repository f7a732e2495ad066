/**
 * The version of a database's schema. Each implementation has numbered files in a folder `migrations`; a database
 * stores how many of them it has run.
 *
 * Servers of the version before go on reading while an upgrade is under way. So a migration only adds. What the new
 * version no longer needs is removed by a migration of a later one, which then sets `reads_from` in the table
 * `schema_version` to the schema of the oldest version that can still read. From the first release on, a test asks the
 * queries of the last one. Before it there is one migration, which is edited.
 */

import { ownFile, ownFilesIn } from '../install/files.ts';
import { StoreFailure } from './failure.ts';

/** Marks a database as ours; spells "sfed". */
export const APPLICATION_ID = 0x73666564;

export interface SchemaVersion {
  readonly version: number;
  /** The oldest version whose servers can read this schema. */
  readonly readsFrom: number;
}

/** Is told what happens to the schema when a database is opened. */
export interface MigrationListener {
  /** Why the schema cannot be changed yet, as a sentence. Told once. */
  readonly onWaiting?: ((sentence: string) => void) | undefined;
  /** Not called if there was nothing to do. A new database is at version 0. */
  readonly onMigrated?: ((change: SchemaChange) => void) | undefined;
}

export interface SchemaChange {
  readonly from: number;
  readonly to: number;
}

export function migrationsIn(folder: URL) {
  const files = ownFilesIn(folder);
  return {
    latest: files.length,
    /** The statements that a database of this version lacks. */
    after: (version: number) => files.slice(version).map((file) => ownFile(new URL(file, folder)).toString()),
  };
}

/** For databases of versions that were never released. No migration leads from there to here. */
export function unreleased(database: string): StoreFailure {
  return new StoreFailure(
    'unusable',
    `The database ${database} was made by a Shiftfeed from before the first release, and this one cannot read it: ` +
      'export its accounts with the version that made it, and import them into a new database with this one.',
  );
}

/**
 * Refuses a database whose schema cannot be used: one of a newer Shiftfeed, unless it is only read and can still be read;
 * and an older one, unless it is brought up to date.
 */
export function checkVersion(
  database: string,
  { version, readsFrom }: SchemaVersion,
  latest: number,
  use: 'migrate' | 'write' | 'read',
): void {
  const isReadable = readsFrom <= latest;
  if (version > latest && (use !== 'read' || !isReadable)) {
    const sentence = `The database ${database} was written by a newer Shiftfeed (schema ${version}, this one knows ${latest})`;
    throw isReadable
      ? new StoreFailure('newer', `${sentence}: use that version here, too.`)
      : new StoreFailure(
          'too-new',
          `${sentence}: use that version, or restore the backup from before the upgrade.`,
        );
  }
  if (version >= latest || use === 'migrate') return;
  throw new StoreFailure(
    'unusable',
    version === 0
      ? `The database ${database} has no Shiftfeed tables yet: "import" and "serve" make them.`
      : `The database ${database} was written by an older Shiftfeed (schema ${version}, this one needs ${latest}): ` +
          '"shiftfeed migrate" brings it up to date.',
  );
}
