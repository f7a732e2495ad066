/**
 * Brings the schema up to date. An advisory lock that ends with the transaction lets only one process at a time check
 * and migrate; the others then find nothing to do.
 */

import type { PoolClient } from 'pg';
import { checkNotNewer, checkUpToDate, migrationsIn } from '../schema-version.ts';
import type { Connection } from './connection.ts';

const FOLDER = new URL('./migrations/', import.meta.url);
/** An arbitrary number that no other program should use for its locks; it spells "shft". */
const LOCK = 0x73686674;

/** `name` is what errors call the database. */
export async function migrate(connection: Connection, name: string): Promise<void> {
  const migrations = migrationsIn(FOLDER);
  await connection.writing(async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    const version = await versionOf(client);
    checkNotNewer(name, version, migrations);
    if (version === migrations.latest) return true;
    // The files make everything in our schema, whatever the search path of this user is.
    await client.query('SET LOCAL search_path = shiftfeed, pg_catalog, pg_temp');
    for (const statements of migrations.after(version)) await client.query(statements);
    await client.query('DELETE FROM shiftfeed.schema_version');
    await client.query('INSERT INTO shiftfeed.schema_version (version) VALUES ($1)', [migrations.latest]);
    return true;
  });
}

/** Refuses a database whose schema cannot be read as it is. Creates nothing. */
export async function checkSchema(connection: Connection, name: string): Promise<void> {
  const version = await connection.reading(async (ask) => {
    const [found] = await ask<{ has_version: boolean }>({
      text: "SELECT to_regclass('shiftfeed.schema_version') IS NOT NULL AS has_version",
    });
    if (!found?.has_version) return 0;
    const [row] = await ask<{ version: number }>({ text: 'SELECT version FROM shiftfeed.schema_version' });
    return row?.version ?? 0;
  });
  checkUpToDate(name, version, migrationsIn(FOLDER));
}

/** The statements that make all of the schema. */
export function allMigrations(): readonly string[] {
  return migrationsIn(FOLDER).after(0);
}

async function versionOf(client: PoolClient): Promise<number> {
  // IF NOT EXISTS would require the right to create even if there is nothing to do: an administrator may have created
  // the schema for us, and a read-only user finds everything in place.
  const { rows } = await client.query(`
    SELECT to_regnamespace('shiftfeed') IS NOT NULL AS has_schema,
      to_regclass('shiftfeed.schema_version') IS NOT NULL AS has_version`);
  const { has_schema, has_version } = rows[0];
  if (!has_schema) await client.query('CREATE SCHEMA shiftfeed');
  if (!has_version) await client.query('CREATE TABLE shiftfeed.schema_version (version integer NOT NULL)');
  const { rows: versions } = await client.query('SELECT version FROM shiftfeed.schema_version');
  return versions[0]?.version ?? 0;
}
