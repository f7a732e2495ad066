/** Spreads the items of a trial over threads: each item is that of a seed, whichever thread it is in. */

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Failure, Order } from './part.ts';
import { MAX_FAILURES } from './trial.ts';

/** What a thread is told: it tries `seed`, `seed + step` and so on, below `endSeed`. */
export interface ThreadOrder {
  readonly seed: number;
  readonly step: number;
  readonly endSeed: number;
}

/** What a thread says once in a while, or all of them in the end: what was counted, and what has failed. */
export interface ThreadNews {
  readonly counts: Readonly<Record<string, number>>;
  readonly failures: readonly Failure[];
}

const REPORT_EVERY_MS = 10_000;

export async function inThreads(
  script: URL,
  { seed, amount, signal, report }: Order,
  progressOf: (counts: Readonly<Record<string, number>>) => string,
): Promise<ThreadNews> {
  const counts: Record<string, number> = {};
  const failures: Failure[] = [];
  const threads = Math.min(availableParallelism(), amount);
  const reporting = setInterval(() => report(progressOf(counts)), REPORT_EVERY_MS);
  await Promise.all(
    Array.from({ length: threads }, (_, i) => {
      const order: ThreadOrder = { seed: seed + i, step: threads, endSeed: seed + amount };
      return runThread(script, order, signal, (news) => {
        for (const [name, count] of Object.entries(news.counts)) counts[name] = (counts[name] ?? 0) + count;
        failures.push(...news.failures.slice(0, MAX_FAILURES - failures.length));
        return failures.length < MAX_FAILURES;
      });
    }),
  ).finally(() => clearInterval(reporting));
  return { counts, failures: failures.sort((a, b) => a.seed - b.seed) };
}

/** Ends when the thread does, when it is interrupted, or when `take` wants no more. */
function runThread(
  script: URL,
  workerData: ThreadOrder,
  signal: AbortSignal,
  take: (news: ThreadNews) => boolean,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const worker = new Worker(script, { workerData });
  const stop = () => worker.terminate();
  signal.addEventListener('abort', stop, { once: true });
  worker.on('message', (news: ThreadNews) => {
    if (!take(news)) stop();
  });
  worker.on('error', reject);
  worker.on('exit', () => {
    signal.removeEventListener('abort', stop);
    resolve();
  });
  return promise;
}
