/**
 * PostgreSQL, for several machines. A store is a small pool of connections: any number of processes may
 * have one over the same primary, or over a replica for reading.
 */

import type { FeedStore } from '../feed-store.ts';
import type { Store } from '../store.ts';
import { adminStore } from './admin.ts';
import { connect, OF_A_COMMAND, OF_A_SERVER } from './connection.ts';
import { feedStore } from './feed.ts';
import { importStore } from './import.ts';
import { checkSchema, migrate } from './migrate.ts';
import { describePlace } from './place.ts';

export async function openPostgres(url: string, { readOnly }: { readOnly: boolean }): Promise<Store> {
  const connection = connect(url, OF_A_COMMAND);
  try {
    await (readOnly ? checkSchema : migrate)(connection, describePlace(url));
  } catch (error) {
    await connection.close();
    throw error;
  }
  return {
    ...feedStore(connection),
    ...importStore(connection),
    ...adminStore(connection),
    close: connection.close,
  };
}

/** Does not look at the database before it is asked something, so that it may be away at the start. */
export function openPostgresReader(url: string): FeedStore & Pick<Store, 'close'> {
  const connection = connect(url, OF_A_SERVER);
  return { ...feedStore(connection), close: connection.close };
}
