/**
 * Loads months in threads of their own, so that reading, sorting and encoding a large account never delays a
 * request that is answered from memory. The blocks are handed over, not copied. There are two threads, so
 * that a small load need not wait for a large one.
 */

import { Worker } from 'node:worker_threads';
import { StoreFailure } from '../store/failure.ts';
import type { Loaded, LoadRequest } from './load.ts';
import type { LoaderReply, LoaderTask } from './loader-thread.ts';

export interface Loader {
  load(request: LoadRequest): Promise<Loaded | undefined>;
  close(): Promise<void>;
}

const THREADS = 2;
/** Rows live shortly: with more room they would only be cleared away later. */
const YOUNG_GENERATION_MB = 6;

export function startLoader(databaseUrl: string): Loader {
  const threads = Array.from({ length: THREADS }, () => makeThread(databaseUrl));
  // One is needed soon in any case.
  threads[0]?.start();
  return {
    load(request) {
      const leastBusy = threads.reduce((a, b) => (b.pending.size < a.pending.size ? b : a));
      return leastBusy.load(request);
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

interface LoaderThread extends Loader {
  start(): void;
  readonly pending: ReadonlyMap<number, PromiseWithResolvers<Loaded | undefined>>;
}

/** Started when it is first needed at the latest, and again after it died, of lack of memory for instance. */
function makeThread(databaseUrl: string): LoaderThread {
  const pending = new Map<number, PromiseWithResolvers<Loaded | undefined>>();
  let lastId = 0;
  let running: Worker | undefined;

  function startWorker(): Worker {
    const worker = new Worker(new URL('./loader-thread.ts', import.meta.url), {
      workerData: databaseUrl,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    let cause: unknown;
    worker.on('message', settle);
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      running = undefined;
      for (const task of pending.values())
        task.reject(new Error('The thread that loads shifts ended.', { cause }));
      pending.clear();
    });
    worker.unref();
    return worker;
  }

  function settle(reply: LoaderReply): void {
    const task = pending.get(reply.id);
    pending.delete(reply.id);
    if (reply.failure === undefined) task?.resolve(reply.loaded);
    else task?.reject(revive(reply.failure));
  }

  return {
    pending,
    start() {
      running ??= startWorker();
    },
    load(request) {
      running ??= startWorker();
      const task = Promise.withResolvers<Loaded | undefined>();
      pending.set(++lastId, task);
      running.postMessage({ id: lastId, request } satisfies LoaderTask);
      return task.promise;
    },
    async close() {
      await running?.terminate();
    },
  };
}

/** Errors lose their class on the way between threads. */
function revive({ kind, message }: NonNullable<LoaderReply['failure']>): Error {
  return kind === undefined ? new Error(message) : new StoreFailure(kind, message);
}
