/**
 * Logs problems without flooding the log. The first of a kind is logged at once; its repetitions are logged once a
 * second, as a count. So a client that makes thousands of requests fail neither fills the disk nor takes much time.
 */

import type { Logger } from 'pino';

export type ProblemLog = ReturnType<typeof makeProblemLog>;

const INTERVAL_MS = 1_000;
/** Beyond this many different messages within a second, the others are counted together. */
const MAX_MESSAGES = 100;
const OTHER_PROBLEMS = 'Other problems.';

export function makeProblemLog(logger: Logger) {
  /** How often each message was repeated since it was last logged. */
  const repeats = new Map<string, { readonly level: 'error' | 'warn'; times: number }>();

  function add(level: 'error' | 'warn', message: string, details: object = {}): void {
    const key = repeats.has(message) || repeats.size < MAX_MESSAGES ? message : OTHER_PROBLEMS;
    const repeated = repeats.get(key);
    if (repeated !== undefined) {
      repeated.times++;
      return;
    }
    if (repeats.size === 0) flushLater();
    repeats.set(key, { level, times: 0 });
    logger[level](details, key);
  }

  /** Logs the outstanding counts. */
  function flush(): void {
    for (const [message, repeated] of repeats) {
      if (repeated.times === 0) repeats.delete(message);
      else logger[repeated.level]({ times: repeated.times }, message);
      repeated.times = 0;
    }
  }

  function flushLater(): void {
    setTimeout(() => {
      flush();
      if (repeats.size > 0) flushLater();
    }, INTERVAL_MS).unref();
  }

  return {
    error: (message: string, details?: object) => add('error', message, details),
    warn: (message: string, details?: object) => add('warn', message, details),
    flush,
  };
}
