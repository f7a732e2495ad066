/** Runs as a thread: history after history. */

import { parentPort, workerData } from 'node:worker_threads';
import { tryHistory } from './history.ts';
import type { ThreadNews, ThreadOrder } from './threads.ts';

const { seed, step, endSeed } = workerData as ThreadOrder;
for (let next = seed; next < endSeed; next += step) {
  const { figures, failure } = await tryHistory(next);
  const { events = {}, ...counted } = figures ?? {};
  const counts = { histories: 1, ...counted, ...events };
  parentPort?.postMessage({ counts, failure } satisfies ThreadNews);
}
