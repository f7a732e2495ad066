/**
 * PostgreSQL, for several machines. A store is a small pool of connections: any number of processes may have one over
 * the same primary, or over a replica for reading.
 */

import type { FeedStore } from '../feed-store.ts';
import type { LastImportStore } from '../last-import-store.ts';
import type { Store } from '../store.ts';
import type { TokenUseStore } from '../token-use-store.ts';
import { accountStore } from './accounts.ts';
import { COMMAND_CONNECTION, connect, SERVER_CONNECTION } from './connection.ts';
import { databaseName } from './database-name.ts';
import { doctorStore } from './doctor.ts';
import { exportStore } from './export.ts';
import { feedStore } from './feed.ts';
import { importStore } from './import.ts';
import { lastImportStore } from './last-imports.ts';
import { checkSchema, migrate } from './migrate.ts';
import { recordStore } from './records.ts';
import { tokenUseStore } from './token-use.ts';
import { tokenStore } from './tokens.ts';

export async function openPostgres(url: string, { readOnly }: { readOnly: boolean }): Promise<Store> {
  const connection = connect(url, COMMAND_CONNECTION);
  try {
    await (readOnly ? checkSchema : migrate)(connection, databaseName(url));
  } catch (error) {
    await connection.close();
    throw error;
  }
  return {
    ...feedStore(connection),
    ...importStore(connection),
    ...accountStore(connection),
    ...recordStore(connection),
    ...tokenStore(connection),
    ...exportStore(connection),
    ...doctorStore(connection),
    close: connection.close,
  };
}

/** Connects at the first question, so the database may be unavailable at the start. */
export function openPostgresReader(
  url: string,
  { waitMs = SERVER_CONNECTION.questionMs }: { waitMs?: number },
): FeedStore & Pick<Store, 'close'> {
  const waits = { connectMs: waitMs, questionMs: waitMs, lockMs: waitMs };
  const connection = connect(url, { ...SERVER_CONNECTION, ...waits });
  return { ...feedStore(connection), close: connection.close };
}

/** Connects only when there is something to write. */
export function openPostgresTokenUses(url: string): TokenUseStore & Pick<Store, 'close'> {
  const connection = connect(url, SERVER_CONNECTION);
  return { ...tokenUseStore(connection), close: connection.close };
}

/** Connects only when asked. */
export function openPostgresLastImports(url: string): LastImportStore & Pick<Store, 'close'> {
  const connection = connect(url, SERVER_CONNECTION);
  return { ...lastImportStore(connection), close: connection.close };
}
