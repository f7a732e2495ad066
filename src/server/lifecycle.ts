/**
 * What a process does from its start to its end: takes over sockets, sets up its memory, says that it is ready, and ends
 * on a signal. Every command loads this file.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import type { Log } from './log.ts';

/** Longer than a server gives its running requests. After that, the process ends whatever is still open. */
const STOP_TIMEOUT_MS = 15_000;
/** For the command that tells systemd. */
const NOTIFY_TIMEOUT_MS = 10_000;
/** Within this time, a signal is a copy of the one before. */
const COPIES_MS = 1_000;

/** Why a server cannot start. Its message is a sentence for the operator. */
export class ServerFailure extends Error {
  override readonly name = 'ServerFailure';
}

/** The first descriptor after standard input, output and error. */
const FIRST_SOCKET = 3;
const MAX_SOCKETS = 16;

/**
 * The descriptors of the sockets that systemd passes to a service with a .socket unit, as sd_listen_fds(3) describes it.
 * systemd listens, so clients who connect while the service restarts wait for it instead of being refused. LISTEN_PPID
 * is set by our launcher, which starts the process that shall have them.
 */
export function passedSockets({ env, pid, ppid } = process): readonly number[] {
  const { LISTEN_FDS: given, LISTEN_PID, LISTEN_PPID } = env;
  // The variables may have been inherited from another service.
  const isForUs = LISTEN_PID === String(pid) || LISTEN_PPID === String(ppid);
  if (given === undefined || !isForUs) return [];
  const count = /^\d+$/.test(given) ? Number(given) : Number.NaN;
  if (!(count <= MAX_SOCKETS)) {
    throw new ServerFailure(
      `The variable LISTEN_FDS is ${JSON.stringify(given.slice(0, 20))}: expected how many sockets systemd passes, at most ${MAX_SOCKETS}.`,
    );
  }
  return Array.from({ length: count }, (_, i) => FIRST_SOCKET + i);
}

export interface Stoppable {
  /** Sends clients elsewhere, and goes on answering. */
  drain?(): void;
  stop(): Promise<void>;
}

/**
 * Handles signals from now on. The returned function says what to stop: until it is called there is nothing to stop, and
 * a signal ends the process at once.
 *
 * SIGTERM comes from whoever runs servers: the server drains first, so that balancers notice before it is gone. SIGINT
 * comes from a person at a terminal, who need not wait for that, and SIGHUP from a terminal that is closed. While it
 * drains, each of them makes it stop now. (To listen to SIGHUP takes nothing from nohup: Node resets ignored signals
 * when it starts.)
 */
export function stopOnSignal(log: Log, drainMs = 0): (given: Stoppable) => void {
  let given: Stoppable | undefined;
  let signalledAtMs: number | undefined;
  const impatience = new AbortController();

  async function drain(): Promise<void> {
    if (given?.drain === undefined || impatience.signal.aborted) return;
    given.drain();
    await pause(drainMs, undefined, { signal: impatience.signal }).catch(() => undefined);
  }

  async function stop(): Promise<void> {
    // It also keeps the process alive until then: what is waited for may be nothing that the event loop counts.
    const limit = setTimeout(() => process.exit(1), STOP_TIMEOUT_MS);
    await given?.stop();
    clearTimeout(limit);
  }

  function end(): void {
    drain()
      .then(stop)
      .finally(log.flush)
      .then(
        () => process.exit(0),
        () => process.exit(1),
      );
  }

  const onSignal = (signal: NodeJS.Signals) => {
    const nowMs = performance.now();
    const isFirst = signalledAtMs === undefined;
    signalledAtMs ??= nowMs;
    // The launcher, npm and systemd may each pass the same SIGTERM on.
    const isCopy = nowMs - signalledAtMs < COPIES_MS;
    if (signal !== 'SIGTERM' || drainMs === 0 || (!isFirst && !isCopy)) impatience.abort();
    if (isFirst) end();
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
  return (stoppable) => {
    given = stoppable;
  };
}

/**
 * Tells systemd that the service is ready, for units with Type=notify. Node cannot open the kind of socket on which
 * systemd listens, so systemd's own command does it.
 */
export function notifySystemd(logger: Logger): void {
  if (process.env.NOTIFY_SOCKET === undefined) return;
  // Loaded when it is needed.
  const { execFile } = process.getBuiltinModule('node:child_process');
  execFile('systemd-notify', ['--ready'], { timeout: NOTIFY_TIMEOUT_MS }, (error) => {
    if (error !== null)
      logger.error(`systemd could not be told that the service is ready: ${error.message.trim()}.`);
  });
}

/**
 * Keeps V8's space for new objects at its initial size. This lowers the peak memory of a large import by an eighth, and
 * the import takes about 4 % longer.
 */
export function keepYoungSpaceSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * Lets V8's space for new objects grow from 1 MB to its full 16 MB at once, and not step by step as more objects survive:
 * of a request hardly any do. Collecting them took 7 % of the time of busy requests, and takes 2.5 %. A process that is
 * busy needs 40 MB more. It comes before anything else is loaded: later, the space has grown in part already, by what a
 * start keeps, and would stay so.
 */
export function growYoungSpace(): void {
  setFlagsFromString('--semi-space-growth-factor=16');
}

/**
 * Makes V8 collect garbage sooner. Without this, a service grows to twice its size after reading thousands of accounts,
 * and a gateway after crowds that read nothing (357 MB instead of 647 MB). It costs a few percent of throughput.
 */
export function collectSooner(): void {
  setFlagsFromString('--heap-growing-percent=30');
}
