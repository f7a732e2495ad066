/**
 * Loads months in threads of their own, so that reading, sorting and encoding a large account never delays a request
 * that is answered from memory. Blocks are handed over, not copied. There are two threads, so that a small load need
 * not wait for a large one.
 */

import { Worker } from 'node:worker_threads';
import { StoreFailure } from '../../store/failure.ts';
import type { ReaderOptions } from '../../store/open.ts';
import {
  type LoaderReply,
  type LoaderTask,
  STARTED,
  type TaskKind,
  type Tasks,
  type ThreadDatabase,
} from './loader-protocol.ts';

export interface Loader {
  /** Resolves when loads need not wait for a thread to start. */
  ready(): Promise<void>;
  loadPages: Load<'pages'>;
  loadMonth: Load<'month'>;
  loadWholePage: Load<'wholePage'>;
  close(): Promise<void>;
}

type Load<Kind extends TaskKind> = (request: Tasks[Kind]['request']) => Promise<Tasks[Kind]['result']>;

const THREADS = 2;
/** How busy a task keeps its thread, in loads. */
const WEIGHTS: Readonly<Record<TaskKind, number>> = { pages: 1, month: 1, wholePage: 100 };
/** Rows live shortly: with more room they would only be collected later. */
const YOUNG_GENERATION_MB = 6;

export function startLoader(databaseUrl: string, options: ReaderOptions = {}): Loader {
  const threads = Array.from({ length: THREADS }, () => makeThread({ databaseUrl, options }));
  // One is needed soon in any case.
  const first = threads[0]?.start();

  function load<Kind extends TaskKind>(kind: Kind): Load<Kind> {
    return (request) => {
      const leastBusy = threads.reduce((a, b) => (b.busyness() < a.busyness() ? b : a));
      return leastBusy.run({ kind, request } as Task) as Promise<Tasks[Kind]['result']>;
    };
  }

  return {
    async ready() {
      await first;
    },
    loadPages: load('pages'),
    loadMonth: load('month'),
    loadWholePage: load('wholePage'),
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

type Task = LoaderTask extends infer T ? (T extends LoaderTask ? Omit<T, 'id'> : never) : never;

interface LoaderThread {
  /** Resolves when the thread has opened the database, or could not: loads then try again and report the reason. */
  start(): Promise<void>;
  run(task: Task): Promise<LoaderReply['result']>;
  close(): Promise<void>;
  /** How much it has to do, in loads. */
  busyness(): number;
}

interface PendingTask extends PromiseWithResolvers<LoaderReply['result']> {
  readonly weight: number;
}

/** Started when it is first needed at the latest, and again after it died, of lack of memory for instance. */
function makeThread(database: ThreadDatabase): LoaderThread {
  const pending = new Map<number, PendingTask>();
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
    if (reply.failure === undefined) task?.resolve(reply.result);
    else task?.reject(revive(reply.failure));
  }

  return {
    busyness: () => pending.values().reduce((sum, { weight }) => sum + weight, 0),
    start() {
      running ??= startWorker();
      return running.started;
    },
    run(task) {
      running ??= startWorker();
      const pendingTask = { ...Promise.withResolvers<LoaderReply['result']>(), weight: WEIGHTS[task.kind] };
      pending.set(++lastId, pendingTask);
      running.worker.postMessage({ ...task, id: lastId } satisfies LoaderTask);
      return pendingTask.promise;
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
