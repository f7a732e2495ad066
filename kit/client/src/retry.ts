/** When to ask again, and how long to wait before. */

import { type ShiftfeedError, ShiftfeedUnavailableError } from './errors.ts';
import { readHttpDate } from './http-date.ts';

/** No answer at all, too many requests, and what servers and the proxies before them say while they restart. */
const RETRIED: readonly (number | undefined)[] = [undefined, 429, 502, 503, 504];

export function isRetried(error: unknown): error is ShiftfeedUnavailableError {
  return (
    error instanceof ShiftfeedUnavailableError && RETRIED.includes((error satisfies ShiftfeedError).status)
  );
}

const LONGEST_BACKOFF_MS = 10_000;

/**
 * How long to wait after a failed attempt (0 is the first). `random`, from 0 to 1, keeps clients that failed together
 * from coming back together.
 */
export function retryWaitMs(
  attempt: number,
  retryAfterSeconds: number | undefined,
  backoffMs: number,
  random: number,
): number {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1_000 + random * backoffMs;
  return random * Math.min(LONGEST_BACKOFF_MS, backoffMs * 2 ** attempt);
}

/** `Retry-After` in seconds, from seconds or an HTTP date. By the server's own clock, if the answer has its time. */
export function readRetryAfter(headers: Headers, nowMs: number): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  const untilMs = readHttpDate(text);
  if (untilMs === undefined) return undefined;
  const sinceMs = readHttpDate(headers.get('date')) ?? nowMs;
  return Math.max(0, (untilMs - sinceMs) / 1_000);
}
