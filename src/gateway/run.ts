/** Runs the gateway until a signal ends it, with or without a port for operators. */

import { setImmediate as otherWork } from 'node:timers/promises';
import { browserFiles } from '@shiftfeed/calendar/browser-files';
import { ShiftfeedAccessError } from '@shiftfeed/client';
import {
  type Gateway,
  type GatewayOptions,
  NoTimeZone,
  openGateway,
  type Schedule,
  TooBusy,
  type UpstreamAttempt,
} from '@shiftfeed/gateway';
import type { Logger } from 'pino';
import { COMPRESS } from '../http/encoding/bodies.ts';
import type { ServerLimits } from '../http/limits/limits.ts';
import { makeProblemLog, type ProblemLog } from '../http/observe/problem-log.ts';
import { collectSooner, stopOnSignal } from '../server/lifecycle.ts';
import { type Address, possibleConnections } from '../server/listening.ts';
import { type LogLevel, openLog } from '../server/log.ts';
import { type Running, runBeside } from '../server/run.ts';
import type { GatewayMetrics } from './metrics.ts';
import { type GatewayServerOptions, startGatewayServer } from './server.ts';

export interface GatewayRunOptions
  extends Pick<GatewayOptions, 'config' | 'token' | 'baseUrl' | 'linksSecret' | 'linkNumbers'>,
    Pick<GatewayServerOptions, 'address' | 'trustProxy'> {
  readonly limits: Pick<ServerLimits, 'maxConnections' | 'headerTimeoutMs' | 'idleTimeoutMs'>;
  readonly logLevel: LogLevel;
  readonly drainMs: number;
  readonly adminAddress: Address | undefined;
  /** Of this package, for the metrics. */
  readonly version: string;
  /** What is wrong with the files of personal links, as a sentence that reveals neither the secret nor a name. */
  readonly describeLinksError: (error: unknown) => string;
}

/** For answers that visitors have not read yet. An answer that many of them read counts once. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;

export async function runGateway(options: GatewayRunOptions): Promise<Running> {
  const { adminAddress, limits, logLevel, drainMs } = options;
  collectSooner();
  const log = openLog(logLevel, process.stderr);
  const { logger } = log;
  const problems = makeProblemLog(logger);
  const stopWith = stopOnSignal(log, drainMs);
  // Loaded on demand, because most gateways have no admin port.
  const metrics = adminAddress && (await import('./metrics.ts')).makeGatewayMetrics(options.version);
  const startAdmin = adminAddress && (await import('../server/admin.ts')).startAdmin;
  const admin = metrics && (await startAdmin?.(adminAddress, () => metrics.registry.metrics(), logger));
  const starting = startGatewayServer({
    ...options,
    gateway: open(options, { logger, problems, metrics }),
    limits: {
      ...limits,
      // At the limit on open files, nobody could be answered any more.
      maxConnections: Math.min(limits.maxConnections, possibleConnections()),
      maxUnsentBytes: MAX_UNSENT_BYTES,
    },
    logger,
    logRequests: logLevel === 'info',
    problems,
    metrics,
  });
  return { ...(await runBeside(admin, starting, stopWith)), logger };
}

/** Who is told what happens. */
interface Told {
  readonly logger: Logger;
  readonly problems: ProblemLog;
  readonly metrics: GatewayMetrics | undefined;
}

/** With the calendar, all encodings, and one answer written at a time. */
function open(options: GatewayRunOptions, told: Told): Gateway {
  const { metrics, problems } = told;
  const compress = (encoding: 'zstd' | 'br' | 'gzip') => (body: Uint8Array) =>
    COMPRESS[encoding](Buffer.from(body.buffer, body.byteOffset, body.byteLength));
  return openGateway({
    ...options,
    live: true,
    scripts: browserFiles(),
    // In the order of preference: those that are cheapest to decompress for their size come first.
    compressors: { zstd: compress('zstd'), br: compress('br'), gzip: compress('gzip') },
    schedule: oneAtATime(),
    async fetch(url, init) {
      const response = await fetch(url, init).catch((error: unknown) => {
        metrics?.asked('none');
        throw error;
      });
      metrics?.asked(String(response.status));
      return response;
    },
    onAttempt(attempt) {
      metrics?.attempted(attempt);
      tellAttempt(told, attempt);
    },
    onLinksFailure: (error) =>
      problems.error(`Personal links stay as they were: ${options.describeLinksError(error)}`),
    onLinksDoubt: (problem) => problems.warn(options.describeLinksError(problem)),
  });
}

/** Errors of the client contain neither the token nor the content of shifts. */
function tellAttempt(
  { logger, problems }: Told,
  { feed, durationMs, error, isMixed }: UpstreamAttempt,
): void {
  const reason = error instanceof Error ? error.message : String(error);
  if (error === undefined) {
    logger.info({ feed, ms: durationMs }, 'refresh');
  } else if (error instanceof NoTimeZone) {
    problems.error(
      `The feed ${feed} was not started: its upstream does not say in which time zone it is. Set "time_zone" in the configuration.`,
    );
  } else if (error instanceof ShiftfeedAccessError) {
    problems.error(`The feed ${feed} has ended, because its upstream answered ${error.status}: ${reason}`);
  } else {
    problems.warn(`The feed ${feed} could not be renewed: ${reason}`);
  }
  if (isMixed === true) {
    problems.warn(
      `The feed ${feed} changed all the while that it was read, so two states of it may meet in what is shown. It is read again in some seconds.`,
    );
  }
}

/** The limit for answers to queries. Popular answers go first, and are never refused. */
const MAX_WAITING = 50;

/**
 * Writes answers one at a time. A long one takes a tenth of a second, and visitors can make up very many queries.
 * Queries whose answer is in memory are answered in between.
 */
export function oneAtATime(maxWaiting = MAX_WAITING): Schedule {
  const popular: (() => void)[] = [];
  const others: (() => void)[] = [];
  let isRunning = false;

  async function runAll(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    for (;;) {
      const next = popular.shift() ?? others.shift();
      if (next === undefined) break;
      next();
      await otherWork();
    }
    isRunning = false;
  }

  return async (write, isPopular) => {
    if (!isPopular && others.length >= maxWaiting) throw new TooBusy();
    const { promise, resolve } = Promise.withResolvers<void>();
    (isPopular ? popular : others).push(resolve);
    void runAll();
    await promise;
    return write();
  };
}
