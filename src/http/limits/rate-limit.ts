/**
 * How often something may happen, by key. Each key has a bucket that holds the whole quota and fills up again evenly:
 * a quota of 600 a minute allows 600 at once, and from then on one every tenth of a second.
 */

import { LRUCache } from 'lru-cache';
import type { Clock } from '../../feed/clock.ts';

export interface Rate {
  readonly quota: number;
  readonly windowSeconds: number;
}

export interface RateLimiter {
  readonly rate: Rate;
  take(key: string): Allowance;
}

export interface Allowance {
  readonly isGranted: boolean;
  /** How many more would be granted right now. */
  readonly remaining: number;
  /** Until the bucket is full again. */
  readonly fullInSeconds: number;
  /** Until the next one would be granted; 0 when that is now. */
  readonly retryAfterSeconds: number;
}

/** Past this number, whoever has asked least recently starts with a full bucket again. */
const MAX_KEYS = 100_000;

/** How much was missing in a bucket, and when. */
interface Level {
  readonly missing: number;
  readonly atMs: number;
}

export function makeRateLimiter(rate: Rate, clock: Clock): RateLimiter {
  // Counted in units of which a bucket gets `quota` a millisecond, and a request takes a whole number: nothing is rounded.
  const perRequest = rate.windowSeconds * 1000;
  const capacity = perRequest * rate.quota;
  const toSeconds = (units: number) => Math.ceil(units / rate.quota / 1000);
  const levels = new LRUCache<string, Level>({ max: MAX_KEYS });

  return {
    rate,
    take(key) {
      const nowMs = clock();
      const before = levels.get(key) ?? { missing: 0, atMs: nowMs };
      // A clock that was set back fills nothing, and takes nothing away.
      const filled = Math.max(nowMs - before.atMs, 0) * rate.quota;
      const wanted = Math.max(before.missing - filled, 0) + perRequest;
      const isGranted = wanted <= capacity;
      const missing = isGranted ? wanted : wanted - perRequest;
      levels.set(key, { missing, atMs: nowMs });
      return {
        isGranted,
        remaining: Math.floor((capacity - missing) / perRequest),
        fullInSeconds: toSeconds(missing),
        retryAfterSeconds: toSeconds(Math.max(missing + perRequest - capacity, 0)),
      };
    },
  };
}
