/** Spreads histories over threads: each is that of a seed, whichever thread it is in. */

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Failure, Order } from '../part.ts';
import { MAX_FAILURES } from '../trial.ts';

/** What a thread is told: it tries `seed`, `seed + step` and so on, below `endSeed`. */
export interface ThreadOrder {
  readonly seed: number;
  readonly step: number;
  readonly endSeed: number;
}

/** What a thread says of a history: what was counted, and what has failed. */
export interface ThreadNews {
  readonly counts: Readonly<Record<string, number>>;
  readonly failure: Failure | undefined;
}

const SCRIPT = new URL('./thread.ts', import.meta.url);
const REPORT_EVERY_MS = 10_000;

export async function inThreads({ seed, amount, signal, report }: Order) {
  const counts: Record<string, number> = { histories: 0 };
  const failures: Failure[] = [];
  const threads = Math.min(availableParallelism(), amount);
  const tell = () => report(`${counts.histories?.toLocaleString('en')} histories`);
  const reporting = setInterval(tell, REPORT_EVERY_MS);
  const take = (news: ThreadNews) => {
    for (const [name, count] of Object.entries(news.counts)) counts[name] = (counts[name] ?? 0) + count;
    if (news.failure && failures.length < MAX_FAILURES) failures.push(news.failure);
    return failures.length < MAX_FAILURES;
  };
  const orders = Array.from({ length: threads }, (_, i) => ({
    seed: seed + i,
    step: threads,
    endSeed: seed + amount,
  }));
  await Promise.all(orders.map((order) => runThread(order, signal, take))).finally(() =>
    clearInterval(reporting),
  );
  return { counts, failures: failures.sort((a, b) => a.seed - b.seed) };
}

/** Ends when the thread does, when it is interrupted, or when `take` wants no more. */
function runThread(
  workerData: ThreadOrder,
  signal: AbortSignal,
  take: (news: ThreadNews) => boolean,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const worker = new Worker(SCRIPT, { workerData });
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
