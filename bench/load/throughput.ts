/**
 * Answers per second of a server that is kept busy: by `wrk` where it is installed, else from this process. A page of
 * 500 shifts keeps the latter about as busy as the server, so that a ratio close to 1 then says no more than that.
 */

import { execFile, spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Cores, onCores } from '../cores.ts';
import { keepBusy } from './busy.ts';
import { askOnce } from './once.ts';
import { describeHeaders, type Target } from './target.ts';

export const CONNECTIONS = Number(process.env.CONNECTIONS ?? 16);

const HAS_WRK = spawnSync('wrk', ['-v']).error === undefined;

export interface ThroughputOptions {
  readonly seconds: number;
  readonly cores?: keyof Cores;
}

export async function measureThroughput(target: Target, options: ThroughputOptions): Promise<number> {
  const rate = await generate(target, options);
  const isEnough = rate * options.seconds >= MIN_ANSWERS || options.seconds >= SLOW_SECONDS;
  return isEnough ? rate : measureThroughput(target, { ...options, seconds: SLOW_SECONDS });
}

/** A server that gives fewer answers in its time is given more of it. */
const MIN_ANSWERS = 5;
const SLOW_SECONDS = 10;

async function generate(target: Target, options: ThroughputOptions): Promise<number> {
  const rate = HAS_WRK
    ? await measureWithWrk(target, options)
    : await keepBusy(target, { connections: CONNECTIONS, until: delay(options.seconds * 1000) });
  // What a slow server still has to do for connections that are gone would burden the next one: ask once more, and
  // wait.
  await askOnce(target);
  return rate;
}

export function describeGenerator(): string {
  return HAS_WRK
    ? `Load comes from \`wrk\` with ${CONNECTIONS} connections.`
    : `Load comes from Node with ${CONNECTIONS} connections, because \`wrk\` is not installed. It is about as busy as the ` +
        'servers: ratios close to 1 may hide a difference.';
}

/** Slower than this, an answer counts as none. Some of the peers do need seconds. */
const TIMEOUT_SECONDS = 60;

async function measureWithWrk(
  target: Target,
  { seconds, cores = 'load' }: ThroughputOptions,
): Promise<number> {
  const [file, ...args] = onCores(cores, [
    ...['wrk', '-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--timeout', `${TIMEOUT_SECONDS}s`],
    ...describeHeaders(target).flatMap((header) => ['-H', header]),
    target.url,
  ]);
  const { stdout } = await promisify(execFile)(file, args);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${target.url}: ${stdout}`);
  return Number(/Requests\/sec: +([\d.]+)/.exec(stdout)?.[1]);
}
