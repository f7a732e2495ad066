/**
 * Load generators. A connection sends the same request again and again and looks no further than status and length, so
 * that the generator has little to do itself.
 */

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Cores, onCores } from './cores.ts';

/** What is asked, over and over. */
export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export const CONNECTIONS = Number(process.env.CONNECTIONS ?? 16);

const HAS_WRK = spawnSync('wrk', ['-v']).error === undefined;

export interface ThroughputOptions {
  readonly seconds: number;
  readonly cores?: keyof Cores;
}

/** A server that gives fewer answers in its time is given more of it. */
const MIN_ANSWERS = 5;
const SLOW_SECONDS = 10;

/**
 * Answers per second of a server that is kept busy: by `wrk` where it is installed, else from this process. A page of
 * 500 shifts keeps the latter about as busy as the server, so that a ratio close to 1 then says no more than that.
 */
export async function measureThroughput(target: Target, options: ThroughputOptions): Promise<number> {
  const rate = HAS_WRK
    ? await measureWithWrk(target, options)
    : await keepBusy(target, delay(options.seconds * 1000));
  // What a slow server still has to do for connections that are gone would burden the next one: ask, and wait.
  await askOnce(target);
  const isEnough = rate * options.seconds >= MIN_ANSWERS || options.seconds >= SLOW_SECONDS;
  return isEnough ? rate : measureThroughput(target, { ...options, seconds: SLOW_SECONDS });
}

export function describeGenerator(): string {
  return HAS_WRK
    ? `Load comes from \`wrk\` with ${CONNECTIONS} connections.`
    : `Load comes from Node with ${CONNECTIONS} connections, because \`wrk\` is not installed. It is about as busy as the ` +
        'servers: ratios close to 1 may hide a difference.';
}

/** Slower than this, an answer counts as none. Some of the peers do need seconds. */
const TIMEOUT_SECONDS = 60;

async function measureWithWrk(target: Target, { seconds, cores = 'load' }: ThroughputOptions) {
  const [file, ...args] = onCores(cores, [
    ...['wrk', '-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--timeout', `${TIMEOUT_SECONDS}s`],
    ...headerLines(target).flatMap((header) => ['-H', header]),
    target.url,
  ]);
  const { stdout } = await promisify(execFile)(file, args);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${target.url}: ${stdout}`);
  return Number(/Requests\/sec: +([\d.]+)/.exec(stdout)?.[1]);
}

/** Answers per second from this process, from the first request until `until` is settled. */
export async function keepBusy(target: Target, until: Promise<unknown>): Promise<number> {
  const load = await openCountedLoad(target, CONNECTIONS);
  const started = performance.now();
  try {
    await Promise.race([until, load.ask(Number.POSITIVE_INFINITY)]);
    return load.answers() / ((performance.now() - started) / 1000);
  } finally {
    load.close();
  }
}

/**
 * Asks at a fixed rate, whether answers keep up or not. The time of an answer counts from when its request was due, so
 * that a server that stands still is blamed for every request that should have been sent meanwhile. Returns how long
 * each answer took, in milliseconds, shortest first; all that were due before `until` was settled.
 */
export async function askOnSchedule(
  target: Target,
  perSecond: number,
  until: Promise<unknown>,
): Promise<readonly number[]> {
  const finished = Promise.withResolvers<void>();
  const latenciesMs: number[] = [];
  const idle: Connection[] = [];
  const dueAt = new Map<Connection, number>();

  function onAnswer(connection: Connection): void {
    latenciesMs.push(performance.now() - (dueAt.get(connection) ?? Number.NaN));
    dueAt.delete(connection);
    idle.push(connection);
  }

  const opened = await openConnections(target, CONNECTIONS, onAnswer, finished.reject);
  idle.push(...opened);
  const startedMs = performance.now();
  const intervalMs = 1000 / perSecond;
  let endMs = Number.POSITIVE_INFINITY;
  let sent = 0;

  // Timers are too coarse for a rate of thousands, so this looks at the clock in every round of the event loop.
  function sendWhatIsDue(): void {
    const nowMs = performance.now();
    let dueMs = startedMs + sent * intervalMs;
    while (dueMs <= Math.min(nowMs, endMs) && idle.length > 0) {
      // In turn, because a server ends connections over which nothing comes.
      const connection = idle.shift() as Connection;
      dueAt.set(connection, dueMs);
      connection.ask();
      dueMs = startedMs + ++sent * intervalMs;
    }
    if (dueMs > endMs && dueAt.size === 0) finished.resolve();
    else setImmediate(sendWhatIsDue);
  }

  until.then(() => {
    endMs = performance.now();
  }, finished.reject);
  sendWhatIsDue();
  try {
    await finished.promise;
    return latenciesMs.toSorted((a, b) => a - b);
  } finally {
    for (const connection of opened) connection.close();
  }
}

export interface CountedLoad {
  /** Settled when so many requests are answered. */
  ask(requests: number): Promise<void>;
  answers(): number;
  close(): void;
}

/** A fixed number of requests, over connections that stay open between one turn and the next. */
export async function openCountedLoad(target: Target, connections: number): Promise<CountedLoad> {
  let toAsk = 0;
  let toAnswer = 0;
  let answers = 0;
  let turn = Promise.withResolvers<void>();

  function onAnswer(connection: Connection): void {
    answers++;
    toAnswer--;
    if (toAsk > 0) {
      toAsk--;
      connection.ask();
    } else if (toAnswer === 0) turn.resolve();
  }

  const opened = await openConnections(target, connections, onAnswer, (error) => turn.reject(error));
  return {
    ask(requests) {
      turn = Promise.withResolvers();
      toAnswer = requests;
      toAsk = Math.max(0, requests - opened.length);
      for (const connection of opened.slice(0, requests)) connection.ask();
      return turn.promise;
    },
    answers: () => answers,
    close() {
      for (const connection of opened) connection.close();
    },
  };
}

interface Connection {
  /** Sends the request; the one before must have been answered. */
  ask(): void;
  close(): void;
}

/** By a server that could not answer in time, for instance because the machine stood still. */
export class Refused extends Error {}

/** `onAnswer` is called when an answer has arrived whole, `onFailure` when a connection is of no use any more. */
function openConnections(
  target: Target,
  count: number,
  onAnswer: (connection: Connection) => void,
  onFailure: (error: Error) => void,
): Promise<Connection[]> {
  return Promise.all(Array.from({ length: count }, () => openConnection(target, onAnswer, onFailure)));
}

/**
 * For all connections: what is read is looked at before anything else is. More buffers would be garbage to clear while
 * others are timed.
 */
const READ_BUFFER = new Uint8Array(256 * 1024);

async function openConnection(
  target: Target,
  onAnswer: (connection: Connection) => void,
  onFailure: (error: Error) => void,
): Promise<Connection> {
  const { hostname, port, pathname, search, host } = new URL(target.url);
  const head = [`GET ${pathname}${search} HTTP/1.1`, `host: ${host}`, ...headerLines(target)];
  const request = `${head.join('\r\n')}\r\n\r\n`;
  let missingBytes = 0;

  function receive(size: number, buffer: Uint8Array): boolean {
    try {
      missingBytes = missingBytes === 0 ? answerBytes(buffer.subarray(0, size)) - size : missingBytes - size;
      if (missingBytes === 0) onAnswer(connection);
      return true;
    } catch (error) {
      onFailure(error as Error);
      return false;
    }
  }

  const onread = { buffer: READ_BUFFER, callback: receive };
  const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread });
  const connection = { ask: () => socket.write(request), close: () => socket.destroy() };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once('connect', resolve);
  socket.once('error', reject);
  await promise;
  socket.off('error', reject);
  socket.on('error', onFailure);
  socket.on('end', () => onFailure(new Error(`${host} closed a connection.`)));
  return connection;
}

/** From the first piece of an answer, which holds its whole head. */
function answerBytes(piece: Uint8Array): number {
  const text = Buffer.from(piece.buffer, piece.byteOffset, Math.min(piece.length, 4096)).toString('latin1');
  const headEnd = text.indexOf('\r\n\r\n');
  const status = /^HTTP\/1\.1 (\d+)/.exec(text)?.[1];
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, headEnd))?.[1];
  const hasBody = status === '200';
  if (headEnd === -1 || !(hasBody ? length !== undefined : status === '304')) {
    const sentence = `Unexpected answer: ${text.slice(0, 200)}`;
    throw status === '503' ? new Refused(sentence) : new Error(sentence);
  }
  return headEnd + 4 + (hasBody ? Number(length) : 0);
}

function headerLines({ headers }: Target): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

/** One request, to look at its answer: before anything is timed, it must be right. */
export async function askOnce({ url, headers }: Target) {
  // Unlike load generators, fetch would ask for a compressed page by itself.
  const response = await fetch(url, { headers: { 'accept-encoding': 'identity', ...headers } });
  const body = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, body };
}

export async function assertSameBytes(target: Target, body: Buffer): Promise<void> {
  const answer = await askOnce(target);
  assert.equal(answer.status, 200, target.url);
  assert.ok(answer.body.equals(body), `${target.url}: other bytes`);
}

export interface ListedPage {
  readonly body: Buffer;
  readonly ids: readonly number[];
  readonly total: number;
}

/** A page of shifts, of which count and total were checked. */
export async function readListing(target: Target): Promise<ListedPage> {
  const { status, body } = await askOnce(target);
  assert.equal(status, 200, `${target.url}: ${body.subarray(0, 200)}`);
  const { shifts, meta } = JSON.parse(body.toString());
  const remaining = Math.max(0, meta.total - (meta.page - 1) * meta.per_page);
  assert.equal(shifts.length, Math.min(meta.per_page, remaining), `${target.url}: the number of shifts`);
  assert.ok(shifts.length > 0, `${target.url}: no shifts`);
  return { body, ids: shifts.map(({ id }: { id: number }) => id), total: meta.total };
}

/** Whoever looks for the shifts of a page must find the same. */
export function assertSamePage(
  actual: Pick<ListedPage, 'ids' | 'total'>,
  { ids, total }: ListedPage,
  who: string,
): void {
  assert.deepEqual({ ids: actual.ids, total: actual.total }, { ids, total }, `${who}: other shifts`);
}
