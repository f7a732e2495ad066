/**
 * Several server processes on one port, each with its own memory. This process accepts connections for as long as it
 * lives and hands them over to the workers. It starts another worker when one ends, and passes on the wish to stop.
 */

import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Failure } from '../failure.ts';
import { type Address, urlOf } from './address.ts';
import { MAX_WAITING, makeHandOver } from './dispatcher.ts';
import { openDoor } from './listener.ts';
import { possibleConnections } from './open-files.ts';
import type { RunningServer } from './server.ts';
import type { WorkerMessage } from './worker-messages.ts';

/** A worker that has not begun to serve by then never will. */
const START_LIMIT_MS = 60_000;
/** A worker closes its connections after ten seconds at the latest. */
const STOP_LIMIT_MS = 12_000;
/** The first worker that ends is replaced at once; when one after the other ends, the pauses double. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
/** Whoever has served for this long does not count as one of a series. */
const STEADY_MS = 10_000;
const TELL_INTERVAL_MS = 1_000;

interface Started {
  readonly worker: Worker;
  readonly sinceMs: number;
  /** Resolves with its exit code or signal. */
  readonly ended: Promise<string>;
}

export async function startWorkers(count: number, address: Address, logger: Logger): Promise<RunningServer> {
  let stopping = false;
  const running = new Map<Worker, Promise<string>>();
  const handOver = makeHandOver({
    onClosed: tallyOfClosed(logger),
    maxWaiting: Math.min(MAX_WAITING, possibleConnections()),
  });
  const door = await openDoor({ ...address, logger, accept: handOver.accept, isForOthers: true });

  async function start(): Promise<Started> {
    const worker = cluster.fork();
    const ended = endOf(worker);
    running.set(worker, ended);
    ended.then(() => running.delete(worker));
    await readiness(worker, ended);
    handOver.addWorker(worker);
    return { worker, ended, sinceMs: performance.now() };
  }

  /** Starts another worker whenever one ends. */
  async function keepAlive(first: Started | undefined): Promise<void> {
    let series = 0;
    for (let started = first; started !== undefined; started = await startUntilItWorks(series++)) {
      const end = await started.ended;
      if (stopping) return;
      logger.error(`Worker ${started.worker.process.pid} ended (${end}); starting another one.`);
      if (performance.now() - started.sinceMs > STEADY_MS) series = 0;
    }
  }

  /** Returns undefined when the server was told to stop meanwhile. */
  async function startUntilItWorks(failures: number): Promise<Started | undefined> {
    for (let i = failures; ; i++) {
      await pause(i === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (i - 1), MAX_PAUSE_MS));
      if (stopping) return undefined;
      try {
        return await start();
      } catch (error) {
        if (!stopping) logger.error((error as Error).message);
      }
    }
  }

  async function stop(): Promise<void> {
    stopping = true;
    door.close();
    handOver.close();
    for (const { process } of running.keys()) process.kill('SIGTERM');
    const limit = setTimeout(() => {
      for (const { process } of running.keys()) {
        logger.error(`Worker ${process.pid} did not end in time, so it is killed.`);
        process.kill('SIGKILL');
      }
    }, STOP_LIMIT_MS);
    await Promise.all(running.values());
    clearTimeout(limit);
  }

  try {
    // One first: if it cannot start, the others cannot either, and there is one sentence to print.
    keepAlive(await start());
    await Promise.all(
      Array.from({ length: count - 1 }, async () => {
        keepAlive(await startUntilItWorks(0));
      }),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: urlOf(door.address), stop };
}

/** Resolves when the worker can take connections, rejects when it ends before. */
async function readiness(worker: Worker, ended: Promise<string>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let failure = 'A worker process ended before it could serve.';
  worker.on('message', (message: WorkerMessage) => {
    if (message.kind === 'ready') resolve();
    if (message.kind === 'failure') failure = message.sentence;
  });
  ended.then(() => reject(new Failure(failure)));
  const limit = setTimeout(() => worker.process.kill('SIGKILL'), START_LIMIT_MS);
  await promise.finally(() => clearTimeout(limit));
}

function endOf(worker: Worker): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  worker.once('exit', (code, signal) => resolve(String(signal ?? code)));
  // Also told when a message cannot be sent to a worker that is just ending.
  worker.on('error', (error) => {
    if (worker.process.pid === undefined) resolve(error.message);
  });
  return promise;
}

/** Tells once a second how many connections were closed, however many they are. */
function tallyOfClosed(logger: Logger): () => void {
  let closed = 0;
  return () => {
    closed++;
    if (closed > 1) return;
    setTimeout(() => {
      const connections = closed === 1 ? 'A connection was' : `${closed} connections were`;
      logger.error(`${connections} closed, because no worker took over in time.`);
      closed = 0;
    }, TELL_INTERVAL_MS).unref();
  };
}
