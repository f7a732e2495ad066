/**
 * Loads months in separate threads, so that reading, sorting and encoding a large account never delays a request that
 * is answered from memory. Blocks are transferred, not copied. There are two threads, so that a small load need not
 * wait for a large one. The second takes some 20 MB, so it is started only when loads would wait for the first.
 */

import { Worker } from 'node:worker_threads';
import { StoreFailure } from '../../store/failure.ts';
import { parseDatabaseUrl, type ReaderOptions } from '../../store/open.ts';
import type { LoadedPages, PagesToLoad } from './load-pages.ts';
import { type LoaderReply, type LoaderTask, STARTED, type ThreadDatabase } from './loader-protocol.ts';

export interface Loader {
  /** Resolves when loads need not wait for a thread to start. */
  ready(): Promise<void>;
  /** undefined: the account is gone. */
  load(request: PagesToLoad): Promise<LoadedPages | undefined>;
  close(): Promise<void>;
}

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
/** Rows are short-lived: a larger young generation would only delay their collection. */
const YOUNG_GENERATION_MB = 6;

export function startLoader(
  databaseUrl: string,
  options: ReaderOptions = {},
  stopwatchMs: () => number = () => performance.now(),
): Loader {
  const threads = Array.from({ length: THREADS }, () => makeThread({ databaseUrl, options }, stopwatchMs));
  const most = MOST_FOR_ONE_THREAD[parseDatabaseUrl(databaseUrl).kind];
  // One thread is needed soon in any case.
  const first = threads[0]?.start();

  return {
    async ready() {
      await first;
    },
    load(request) {
      const soonFree = threads.filter(
        (thread) => thread.isStarted() && thread.busyness() < most && thread.areLoadsSmall(),
      );
      const usable = soonFree.length > 0 ? soonFree : threads;
      const leastBusy = usable.reduce((a, b) => (b.busyness() < a.busyness() ? b : a));
      return leastBusy.load(request);
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

interface LoaderThread {
  /** Resolves when the thread has opened the database, or could not: loads then try again and report the reason. */
  start(): Promise<void>;
  load(request: PagesToLoad): Promise<LoadedPages | undefined>;
  close(): Promise<void>;
  isStarted(): boolean;
  /** How much the thread has to do, in ordinary loads. */
  busyness(): number;
  /** Whether none of its loads has taken long so far. */
  areLoadsSmall(): boolean;
}

interface PendingLoad extends PromiseWithResolvers<LoadedPages | undefined> {
  readonly weight: number;
  readonly sinceMs: number;
}

function pendingLoad({ wholeMonths }: PagesToLoad, sinceMs: number): PendingLoad {
  const weight = wholeMonths.length > 0 ? WHOLE_MONTHS_WEIGHT : 1;
  return { ...Promise.withResolvers<LoadedPages | undefined>(), weight, sinceMs };
}

function weightOf(loads: readonly PendingLoad[]): number {
  return loads.reduce((sum, { weight }) => sum + weight, 0);
}

function areSmall(loads: readonly PendingLoad[], nowMs: number): boolean {
  return loads.every(({ sinceMs }) => nowMs - sinceMs <= MAX_SMALL_MS);
}

/** Starts on its first load at the latest, and again after it died, for instance because it ran out of memory. */
function makeThread(database: ThreadDatabase, stopwatchMs: () => number): LoaderThread {
  const pending = new Map<number, PendingLoad>();
  let lastId = STARTED;
  let running: RunningThread | undefined;

  function startWorker(): RunningThread {
    const started = Promise.withResolvers<void>();
    const worker = new Worker(new URL('./loader-thread.ts', import.meta.url), {
      workerData: database,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    let cause: unknown;
    worker.on('message', (reply: LoaderReply) => {
      if (reply.id !== STARTED) return settle(pending, reply);
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
      for (const load of pending.values())
        load.reject(new Error('The thread that loads shifts ended.', { cause }));
      pending.clear();
    });
    return { worker, started: started.promise };
  }

  function run(): RunningThread {
    running ??= startWorker();
    return running;
  }

  return {
    isStarted: () => running !== undefined,
    busyness: () => weightOf([...pending.values()]),
    areLoadsSmall: () => areSmall([...pending.values()], stopwatchMs()),
    start: () => run().started,
    load(request) {
      const { worker } = run();
      const load = pendingLoad(request, stopwatchMs());
      pending.set(++lastId, load);
      worker.postMessage({ id: lastId, request } satisfies LoaderTask);
      return load.promise;
    },
    async close() {
      await running?.worker.terminate();
    },
  };
}

interface RunningThread {
  readonly worker: Worker;
  readonly started: Promise<void>;
}

function settle(pending: Map<number, PendingLoad>, { id, result, failure }: LoaderReply): void {
  const load = pending.get(id);
  pending.delete(id);
  if (failure === undefined) load?.resolve(result);
  else load?.reject(revive(failure));
}

/** Errors lose their class between threads. */
function revive({ kind, message }: NonNullable<LoaderReply['failure']>): Error {
  return kind === undefined ? new Error(message) : new StoreFailure(kind, message);
}
