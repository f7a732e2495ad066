/**
 * Logs what goes wrong without flooding the log: the first of a kind at once, those that follow once a second, as a number.
 * Whoever makes requests fail by the thousands then fills neither a disk nor the time of the process.
 */

import type { Logger } from 'pino';

export interface ProblemLog {
  error(sentence: string, details?: object): void;
  warn(sentence: string, details?: object): void;
  /** Tells what was counted and not yet told. */
  flush(): void;
}

const INTERVAL_MS = 1_000;
/** Problems of further kinds within a second are counted together. */
const MAX_KINDS = 100;
const OTHERS = 'Other problems.';

export function logSparingly(logger: Logger): ProblemLog {
  /** How often each problem came again since it was told last. */
  const repeats = new Map<string, { readonly level: 'error' | 'warn'; times: number }>();

  function add(level: 'error' | 'warn', sentence: string, details: object = {}): void {
    const kind = repeats.has(sentence) || repeats.size < MAX_KINDS ? sentence : OTHERS;
    const known = repeats.get(kind);
    if (known !== undefined) {
      known.times++;
      return;
    }
    if (repeats.size === 0) tellLater();
    repeats.set(kind, { level, times: 0 });
    logger[level](details, kind);
  }

  function flush(): void {
    for (const [sentence, repeated] of repeats) {
      if (repeated.times === 0) repeats.delete(sentence);
      else logger[repeated.level]({ times: repeated.times }, sentence);
      repeated.times = 0;
    }
  }

  function tellLater(): void {
    setTimeout(() => {
      flush();
      if (repeats.size > 0) tellLater();
    }, INTERVAL_MS).unref();
  }

  return {
    error: (sentence, details) => add('error', sentence, details),
    warn: (sentence, details) => add('warn', sentence, details),
    flush,
  };
}
