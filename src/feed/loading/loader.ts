/**
 * Loads months in separate threads, so that reading, sorting and encoding a large account never delays a request that
 * is answered from memory. Blocks are transferred, not copied. There are two threads, so that a small load need not
 * wait for a large one. The second takes some 20 MB, so it is started only when loads would wait for the first.
 */

import type { Worker } from 'node:worker_threads';
import { startThread } from '../../install/files.ts';
import { StoreFailure } from '../../store/failure.ts';
import { NO_CONNECTIONS, type PoolCounts } from '../../store/feed-store.ts';
import { parseDatabaseUrl, type ReaderOptions } from '../../store/open.ts';
import { withDeadline } from '../waiting.ts';
import type { LoadedPages, PagesToLoad } from './load-pages.ts';
import type { LoaderReply, LoaderTask, ThreadDatabase } from './loader-thread.ts';

export type Loader = ReturnType<typeof startLoader>;

const THREADS = 2;
/** How many ordinary loads one counts for that is known to take long. */
const WHOLE_MONTHS_WEIGHT = 20;
/**
 * As long as one thread has less to do, no other is started. On SQLite it does one load after the other, in a few
 * milliseconds each. On PostgreSQL it does as many at once as it has connections, and more would wait for these.
 */
const MOST_FOR_ONE_THREAD = { sqlite: 16, postgres: 4 };
/** A load that takes longer is not small: others need not wait for it. */
const MAX_SMALL_MS = 250;
/** A thread that reads or sorts a large month answers later. */
const COUNT_LIMIT_MS = 200;
/** Rows are short-lived: a larger young generation would only delay their collection. */
const YOUNG_GENERATION_MB = 6;

export function startLoader(
  databaseUrl: string,
  options: ReaderOptions = {},
  stopwatchMs: () => number = () => performance.now(),
) {
  const threads = Array.from({ length: THREADS }, () => makeThread({ databaseUrl, options }, stopwatchMs));
  const most = MOST_FOR_ONE_THREAD[parseDatabaseUrl(databaseUrl).kind];
  // One thread is needed soon in any case.
  const first = threads[0]?.start();

  return {
    /** Resolves when loads need not wait for a thread to start. */
    async ready(): Promise<void> {
      await first;
    },
    /** undefined: the account is gone. */
    load(request: PagesToLoad): Promise<LoadedPages | undefined> {
      const soonFree = threads.filter(
        (thread) => thread.isStarted() && thread.busyness() < most && thread.areLoadsSmall(),
      );
      const usable = soonFree.length > 0 ? soonFree : threads;
      const leastBusy = usable.reduce((a, b) => (b.busyness() < a.busyness() ? b : a));
      return leastBusy.load(request);
    },
    /** The connections of all threads. Of a thread that is too busy to answer, those that it told last. */
    async poolCounts(): Promise<PoolCounts> {
      const counts = await Promise.all(threads.map((thread) => thread.poolCounts()));
      return counts.reduce(sumOf);
    },
    async close(): Promise<void> {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

function sumOf(a: PoolCounts, b: PoolCounts): PoolCounts {
  return { used: a.used + b.used, idle: a.idle + b.idle, waiting: a.waiting + b.waiting };
}

interface PendingLoad extends PromiseWithResolvers<LoadedPages | undefined> {
  readonly weight: number;
  readonly sinceMs: number;
}

/** Starts on its first load at the latest, and again after it died, for instance because it ran out of memory. */
function makeThread(database: ThreadDatabase, stopwatchMs: () => number) {
  const pending = new Map<number, PendingLoad>();
  let lastId = 0;
  let running: ReturnType<typeof startWorker> | undefined;
  const pool = followPool();

  function startWorker() {
    const started = Promise.withResolvers<void>();
    const worker = startThread(new URL('./loader-thread.ts', import.meta.url), {
      workerData: database,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    let cause: unknown;
    worker.on('message', (reply: LoaderReply) => {
      if (reply.id !== undefined) return settle(pending, reply.id, reply);
      if (reply.pool !== undefined) return pool.tell(reply.pool);
      // From now on, the thread does not keep the process alive.
      worker.unref();
      started.resolve();
    });
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      running = undefined;
      started.resolve();
      pool.tell(NO_CONNECTIONS);
      for (const load of pending.values())
        load.reject(new Error('The thread that loads shifts ended.', { cause }));
      pending.clear();
    });
    return { worker, started: started.promise };
  }

  function run() {
    running ??= startWorker();
    return running;
  }

  return {
    isStarted: () => running !== undefined,
    /** How much the thread has to do, in ordinary loads. */
    busyness: () => pending.values().reduce((sum, { weight }) => sum + weight, 0),
    /** Whether none of its loads has taken long so far. */
    areLoadsSmall: () => pending.values().every(({ sinceMs }) => stopwatchMs() - sinceMs <= MAX_SMALL_MS),
    /** Resolves when the thread has opened the database, or could not: loads then try again and report the reason. */
    start: () => run().started,
    load(request: PagesToLoad) {
      const { worker } = run();
      const weight = request.wholeMonths.length > 0 ? WHOLE_MONTHS_WEIGHT : 1;
      const load = { ...Promise.withResolvers<LoadedPages | undefined>(), weight, sinceMs: stopwatchMs() };
      pending.set(++lastId, load);
      worker.postMessage({ id: lastId, request } satisfies LoaderTask);
      return load.promise;
    },
    poolCounts: async () => (running === undefined ? NO_CONNECTIONS : pool.askOf(running.worker)),
    close: async () => void (await running?.worker.terminate()),
  };
}

/** Asks a thread for the counts of its pool, and keeps its last answer. */
function followPool() {
  let last = NO_CONNECTIONS;
  let asking: PromiseWithResolvers<void> | undefined;
  return {
    tell(counts: PoolCounts): void {
      last = counts;
      asking?.resolve();
      asking = undefined;
    },
    async askOf(worker: Worker): Promise<PoolCounts> {
      if (asking === undefined) worker.postMessage('count-pool' satisfies LoaderTask);
      asking ??= Promise.withResolvers();
      await withDeadline(asking.promise, COUNT_LIMIT_MS).catch(() => undefined);
      return last;
    },
  };
}

function settle(pending: Map<number, PendingLoad>, id: number, { result, failure }: LoaderReply): void {
  const load = pending.get(id);
  pending.delete(id);
  if (failure === undefined) load?.resolve(result);
  else load?.reject(revive(failure));
}

/** Errors lose their class between threads. */
function revive({ kind, message }: NonNullable<LoaderReply['failure']>): Error {
  return kind === undefined ? new Error(message) : new StoreFailure(kind, message);
}
