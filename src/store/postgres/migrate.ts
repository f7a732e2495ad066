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

export async function migrate(connection: Connection): Promise<void> {
  const files = readdirSync(FOLDER).sort();
  await connection.writing(async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    const version = await versionOf(client);
    if (version > files.length) {
      throw new StoreFailure(
        'unusable',
        `The database was written by a newer Shiftfeed (schema ${version}, this one knows ${files.length}).`,
      );
    }
    if (version === files.length) return true;
    for (const file of files.slice(version)) await client.query(readFileSync(new URL(file, FOLDER), 'utf8'));
    await client.query('DELETE FROM shiftfeed_schema');
    await client.query('INSERT INTO shiftfeed_schema (version) VALUES ($1)', [files.length]);
    return true;
  });
}

async function versionOf(client: PoolClient): Promise<number> {
  const { rows } = await client.query("SELECT to_regclass('shiftfeed_schema') IS NOT NULL AS is_there");
  if (!rows[0].is_there) await client.query('CREATE TABLE shiftfeed_schema (version integer NOT NULL)');
  const { rows: versions } = await client.query('SELECT version FROM shiftfeed_schema');
  return versions[0]?.version ?? 0;
}
