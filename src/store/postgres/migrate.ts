/**
 * Brings the schema up to date with the numbered files beside this one. An advisory lock that ends with the
 * transaction lets one process at a time look and migrate; the others then find nothing to do.
 */

import { readdirSync, readFileSync } from 'node:fs';
import type { PoolClient } from 'pg';
import { StoreFailure } from '../failure.ts';
import type { Connection } from './connection.ts';

const FOLDER = new URL('./migrations/', import.meta.url);
/** Any number will do that no other program uses for its locks; this one spells "shft". */
const LOCK = 0x73686674;

export async function migrate(connection: Connection, place: string): Promise<void> {
  const files = migrationFiles();
  await connection.writing(async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    const version = await versionOf(client);
    if (version > files.length) throw newer(place, version);
    if (version === files.length) return true;
    // What the files make is made in our schema, whatever the path of this user is.
    await client.query('SET LOCAL search_path = shiftfeed, pg_catalog, pg_temp');
    for (const file of files.slice(version)) await client.query(readFileSync(new URL(file, FOLDER), 'utf8'));
    await client.query('DELETE FROM shiftfeed.schema_version');
    await client.query('INSERT INTO shiftfeed.schema_version (version) VALUES ($1)', [files.length]);
    return true;
  });
}

/** Refuses a database that cannot be read as it is, and makes nothing. */
export async function checkSchema(connection: Connection, place: string): Promise<void> {
  const latest = migrationFiles().length;
  const version = await connection.reading(async (ask) => {
    const [found] = await ask<{ has_version: boolean }>({
      text: "SELECT to_regclass('shiftfeed.schema_version') IS NOT NULL AS has_version",
    });
    if (!found?.has_version) return 0;
    const [row] = await ask<{ version: number }>({ text: 'SELECT version FROM shiftfeed.schema_version' });
    return row?.version ?? 0;
  });
  if (version === 0)
    throw unusable(`The database ${place} has no Shiftfeed tables yet: "import" and "serve" make them.`);
  if (version > latest) throw newer(place, version);
  if (version < latest) {
    throw unusable(
      `The database ${place} was written by an older Shiftfeed (schema ${version}, this one needs ${latest}): ` +
        '"import" and "serve" bring it up to date.',
    );
  }
}

function newer(place: string, version: number): StoreFailure {
  return unusable(
    `The database ${place} was written by a newer Shiftfeed (schema ${version}, this one knows ${migrationFiles().length}).`,
  );
}

function unusable(message: string): StoreFailure {
  return new StoreFailure('unusable', message);
}

function migrationFiles(): string[] {
  return readdirSync(FOLDER).sort();
}

async function versionOf(client: PoolClient): Promise<number> {
  // Not by IF NOT EXISTS, which asks for the right to create even where there is nothing to do: an administrator may have made
  // the schema for us, and a user who only reads finds everything made.
  const { rows } = await client.query(`
    SELECT to_regnamespace('shiftfeed') IS NOT NULL AS has_schema,
      to_regclass('shiftfeed.schema_version') IS NOT NULL AS has_version`);
  const { has_schema, has_version } = rows[0];
  if (!has_schema) await client.query('CREATE SCHEMA shiftfeed');
  if (!has_version) await client.query('CREATE TABLE shiftfeed.schema_version (version integer NOT NULL)');
  const { rows: versions } = await client.query('SELECT version FROM shiftfeed.schema_version');
  return versions[0]?.version ?? 0;
}
