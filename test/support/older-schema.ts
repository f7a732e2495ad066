/** Databases with a schema of an earlier version, for tests that bring them up to date. */

import { readdirSync, readFileSync } from 'node:fs';
import { hashToken } from '../../src/feed/access/token.ts';
import { type Cleanup, type DatabaseKind, newDatabaseUrl, postgresClient, runSql } from './database.ts';

export const OLD_TOKEN = 'sf_of-an-older-version';

/** An account with a group, a shift and a live token. */
const CONTENT = `
  INSERT INTO accounts (slug, name, premium) VALUES ('acme', 'Acme', true);
  INSERT INTO groups (account_id, id, name) VALUES (1, 1, 'Kitchen');
  INSERT INTO shifts (account_id, id, date, start_time, end_time, end_date, group_id, publish_date)
    VALUES (1, 1, '2026-12-01', '09:00', '17:00', '2026-12-01', 1, '2026-01-01');
  INSERT INTO tokens (account_id, hash, created_at) VALUES (1, '${hashToken(OLD_TOKEN)}', 0);`;

export async function olderSchema(context: Cleanup, kind: DatabaseKind, version = 1): Promise<string> {
  const url = await newDatabaseUrl(context, kind);
  const statements = `${migrations(kind, version).join(';')}; ${CONTENT}`;
  if (kind === 'sqlite') {
    runSql(
      url,
      `PRAGMA journal_mode = WAL; ${statements} PRAGMA application_id = 0x73686674; PRAGMA user_version = ${version}`,
    );
  } else {
    const client = await postgresClient(context, url);
    await client.query(`CREATE SCHEMA shiftfeed; SET search_path = shiftfeed, pg_catalog, pg_temp; ${statements}
      CREATE TABLE schema_version (version integer NOT NULL); INSERT INTO schema_version VALUES (${version})`);
  }
  return url;
}

/** The version that this Shiftfeed makes. */
export function latestSchema(kind: DatabaseKind): number {
  return migrations(kind).length;
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
  const added = `ADD COLUMN column_${readsFrom} text`;
  if (kind === 'sqlite') {
    runSql(
      url,
      `BEGIN; ALTER TABLE accounts ${added}; UPDATE schema_version SET reads_from = ${readsFrom};
      PRAGMA user_version = ${version}; COMMIT`,
    );
  } else {
    const client = await postgresClient(context, url);
    await client.query(`ALTER TABLE shiftfeed.accounts ${added};
      UPDATE shiftfeed.schema_version SET version = ${version}, reads_from = ${readsFrom}`);
  }
}

function migrations(kind: DatabaseKind, count?: number): string[] {
  const folder = new URL(`../../src/store/${kind}/migrations/`, import.meta.url);
  const files = readdirSync(folder).sort().slice(0, count);
  return files.map((file) => readFileSync(new URL(file, folder), 'utf8'));
}
