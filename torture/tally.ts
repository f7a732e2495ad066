/** Counts what was tried, and notes what failed. */

import type { Failure, Outcome } from './part.ts';

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
