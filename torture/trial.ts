/** What every trial needs: a tally, an end for what it started, PostgreSQL, and a way to try several things at once. */

import type { Cleanup } from '../test/support/database.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import type { Failure, Outcome } from './part.ts';

/** Counts what was tried, and notes what failed. */
export interface Tally extends Outcome {
  count(name: string, by?: number): void;
  fail(seed: number, what: string): void;
  /** Tries what a seed stands for, and counts it under the names that this returns. */
  tryOne(seed: number, attempt: () => Promise<readonly string[]>): Promise<void>;
}

/** More would say no more. */
export const MAX_FAILURES = 20;

export function makeTally(): Tally {
  const figures: Record<string, number> = {};
  const failures: Failure[] = [];

  function count(name: string, by = 1): void {
    figures[name] = (figures[name] ?? 0) + by;
  }

  function fail(seed: number, what: string): void {
    if (failures.length < MAX_FAILURES) failures.push({ seed, what });
  }

  return {
    figures,
    failures,
    count,
    fail,
    async tryOne(seed, attempt) {
      try {
        for (const name of await attempt()) count(name);
      } catch (error) {
        fail(seed, error instanceof Error ? error.message : String(error));
      }
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

/** Tries numbers one after the other, some of them at the same time, until the signal says stop. */
export async function atOnce(
  numbers: Iterable<number>,
  width: number,
  signal: AbortSignal,
  tryOne: (number: number) => Promise<void>,
): Promise<void> {
  const iterator = numbers[Symbol.iterator]();
  const worker = async () => {
    for (let next = iterator.next(); !next.done && !signal.aborted; next = iterator.next()) {
      await tryOne(next.value);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
}

export function* numbersFrom(first: number, count: number): Generator<number> {
  for (let number = first; number < first + count; number++) yield number;
}
