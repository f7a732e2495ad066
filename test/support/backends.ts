/** What the server of a PostgreSQL database is doing, seen by somebody who has nothing to do with it. */

import { type Cleanup, postgresClient } from './database.ts';
import { until } from './until.ts';

interface Backends {
  /** How many of them wait for a lock. */
  waiting(): Promise<number>;
  /** Resolves once so many wait. */
  whenWaiting(count: number): Promise<void>;
}

export async function watchBackends(context: Cleanup, databaseUrl: string): Promise<Backends> {
  // Not within a transaction, in which statistics stand still.
  const observer = await postgresClient(context, databaseUrl);
  async function waiting(): Promise<number> {
    const { rows } = await observer.query(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rows[0].count;
  }
  return {
    waiting,
    whenWaiting: (count) =>
      until(`${count} backends wait for a lock`, async () => (await waiting()) === count),
  };
}
