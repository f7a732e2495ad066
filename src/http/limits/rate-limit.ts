/**
 * Token buckets: each key has a bucket that holds the whole quota and refills evenly. A quota of 600 a minute allows a
 * burst of 600 requests, and after that one every tenth of a second.
 */

import { LRUCache } from 'lru-cache';
import type { Clock } from '../../feed/waiting.ts';

export interface Rate {
  readonly quota: number;
  readonly windowSeconds: number;
}

export type RateLimiter = ReturnType<typeof makeRateLimiter>;

export interface RateLimitState {
  readonly isAllowed: boolean;
  /** How many more requests would be allowed right now. */
  readonly remaining: number;
  /** The time until the bucket is full again. */
  readonly fullInSeconds: number;
  /** The time until the next request would be allowed; 0 when that is now. */
  readonly retryAfterSeconds: number;
}

/** Beyond this many keys, the least recently used one is forgotten, and starts with a full bucket again. */
const MAX_KEYS = 100_000;

interface Bucket {
  /** How much was missing at `atMs`. */
  readonly missing: number;
  readonly atMs: number;
}

export function makeRateLimiter(rate: Rate, clock: Clock) {
  // A bucket counts in units so small that it gains `quota` units a millisecond. All numbers are then integers, so
  // nothing is rounded.
  const perRequest = rate.windowSeconds * 1000;
  const capacity = perRequest * rate.quota;
  const toSeconds = (units: number) => Math.ceil(units / rate.quota / 1000);
  const buckets = new LRUCache<string, Bucket>({ maxSize: MAX_KEYS, sizeCalculation: () => 1 });

  return {
    rate,
    /** Counts a request. */
    take(key: string): RateLimitState {
      const nowMs = clock();
      const before = buckets.get(key) ?? { missing: 0, atMs: nowMs };
      // If the clock was set back, the bucket stays as it was.
      const refilled = Math.max(nowMs - before.atMs, 0) * rate.quota;
      const wanted = Math.max(before.missing - refilled, 0) + perRequest;
      const isAllowed = wanted <= capacity;
      const missing = isAllowed ? wanted : wanted - perRequest;
      buckets.set(key, { missing, atMs: nowMs });
      return {
        isAllowed,
        remaining: Math.floor((capacity - missing) / perRequest),
        fullInSeconds: toSeconds(missing),
        retryAfterSeconds: toSeconds(Math.max(missing + perRequest - capacity, 0)),
      };
    },
  };
}
