/**
 * Several server processes on one port, each with its own memory. This process, the primary, serves nobody: it starts
 * the workers, replaces those that end, and passes on the signal to stop.
 */

import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { MetricObject } from 'prom-client';
import { IS_EXECUTABLE } from '../install/files.ts';
import { ServerFailure, type Stoppable } from './lifecycle.ts';
import { type Address, findFree, type RunningServer } from './listening.ts';

export interface WorkersOptions {
  readonly count: number;
  readonly address: Address;
  readonly logger: Logger;
  /** Called as soon as one of them serves, with what stops all of them. */
  readonly onServing?: (workers: Stoppable) => void;
  /** A worker that has not ended this long after the signal to stop is killed. */
  readonly stopTimeoutMs?: number;
}

export type PrimaryMessage =
  | { readonly kind: 'listen'; readonly address: Address }
  | { readonly kind: 'ask-metrics' };

export type WorkerMessage =
  /** The worker could serve now, and asks where to listen. */
  | { readonly kind: 'prepared' }
  | { readonly kind: 'listening'; readonly url: string }
  /** Why the worker cannot start. The primary prints it. */
  | { readonly kind: 'failure'; readonly sentence: string }
  | { readonly kind: 'metrics'; readonly metrics: readonly MetricObject[] };

/** A worker that does not listen by then is killed. */
const START_TIMEOUT_MS = 60_000;
/** Workers close their connections after ten seconds. The time for which they drain comes before that. */
const STOP_TIMEOUT_MS = 12_000;
/** The first replacement starts at once. If workers keep ending, the pauses double. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
/** A worker that has served for this long resets the pauses. */
const STEADY_MS = 10_000;

/** What node:cluster gives to workers. The sockets that systemd passed follow. */
const WORKER_STDIO = ['inherit', 'inherit', 'inherit', 'ipc'] as const;

export async function startWorkers(options: WorkersOptions): Promise<RunningServer> {
  // With the other policy, the primary would take connections and lose those that a killed worker had not taken yet.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const { count, address, logger, stopTimeoutMs = STOP_TIMEOUT_MS } = options;
  const { sockets = [] } = address;
  // Node puts the script that it runs before the arguments. The executable is started without one.
  const [, , command, ...words] = process.argv;
  if (IS_EXECUTABLE) cluster.setupPrimary({ exec: command, args: words });
  if (sockets.length > 0) cluster.setupPrimary({ stdio: [...WORKER_STDIO, ...sockets] });
  const crew: Crew = {
    logger,
    url: '',
    address: { ...address, sockets: sockets.map((_, i) => WORKER_STDIO.length + i) },
    running: new Map(),
    listening: new Set(),
    lastAdmission: Promise.resolve(),
    isStopping: false,
  };

  /** Workers do on these signals what a server without workers does. */
  function drain(): void {
    crew.isStopping = true;
    signalAll(crew, 'SIGTERM');
  }

  async function stop(): Promise<void> {
    crew.isStopping = true;
    signalAll(crew, 'SIGINT');
    await waitForAll(crew, stopTimeoutMs);
  }

  try {
    // If the first one cannot start, the others cannot either, and its error is printed once.
    keepRunning(crew, await start(crew));
    options.onServing?.({ drain, stop });
    await Promise.all(
      Array.from({ length: count - 1 }, async () => {
        keepRunning(crew, await startUntilReady(crew, 0));
      }),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: crew.url, drain, stop };
}

/** In a worker: says that it could serve now, and resolves with where to listen. */
export function askWhereToListen(): Promise<Address> {
  const { promise, resolve } = Promise.withResolvers<Address>();
  process.on('message', (message: PrimaryMessage) => {
    if (message.kind === 'listen') resolve(message.address);
  });
  tellPrimary({ kind: 'prepared' });
  return promise;
}

/** In a worker. Errors are ignored: without its primary, a worker ends anyway. */
export function tellPrimary(message: WorkerMessage, onSent: () => void = () => undefined): void {
  process.send?.(message, undefined, {}, onSent);
}

interface Crew {
  readonly logger: Logger;
  /** Where the workers listen, once one does. */
  url: string;
  address: Address;
  /** Each until it ended, with its exit code or signal. */
  readonly running: Map<Worker, Promise<string>>;
  readonly listening: Set<Worker>;
  lastAdmission: Promise<void>;
  isStopping: boolean;
}

type StartedWorker = Awaited<ReturnType<typeof start>>;

async function start(crew: Crew) {
  const worker = cluster.fork();
  const ended = endOf(worker);
  crew.running.set(worker, ended);
  ended.then(() => {
    crew.running.delete(worker);
    crew.listening.delete(worker);
  });
  const timeout = setTimeout(() => worker.process.kill('SIGKILL'), START_TIMEOUT_MS);
  try {
    await heard('prepared', worker, ended);
    await admit(crew, worker, ended);
  } catch (error) {
    worker.process.kill('SIGKILL');
    throw error;
  } finally {
    clearTimeout(timeout);
  }
  return { worker, ended, startedAtMs: performance.now() };
}

/** Workers begin to listen one after the other, so that it is clear whether one does already. */
function admit(crew: Crew, worker: Worker, ended: Promise<string>): Promise<void> {
  const admission = crew.lastAdmission.then(async () => {
    if (crew.listening.size === 0) crew.address = await findFree(crew.address);
    const message: PrimaryMessage = { kind: 'listen', address: crew.address };
    // An error can be ignored: the worker is gone, and its end is heard of.
    worker.send(message, undefined, {}, () => undefined);
    crew.url = (await heard('listening', worker, ended)).url;
    crew.listening.add(worker);
  });
  crew.lastAdmission = admission.catch(() => undefined);
  return admission;
}

type MessageOf<Kind> = Extract<WorkerMessage, { readonly kind: Kind }>;

/** Rejects if the worker ends before it says so. */
async function heard<Kind extends WorkerMessage['kind']>(
  kind: Kind,
  worker: Worker,
  ended: Promise<string>,
): Promise<MessageOf<Kind>> {
  const { promise, resolve, reject } = Promise.withResolvers<MessageOf<Kind>>();
  let failure = 'A worker process ended before it could serve.';
  const onMessage = (message: WorkerMessage) => {
    if (message.kind === kind) resolve(message as MessageOf<Kind>);
    if (message.kind === 'failure') failure = message.sentence;
  };
  worker.on('message', onMessage);
  ended.then(() => reject(new ServerFailure(failure)));
  return promise.finally(() => worker.off('message', onMessage));
}

/** Replaces the worker whenever it ends. */
async function keepRunning(crew: Crew, first: StartedWorker | undefined): Promise<void> {
  let replacements = 0;
  for (let started = first; started !== undefined; started = await startUntilReady(crew, replacements++)) {
    const end = await started.ended;
    if (crew.isStopping) return;
    if (performance.now() - started.startedAtMs > STEADY_MS) replacements = 0;
    const when = replacements === 0 ? '' : ` in ${pauseBefore(replacements) / 1000} s`;
    crew.logger.error(`Worker ${started.worker.process.pid} ended (${end}); starting another one${when}.`);
  }
}

/** In milliseconds. */
function pauseBefore(replacement: number): number {
  return replacement === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (replacement - 1), MAX_PAUSE_MS);
}

/** Returns undefined if the server is told to stop in the meantime. */
async function startUntilReady(crew: Crew, replacements: number): Promise<StartedWorker | undefined> {
  for (let i = replacements; ; i++) {
    await pause(pauseBefore(i));
    if (crew.isStopping) return undefined;
    try {
      return await start(crew);
    } catch (error) {
      if (!crew.isStopping) crew.logger.error((error as Error).message);
    }
  }
}

function signalAll({ running }: Crew, signal: NodeJS.Signals): void {
  for (const { process } of running.keys()) process.kill(signal);
}

/** Those that do not end in time are killed. */
async function waitForAll({ running, logger }: Crew, timeoutMs: number): Promise<void> {
  const timeout = setTimeout(() => {
    for (const { process } of running.keys()) {
      logger.error(`Worker ${process.pid} did not end in time, so it is killed.`);
      process.kill('SIGKILL');
    }
  }, timeoutMs);
  await Promise.all(running.values());
  clearTimeout(timeout);
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
