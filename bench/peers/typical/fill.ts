/** Makes the typical service's database out of one of Shiftfeed. */

import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { copyFrom, INDEXES, TABLES } from './schema.ts';

export function fillTypicalSqlite(path: string, shiftfeedPath: string): void {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  database.exec(TABLES);
  database.prepare('ATTACH ? AS shiftfeed').run(shiftfeedPath);
  database.exec(`BEGIN; ${copyFrom('shiftfeed')} COMMIT; DETACH shiftfeed; ${INDEXES} ANALYZE`);
  database.close();
}

/** In a schema beside the tables of Shiftfeed. Returns the URL that leads to it. */
export async function fillTypicalPostgres(shiftfeedUrl: string): Promise<string> {
  const url = `${shiftfeedUrl}?options=${encodeURIComponent('-c search_path=typical')}`;
  const client = new Client(url);
  await client.connect();
  await client.query('CREATE SCHEMA typical');
  await client.query(`${TABLES} ${copyFrom('shiftfeed')} ${INDEXES}`);
  await client.query('VACUUM ANALYZE');
  await client.end();
  return url;
}
