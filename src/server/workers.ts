/**
 * Several server processes on one port, each with its own memory. This process, the primary, accepts connections and
 * dispatches them to the workers. It replaces workers that end, and passes on the signal to stop.
 */

import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Address, possibleConnections, urlOf } from './address.ts';
import { MAX_QUEUED, makeDispatcher } from './dispatcher.ts';
import { ServerFailure } from './failure.ts';
import { openListener } from './listener.ts';
import type { RunningServer } from './server.ts';
import type { WorkerMessage } from './worker-messages.ts';

export interface WorkersOptions {
  readonly count: number;
  readonly address: Address;
  readonly logger: Logger;
  /** How long a connection may wait for a worker. */
  readonly offerTimeoutMs?: number;
  /** A worker that has not ended this long after the signal to stop is killed. */
  readonly stopTimeoutMs?: number;
}

/** A worker that is not ready by then is killed. */
const START_TIMEOUT_MS = 60_000;
/** Workers close their connections after ten seconds. */
const STOP_TIMEOUT_MS = 12_000;
/** The first replacement starts at once. If workers keep ending, the pauses double. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
/** A worker that has served for this long resets the pauses. */
const STEADY_MS = 10_000;
const DROPPED_LOG_INTERVAL_MS = 1_000;

export async function startWorkers(options: WorkersOptions): Promise<RunningServer> {
  const { count, address, logger, offerTimeoutMs, stopTimeoutMs = STOP_TIMEOUT_MS } = options;
  const dispatcher = makeDispatcher({
    onDropped: countDropped(logger),
    maxQueued: Math.min(MAX_QUEUED, possibleConnections()),
    ...(offerTimeoutMs === undefined ? {} : { offerTimeoutMs }),
  });
  const listener = await openListener({
    ...address,
    logger,
    onConnection: dispatcher.dispatch,
    pauseOnConnect: true,
  });
  const crew: Crew = { logger, onReady: dispatcher.addWorker, running: new Map(), isStopping: false };

  async function stop(): Promise<void> {
    crew.isStopping = true;
    listener.close();
    dispatcher.close();
    await endAll(crew, stopTimeoutMs);
  }

  try {
    // If the first one cannot start, the others cannot either, and its error is printed once.
    keepRunning(crew, await start(crew));
    await Promise.all(
      Array.from({ length: count - 1 }, async () => {
        keepRunning(crew, await startUntilReady(crew, 0));
      }),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: urlOf(listener.address), stop };
}

/** The workers that run. */
interface Crew {
  readonly logger: Logger;
  /** Called with each worker that can take connections. */
  readonly onReady: (worker: Worker) => void;
  /** Each until it ended, with its exit code or signal. */
  readonly running: Map<Worker, Promise<string>>;
  isStopping: boolean;
}

interface StartedWorker {
  readonly worker: Worker;
  readonly startedAtMs: number;
  /** Resolves with its exit code or signal. */
  readonly ended: Promise<string>;
}

async function start({ running, onReady }: Crew): Promise<StartedWorker> {
  const worker = cluster.fork();
  const ended = endOf(worker);
  running.set(worker, ended);
  ended.then(() => running.delete(worker));
  await whenReady(worker, ended);
  onReady(worker);
  return { worker, ended, startedAtMs: performance.now() };
}

/** Replaces the worker whenever it ends. */
async function keepRunning(crew: Crew, first: StartedWorker | undefined): Promise<void> {
  let replacements = 0;
  for (let started = first; started !== undefined; started = await startUntilReady(crew, replacements++)) {
    const end = await started.ended;
    if (crew.isStopping) return;
    crew.logger.error(`Worker ${started.worker.process.pid} ended (${end}); starting another one.`);
    if (performance.now() - started.startedAtMs > STEADY_MS) replacements = 0;
  }
}

/** Returns undefined if the server is told to stop in the meantime. */
async function startUntilReady(crew: Crew, replacements: number): Promise<StartedWorker | undefined> {
  for (let i = replacements; ; i++) {
    await pause(i === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (i - 1), MAX_PAUSE_MS));
    if (crew.isStopping) return undefined;
    try {
      return await start(crew);
    } catch (error) {
      if (!crew.isStopping) crew.logger.error((error as Error).message);
    }
  }
}

async function endAll({ running, logger }: Crew, timeoutMs: number): Promise<void> {
  for (const { process } of running.keys()) process.kill('SIGTERM');
  const timeout = setTimeout(() => {
    for (const { process } of running.keys()) {
      logger.error(`Worker ${process.pid} did not end in time, so it is killed.`);
      process.kill('SIGKILL');
    }
  }, timeoutMs);
  await Promise.all(running.values());
  clearTimeout(timeout);
}

/** Rejects if the worker ends before it can take connections. */
async function whenReady(worker: Worker, ended: Promise<string>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let failure = 'A worker process ended before it could serve.';
  worker.on('message', (message: WorkerMessage) => {
    if (message.kind === 'ready') resolve();
    if (message.kind === 'failure') failure = message.sentence;
  });
  ended.then(() => reject(new ServerFailure(failure)));
  const timeout = setTimeout(() => worker.process.kill('SIGKILL'), START_TIMEOUT_MS);
  await promise.finally(() => clearTimeout(timeout));
}

function endOf(worker: Worker): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  worker.once('exit', (code, signal) => resolve(String(signal ?? code)));
  // Without a pid, the worker could not be started. Otherwise the error is about a message to a worker that is ending.
  worker.on('error', (error) => {
    if (worker.process.pid === undefined) resolve(error.message);
  });
  return promise;
}

/** Logs at most once a second how many connections were dropped. */
function countDropped(logger: Logger): () => void {
  let dropped = 0;
  return () => {
    dropped++;
    if (dropped > 1) return;
    setTimeout(() => {
      const connections = dropped === 1 ? 'A connection was' : `${dropped} connections were`;
      logger.error(`${connections} closed, because no worker took over in time.`);
      dropped = 0;
    }, DROPPED_LOG_INTERVAL_MS).unref();
  };
}
