/** What every trial needs: a tally, an end for what it started, and PostgreSQL. */

import type { Cleanup } from '../test/support/database.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import type { Failure, Order } from './part.ts';

export type Tally = ReturnType<typeof makeTally>;

/** More would say no more. */
export const MAX_FAILURES = 20;

/** Counts what was tried, and notes what failed. */
export function makeTally() {
  const figures: Record<string, number> = {};
  const failures: Failure[] = [];

  function count(name: string, by = 1): void {
    figures[name] = (figures[name] ?? 0) + by;
  }

  function fail(seed: number, what: string): void {
    if (failures.length < MAX_FAILURES) failures.push({ seed, what });
  }

  /** Tries what a seed stands for, and counts it under the names that this returns. */
  async function tryOne(seed: number, attempt: () => Promise<readonly string[]>): Promise<void> {
    try {
      for (const name of await attempt()) count(name);
    } catch (error) {
      fail(seed, error instanceof Error ? error.message : String(error));
    }
  }

  return {
    figures,
    failures,
    count,
    fail,
    tryOne,
    /** Tries so many seeds from that of the order on, `width` of them at a time, until its signal says stop. */
    async tryMany(
      { seed, signal }: Pick<Order, 'seed' | 'signal'>,
      amount: number,
      width: number,
      attempt: (seed: number) => Promise<readonly string[]>,
    ): Promise<void> {
      let next = seed;
      const worker = async () => {
        while (next < seed + amount && !signal.aborted) {
          const number = next++;
          await tryOne(number, () => attempt(number));
        }
      };
      await Promise.all(Array.from({ length: width }, worker));
    },
  };
}

/** Runs work that starts servers and makes files, and ends them in the opposite order, however the work ends. */
export async function withCleanup<T>(work: (context: Cleanup) => Promise<T>): Promise<T> {
  const endings: (() => void | Promise<void>)[] = [];
  try {
    return await work({ after: (ending) => void endings.push(ending) });
  } finally {
    for (const ending of endings.reverse()) await ending();
  }
}

/** Sees to it that databases of PostgreSQL can be made, as the setup of the tests does. */
export async function providePostgres(context: Cleanup): Promise<void> {
  if (process.env.TEST_POSTGRES_URL !== undefined) return;
  const server = await startPostgres();
  process.env.TEST_POSTGRES_URL = server.url;
  context.after(async () => {
    delete process.env.TEST_POSTGRES_URL;
    await server.remove();
  });
}
