/**
 * Loads months in threads of their own, so that reading, sorting and encoding a large account never delays a
 * request that is answered from memory. The blocks are handed over, not copied. There are two threads, so
 * that a small load need not wait for a large one.
 */

import { Worker } from 'node:worker_threads';
import { StoreFailure } from '../store/failure.ts';
import type { Loaded, LoadRequest } from './load.ts';
import type { LoadedPage, PageRequest } from './load-page.ts';
import { type LoaderReply, type LoaderTask, STARTED } from './loader-protocol.ts';

export interface Loader {
  /** Resolves when loads need not wait for a thread to start. */
  ready(): Promise<void>;
  load(request: LoadRequest): Promise<Loaded | undefined>;
  loadPage(request: PageRequest): Promise<LoadedPage | undefined>;
  close(): Promise<void>;
}

const THREADS = 2;
/** A page that is made as a whole takes as long as very many loads. */
const PAGE_IN_LOADS = 100;
/** Rows live shortly: with more room they would only be cleared away later. */
const YOUNG_GENERATION_MB = 6;

export function startLoader(databaseUrl: string): Loader {
  const threads = Array.from({ length: THREADS }, () => makeThread(databaseUrl));
  // One is needed soon in any case.
  const first = threads[0]?.start();

  function run(request: LoaderTask['request']): Promise<LoaderReply['loaded']> {
    const leastBusy = threads.reduce((a, b) => (b.busyness() < a.busyness() ? b : a));
    return leastBusy.run(request);
  }

  return {
    async ready() {
      await first;
    },
    load: (request) => run(request) as Promise<Loaded | undefined>,
    loadPage: (page) => run({ page }) as Promise<LoadedPage | undefined>,
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

interface LoaderThread {
  /** Resolves when the thread has opened the database, or could not: loads then try again and tell why. */
  start(): Promise<void>;
  run(request: LoaderTask['request']): Promise<LoaderReply['loaded']>;
  close(): Promise<void>;
  /** How much it has to do, in loads. */
  busyness(): number;
}

/** Started when it is first needed at the latest, and again after it died, of lack of memory for instance. */
function makeThread(databaseUrl: string): LoaderThread {
  const pending = new Map<number, PromiseWithResolvers<LoaderReply['loaded']>>();
  let lastId = STARTED;
  let running: RunningThread | undefined;
  /** How many of those that are pending are pages made as a whole. */
  let pages = 0;

  function startWorker(): RunningThread {
    const started = Promise.withResolvers<void>();
    const worker = new Worker(new URL('./loader-thread.ts', import.meta.url), {
      workerData: databaseUrl,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    let cause: unknown;
    worker.on('message', (reply: LoaderReply) => {
      if (reply.id !== STARTED) return settle(reply);
      // From now on it does not keep the process alive.
      worker.unref();
      started.resolve();
    });
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      running = undefined;
      started.resolve();
      for (const task of pending.values())
        task.reject(new Error('The thread that loads shifts ended.', { cause }));
      pending.clear();
    });
    return { worker, started: started.promise };
  }

  function settle(reply: LoaderReply): void {
    const task = pending.get(reply.id);
    pending.delete(reply.id);
    if (reply.failure === undefined) task?.resolve(reply.loaded);
    else task?.reject(revive(reply.failure));
  }

  return {
    busyness: () => pending.size + PAGE_IN_LOADS * pages,
    start() {
      running ??= startWorker();
      return running.started;
    },
    run(request) {
      running ??= startWorker();
      const task = Promise.withResolvers<LoaderReply['loaded']>();
      if ('page' in request) {
        pages++;
        task.promise.finally(() => pages--).catch(() => undefined);
      }
      pending.set(++lastId, task);
      running.worker.postMessage({ id: lastId, request } satisfies LoaderTask);
      return task.promise;
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

/** Errors lose their class on the way between threads. */
function revive({ kind, message }: NonNullable<LoaderReply['failure']>): Error {
  return kind === undefined ? new Error(message) : new StoreFailure(kind, message);
}
