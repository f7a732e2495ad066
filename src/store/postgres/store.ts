/**
 * PostgreSQL, for several machines. A store is a small pool of connections: any number of processes may have one over
 * the same primary, or over a replica for reading.
 */

import type { Database } from '../database.ts';
import type { FeedReader } from '../feed-store.ts';
import type { MigrationListener } from '../schema-version.ts';
import { type ServerStore, serverStore } from '../server-store.ts';
import { adminStore, type Store } from '../store.ts';
import {
  COMMAND_CONNECTION,
  type Connection,
  connect,
  DESK_CONNECTION,
  SERVER_CONNECTION,
} from './connection.ts';
import { databaseOn, patientDatabaseOn } from './database.ts';
import { databaseName } from './database-url.ts';
import { feedStore } from './feed.ts';
import { importStore } from './import.ts';
import { checkSchema, migrate } from './migrate.ts';
import { latestSchema, POSTGRES_CHECKS } from './schema.ts';

/**
 * How many seconds a standby is behind, NULL for a primary. A standby that has applied all it received may still be cut
 * off from its primary, so the process that receives has to run. It then is up to date, even if the last commit was
 * long ago. Otherwise it is as old as the last commit that it has; after a restart, PostgreSQL knows only when the
 * checkpoint was made from which it went on.
 */
const LAG = `
  SELECT CASE
    WHEN NOT pg_is_in_recovery() THEN NULL
    WHEN pg_last_wal_receive_lsn() <= pg_last_wal_replay_lsn() AND EXISTS (SELECT FROM pg_stat_wal_receiver) THEN 0
    ELSE greatest(0, extract(epoch FROM clock_timestamp() - coalesce(
      pg_last_xact_replay_timestamp(), (SELECT checkpoint_time FROM pg_control_checkpoint()))))
  END::float8 AS seconds`;

export async function openPostgres(
  url: string,
  { readOnly, isForDesk, ...listener }: { readOnly: boolean; isForDesk: boolean } & MigrationListener,
): Promise<Store> {
  const command = connect(url, COMMAND_CONNECTION);
  try {
    await (readOnly ? checkSchema : migrate)(databaseOn(command), databaseName(url), listener);
  } catch (error) {
    await command.close();
    throw error;
  }
  if (!isForDesk) return storeOn(command, databaseOn(command));
  await command.close();
  const connection = connect(url, DESK_CONNECTION);
  return storeOn(connection, patientDatabaseOn(connection));
}

function storeOn(connection: Connection, database: Database): Store {
  return {
    ...importStore(connection),
    ...adminStore(database, POSTGRES_CHECKS),
    poolCounts: connection.counts,
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
  return { ...feedStore(connection), poolCounts: connection.counts, close: connection.close };
}

/** Connects only when there is something to do. */
export function openPostgresServerStore(url: string): ServerStore {
  const connection = connect(url, SERVER_CONNECTION);
  const database = databaseOn(connection);
  return serverStore((_mode, work) => work(database), {
    poolCounts: connection.counts,
    close: connection.close,
    neededSchema: latestSchema(),
    schemaQuery: 'SELECT version FROM shiftfeed.schema_version',
    lagQuery: LAG,
  });
}
