/** The options of `serve`, and how their values are read. */

import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { DEFAULT_LIMITS } from '../http/limits/limits.ts';
import type { Rate } from '../http/rate-limit.ts';
import { databaseFileOption, readDatabaseFileOption } from './database-file.ts';
import type { LogLevel } from './log.ts';
import { databaseOption, integerBetween } from './options.ts';

export interface ServeOptions {
  readonly database: string;
  readonly readDatabase?: string;
  readonly host: string;
  readonly port: number;
  readonly workers: number;
  readonly cacheMb: number;
  readonly staleIfError: number;
  readonly baseUrl?: string;
  readonly pathPrefix: string;
  readonly trustProxy: readonly string[];
  readonly corsOrigin: readonly string[];
  readonly rateLimit?: Rate;
  readonly failedTokenLimit?: Rate;
  readonly maxConnections: number;
  readonly maxPipelined: number;
  readonly headerTimeout: number;
  readonly idleTimeout: number;
  readonly minReadRate: number;
  readonly inFlightMb: number;
  readonly logLevel: LogLevel;
  readonly adminPort?: number;
  readonly adminHost: string;
  readonly demo?: boolean;
}

const MAX_WORKERS = 256;
const MAX_STALE_SECONDS = 7 * 24 * 3600;
const MAX_QUOTA = 1_000_000;
const DEFAULT_IN_FLIGHT_MB = 32;

export function addServeOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--host <address>', 'the address to listen on')
        .env('HOST')
        .default('127.0.0.1')
        .argParser(parseHost),
    )
    .addOption(
      new Option('--port <number>', 'the port to listen on; 0 picks a free one')
        .env('PORT')
        .default(8080)
        .argParser(integerBetween(0, 65_535)),
    )
    .option('--workers <number|auto>', 'how many processes serve; auto is one a core', parseWorkers, 1)
    .option(
      '--cache-mb <number>',
      'memory for shifts, in megabytes, of all workers',
      integerBetween(1, 1_000_000),
      256,
    )
    .option(
      '--stale-if-error <seconds>',
      'for how long to list from memory while the database is away',
      integerBetween(0, MAX_STALE_SECONDS),
      0,
    )
    .option('--base-url <url>', 'where clients reach the service, for links behind a proxy', parseBaseUrl)
    .addOption(
      new Option('--path-prefix <path>', 'serve everything under this path, such as /shifts')
        .argParser(parsePathPrefix)
        .default('', 'none'),
    )
    .addOption(
      new Option(
        '--trust-proxy <addresses>',
        'believe these proxies whom they ask for: addresses or networks, separated by commas',
      )
        .argParser(parseProxies)
        .default([], 'none'),
    )
    .addOption(
      new Option('--cors-origin <origin>', 'let pages of this origin read from a browser; may be repeated')
        .argParser<string[]>(collectOrigin)
        .default([], 'none'),
    )
    .option('--rate-limit <rate>', 'how often a token may be used, such as 600/min', parseRate)
    .option(
      '--failed-token-limit <rate>',
      'how many wrong tokens an address may send, such as 30/min',
      parseRate,
    )
    .option(
      '--max-connections <number>',
      'how many connections a process has open at most',
      integerBetween(1, 1_000_000),
      DEFAULT_LIMITS.maxConnections,
    )
    .option(
      '--max-pipelined <number>',
      'how many requests of one connection are worked on at a time; others wait',
      integerBetween(1, 1_000),
      DEFAULT_LIMITS.maxRequestsUnderWay,
    )
    .option(
      '--header-timeout <seconds>',
      'how long the head of a request may take to arrive',
      integerBetween(1, 3_600),
      DEFAULT_LIMITS.headerTimeoutMs / 1000,
    )
    .option(
      '--idle-timeout <seconds>',
      'how long a connection stays open between requests',
      integerBetween(1, 3_600),
      DEFAULT_LIMITS.idleTimeoutMs / 1000,
    )
    .option(
      '--min-read-rate <KiB/s>',
      'how fast a client has to read its answers, or it is cut off',
      integerBetween(1, 1_000_000),
      DEFAULT_LIMITS.minReadBytesPerSecond / 1024,
    )
    .option(
      '--in-flight-mb <number>',
      'how much of its cache, at most half, a process uses for pages that are being compressed or sent',
      integerBetween(1, 1_000_000),
      DEFAULT_IN_FLIGHT_MB,
    )
    .addOption(
      new Option('--log-level <level>', 'what to log: requests too, or problems only')
        .choices(['info', 'warn', 'error'])
        .default('warn'),
    )
    .option('--admin-port <number>', 'serve metrics for Prometheus on this port', integerBetween(0, 65_535))
    .option('--admin-host <address>', 'the address to serve metrics on', parseHost, '127.0.0.1')
    .option('--demo', 'add a demo account when there is no account yet, and print a request to try')
    .addOption(databaseOption())
    .addOption(databaseFileOption())
    .option('--read-database <url>', 'where to read instead, such as a replica')
    .addOption(readDatabaseFileOption());
}

/** To Node, an empty address would mean every address of the machine. */
function parseHost(text: string): string {
  if (text === '') throw new InvalidArgumentError('Expected an address such as 127.0.0.1.');
  return text;
}

function parseBaseUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || /[?#@]/.test(text)) {
    throw new InvalidArgumentError('Expected a URL such as https://shifts.example.org.');
  }
  return url.href.replace(/\/$/, '');
}

/** As browsers write it, so that it can be compared as it is. */
function collectOrigin(text: string, origins: readonly string[]): string[] {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new InvalidArgumentError('Expected an origin such as https://www.example.org.');
  }
  return [...origins, url.origin];
}

function parseWorkers(text: string): number {
  return text === 'auto' ? availableParallelism() : integerBetween(1, MAX_WORKERS)(text);
}

/** Without a slash at the end, so that paths can be put behind it. */
function parsePathPrefix(text: string): string {
  if (!/^(?:\/(?!\.+(?:\/|$))[\w.~-]+)*\/?$/.test(text))
    throw new InvalidArgumentError('Expected a path such as /shifts.');
  return text.replace(/\/$/, '');
}

const NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

function parseProxies(text: string): string[] {
  const proxies = text.split(',').map((proxy) => proxy.trim());
  if (!proxies.every(isNetwork)) {
    throw new InvalidArgumentError(
      `Expected addresses such as 10.0.0.7, networks such as 10.0.0.0/8, or ${NETWORKS.join(', ')}.`,
    );
  }
  return proxies;
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0) return NETWORKS.includes(text);
  return (
    rest.length === 0 &&
    (bits === undefined || (/^[1-9]\d*$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)))
  );
}

const UNIT_SECONDS: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['min', 60],
  ['h', 3600],
]);

function parseRate(text: string): Rate {
  const [, quota, unit = ''] = /^(\d+)\/(\w+)$/.exec(text) ?? [];
  const windowSeconds = UNIT_SECONDS.get(unit);
  if (windowSeconds === undefined || Number(quota) < 1 || Number(quota) > MAX_QUOTA) {
    throw new InvalidArgumentError('Expected a number of requests and s, min or h, such as 600/min.');
  }
  return { quota: Number(quota), windowSeconds };
}
