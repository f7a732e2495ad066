/** Databases as the first version of the schema was, for tests that bring them up to date. */

import { readFileSync } from 'node:fs';
import { type Cleanup, type DatabaseKind, newDatabaseUrl, postgresClient, runSql } from './database.ts';

/** An account with a group, and a live token. Ids and revisions are always the same. */
const CONTENT = `
  INSERT INTO accounts (slug, name, premium) VALUES ('acme', 'Acme', true);
  INSERT INTO groups (account_id, id, name) VALUES (1, 1, 'Kitchen');`;

export async function firstSchema(context: Cleanup, kind: DatabaseKind): Promise<string> {
  const url = await newDatabaseUrl(context, kind);
  const statements = `${firstMigration(kind)}; ${CONTENT}`;
  if (kind === 'sqlite') {
    runSql(
      url,
      `PRAGMA journal_mode = WAL; ${statements}; PRAGMA application_id = 0x73686674; PRAGMA user_version = 1`,
    );
  } else {
    const client = await postgresClient(context, url);
    await client.query(`CREATE SCHEMA shiftfeed; SET search_path = shiftfeed, pg_catalog, pg_temp; ${statements};
      CREATE TABLE schema_version (version integer NOT NULL); INSERT INTO schema_version VALUES (1)`);
  }
  return url;
}

function firstMigration(kind: DatabaseKind): string {
  return readFileSync(new URL(`../../src/store/${kind}/migrations/001-initial.sql`, import.meta.url), 'utf8');
}
