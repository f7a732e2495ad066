/** Databases with a schema of another version. */

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { hashToken } from '../../src/feed/access/token.ts';
import { openStore } from '../../src/store/open.ts';
import { type Cleanup, type DatabaseKind, newStoreUrl, postgresProgram, runSql } from './database.ts';

export const OLD_TOKEN = 'sf_of-an-older-version';

/** An account with a group, a shift and a live token. */
const CONTENT = `
  INSERT INTO accounts (slug, name, premium) VALUES ('acme', 'Acme', true);
  INSERT INTO groups (account_id, id, name) VALUES (1, 1, 'Kitchen');
  INSERT INTO shifts (account_id, id, date, start_time, end_time, end_date, group_id, publish_date)
    VALUES (1, 1, '2026-12-01', '09:00', '17:00', '2026-12-01', 1, '2026-01-01');
  INSERT INTO tokens (account_id, hash, created_at) VALUES (1, '${hashToken(OLD_TOKEN)}', 0);`;

/** Runs statements as a program does that writes to the database. */
async function writeTo(context: Cleanup, url: string, statements: string): Promise<void> {
  if (url.startsWith('sqlite:')) runSql(url, statements);
  else await (await postgresProgram(context, url)).query(statements);
}

/** A database of this version, with content. */
export async function filledUrl(context: Cleanup, kind: DatabaseKind): Promise<string> {
  const url = await newStoreUrl(context, kind);
  await (await openStore(url, { missing: 'create' })).close();
  await writeTo(context, url, CONTENT);
  return url;
}

const { readdirSync, readFileSync } = fs;

/** The version that this Shiftfeed makes. */
export function latestSchema(kind: DatabaseKind): number {
  return readdirSync(folderOf(kind)).length;
}

/**
 * Makes this Shiftfeed one of a later version, which has these migrations, too, until the test ends. Other processes and
 * threads stay as they are.
 */
export function addMigrations(context: Cleanup, kind: DatabaseKind, added: readonly string[]): void {
  const { href } = folderOf(kind);
  const path = (i: number) => `later-${i}.sql`;
  context.after(() => {
    Object.assign(fs, { readdirSync, readFileSync });
    syncBuiltinESMExports();
  });
  Object.assign(fs, {
    readdirSync: (folder: URL, ...options: []) =>
      String(folder) === href
        ? [...readdirSync(folder), ...added.map((_, i) => path(i))]
        : readdirSync(folder, ...options),
    readFileSync: (file: URL, ...options: []) =>
      added.find((_, i) => String(file) === href + path(i)) ?? readFileSync(file, ...options),
  });
  syncBuiltinESMExports();
}

/**
 * Does what a newer Shiftfeed may do: adds a column, and records that the versions from `readsFrom` on can read the
 * schema. Each call needs another number.
 */
export async function pretendNewer(
  context: Cleanup,
  url: string,
  kind: DatabaseKind,
  readsFrom: number,
): Promise<void> {
  const version = latestSchema(kind) + 1;
  const recording =
    kind === 'sqlite' ? `PRAGMA user_version = ${version}` : `UPDATE schema_version SET version = ${version}`;
  await writeTo(
    context,
    url,
    `BEGIN; ALTER TABLE accounts ADD COLUMN column_${readsFrom} text;
    UPDATE schema_version SET reads_from = ${readsFrom}; ${recording}; COMMIT`,
  );
}

function folderOf(kind: DatabaseKind): URL {
  return new URL(`../../src/store/${kind}/migrations/`, import.meta.url);
}
