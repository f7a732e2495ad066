/**
 * Loads months in a thread of its own, so that reading, sorting and encoding a large account never
 * delays a request that is answered from memory. The blocks are handed over, not copied.
 */

import { Worker } from 'node:worker_threads';
import { StoreFailure } from '../store/failure.ts';
import type { Loaded, LoadRequest } from './load.ts';
import type { LoaderReply, LoaderTask } from './loader-thread.ts';

export interface Loader {
  load(request: LoadRequest): Promise<Loaded | undefined>;
  close(): Promise<void>;
}

export function startLoader(databaseUrl: string): Loader {
  const pending = new Map<number, PromiseWithResolvers<Loaded | undefined>>();
  let lastId = 0;
  let closed = false;
  let thread = startThread();

  function startThread(): Worker {
    const worker = new Worker(new URL('./loader-thread.ts', import.meta.url), { workerData: databaseUrl });
    worker.on('message', settle);
    // A thread that dies, of lack of memory for instance, takes its tasks along; the next one finds a new thread.
    worker.on('error', (cause) => failAll(new Error('The thread that loads shifts has died.', { cause })));
    worker.on('exit', () => {
      failAll(new Error('The thread that loads shifts has ended.'));
      if (!closed) thread = startThread();
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

  function failAll(error: Error): void {
    for (const task of pending.values()) task.reject(error);
    pending.clear();
  }

  return {
    load(request) {
      const task = Promise.withResolvers<Loaded | undefined>();
      pending.set(++lastId, task);
      thread.postMessage({ id: lastId, request } satisfies LoaderTask);
      return task.promise;
    },
    async close() {
      closed = true;
      await thread.terminate();
    },
  };
}

/** Errors lose their class on the way between threads. */
function revive({ kind, message }: NonNullable<LoaderReply['failure']>): Error {
  return kind === undefined ? new Error(message) : new StoreFailure(kind, message);
}
