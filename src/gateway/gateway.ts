/** The gateway as `shiftfeed gateway` runs it: with the calendar, all encodings, one answer written at a time, and a log. */

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
import type { ProblemLog } from '../http/observe/problem-log.ts';
import type { GatewayMetrics } from './metrics.ts';

/** Who is told what happens. */
interface Told {
  readonly logger: Logger;
  readonly problems: ProblemLog;
  readonly metrics: GatewayMetrics | undefined;
}

export function openToldGateway(options: GatewayOptions, { logger, problems, metrics }: Told): Gateway {
  const bufferOf = (body: Uint8Array) => Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return openGateway({
    ...options,
    scripts: browserFiles(),
    // In the order of preference: those that are cheapest to decompress for their size come first.
    compressors: {
      zstd: (body) => COMPRESS.zstd(bufferOf(body)),
      br: (body) => COMPRESS.br(bufferOf(body)),
      gzip: (body) => COMPRESS.gzip(bufferOf(body)),
    },
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
      tellAttempt(logger, problems, attempt);
    },
  });
}

/** Errors of the client contain neither the token nor the content of shifts. */
function tellAttempt(
  logger: Logger,
  problems: ProblemLog,
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
    for (let next = nextWork(); next !== undefined; next = nextWork()) {
      next();
      await otherWork();
    }
    isRunning = false;
  }

  function nextWork(): (() => void) | undefined {
    return popular.shift() ?? others.shift();
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
