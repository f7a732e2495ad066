/**
 * PostgreSQL, for several machines. A store is a small pool of connections: any number of processes may have one over
 * the same primary, or over a replica for reading.
 */

import type { FeedReader } from '../feed-store.ts';
import type { MigrationListener } from '../schema-version.ts';
import { type ServerStore, serverStore } from '../server-store.ts';
import { adminStore, type Store } from '../store.ts';
import { COMMAND_CONNECTION, connect, SERVER_CONNECTION } from './connection.ts';
import { databaseOn } from './database.ts';
import { databaseName } from './database-name.ts';
import { feedStore } from './feed.ts';
import { importStore } from './import.ts';
import { checkSchema, migrate } from './migrate.ts';
import { POSTGRES_CHECKS } from './schema.ts';

export async function openPostgres(
  url: string,
  { readOnly, ...listener }: { readOnly: boolean } & MigrationListener,
): Promise<Store> {
  const connection = connect(url, COMMAND_CONNECTION);
  const database = databaseOn(connection);
  try {
    await (readOnly ? checkSchema : migrate)(database, databaseName(url), listener);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return {
    ...importStore(connection),
    ...adminStore(database, POSTGRES_CHECKS),
    close: connection.close,
  };
}

/** Connects at the first question, so the database may be unavailable at the start. */
export function openPostgresReader(
  url: string,
  { waitMs = SERVER_CONNECTION.questionMs }: { waitMs?: number },
): FeedReader {
  const waits = { connectMs: waitMs, questionMs: waitMs, lockMs: waitMs };
  const connection = connect(url, { ...SERVER_CONNECTION, ...waits });
  return { ...feedStore(connection), close: connection.close };
}

/** Connects only when there is something to do. */
export function openPostgresServerStore(url: string): ServerStore {
  const connection = connect(url, SERVER_CONNECTION);
  const database = databaseOn(connection);
  return serverStore((_mode, work) => work(database), connection.close);
}
