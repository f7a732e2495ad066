/** The options of `serve`, and how their values are read. */

import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { InvalidArgumentError, Option } from 'commander';
import { NAMED_NETWORKS } from '../../http/limits/client-address.ts';
import { DEFAULT_LIMITS } from '../../http/limits/limits.ts';
import type { Rate } from '../../http/limits/rate-limit.ts';
import type { Address } from '../../server/listening.ts';
import type { LogLevel } from '../../server/log.ts';
import { databaseFileOption, databaseOption, integerBetween, textThat } from '../options.ts';
import { fromEnvironment } from '../variables.ts';

export interface ServeOptions extends LimitOptions {
  readonly database: string;
  readonly readDatabase?: string;
  readonly host: string;
  readonly port: number;
  readonly workers: number;
  readonly cacheMb: number;
  readonly staleIfError: number;
  readonly baseUrl?: string;
  readonly pathPrefix: string;
  readonly pages: boolean;
  readonly trustProxy: readonly string[];
  readonly corsOrigin: readonly string[];
  readonly rateLimit?: Rate;
  readonly failedTokenLimit?: Rate;
  readonly drainSeconds: number;
  readonly logLevel: LogLevel;
  readonly adminPort?: number;
  readonly adminHost: string;
  readonly demo?: boolean;
}

/** The options, and the addresses to listen on. */
export interface ServeSettings extends ServeOptions {
  readonly address: Address;
  readonly adminAddress: Address | undefined;
}

export interface LimitOptions {
  readonly maxConnections: number;
  readonly headerTimeout: number;
  readonly idleTimeout: number;
}

export function limitsOf({ maxConnections, headerTimeout, idleTimeout }: LimitOptions) {
  return { maxConnections, headerTimeoutMs: headerTimeout * 1000, idleTimeoutMs: idleTimeout * 1000 };
}

const MAX_WORKERS = 256;
const MAX_STALE_SECONDS = 7 * 24 * 3600;
const MAX_DRAIN_SECONDS = 600;
const MAX_QUOTA = 1_000_000;

export function serveOptions(): readonly Option[] {
  return [...whatIsServed(), ...limits(), ...operation()].map(fromEnvironment);
}

/** Those that another server has, too, with the port that it takes by default, and what its base URL is. */
export function sharedOptions(
  port: number,
  baseUrl: Option,
  ...more: (keyof ServeOptions)[]
): readonly Option[] {
  const names: string[] = ['host', 'port', 'trustProxy', 'logLevel', 'adminPort', 'adminHost'];
  names.push(...more);
  const shared = serveOptions().filter((option) => names.includes(option.attributeName()));
  for (const option of shared) if (option.attributeName() === 'port') option.default(port);
  return [...shared, baseUrl];
}

/** For commands that write addresses of a server. */
export function baseUrlOption(description: string): Option {
  const option = new Option('--base-url <url>', description);
  return fromEnvironment(option.argParser(parseBaseUrl));
}

/** Where to listen, with how many processes, and for whom. */
function whatIsServed(): readonly Option[] {
  return [
    new Option('--host <address>', 'the address to listen on').default('127.0.0.1').argParser(parseHost),
    new Option('--port <number>', 'the port to listen on; 0 picks a free one')
      .default(8080)
      .argParser(integerBetween(0, 65_535)),
    new Option('--workers <number|auto>', 'how many processes serve; auto is one a core')
      .default(1)
      .argParser(parseWorkers),
    new Option('--cache-mb <number>', 'memory for shifts, in megabytes, of all workers')
      .default(256)
      .argParser(integerBetween(1, 1_000_000)),
    new Option('--stale-if-error <seconds>', 'for how long to list from memory while the database is away')
      .default(0)
      .argParser(integerBetween(0, MAX_STALE_SECONDS)),
    baseUrlOption('where clients reach the service, for links behind a proxy'),
    new Option('--path-prefix <path>', 'serve everything under this path, such as /shifts')
      .default('', 'none')
      .argParser(parsePathPrefix),
    new Option('--no-pages', 'serve no pages for people: neither the explorer at / nor /docs'),
    new Option(
      '--trust-proxy <addresses>',
      'trust X-Forwarded-For from these proxies: addresses or networks; may be repeated, or several separated by commas',
    )
      .default([], 'none')
      .argParser<string[]>(collectProxies),
    new Option(
      '--cors-origin <origin>',
      'let pages of this origin read from a browser; may be repeated, or several separated by commas',
    )
      .default([], 'none')
      .argParser<string[]>(collectOrigins),
  ];
}

/** What clients may use. */
function limits(): readonly Option[] {
  return [
    new Option('--rate-limit <rate>', 'how often a token may be used, such as 600/min').argParser(parseRate),
    new Option(
      '--failed-token-limit <rate>',
      'how many wrong tokens an address may send, such as 30/min',
    ).argParser(parseRate),
    new Option('--max-connections <number>', 'how many connections a process has open at most')
      .default(DEFAULT_LIMITS.maxConnections)
      .argParser(integerBetween(1, 1_000_000)),
    new Option('--header-timeout <seconds>', 'how long the head of a request may take to arrive')
      .default(DEFAULT_LIMITS.headerTimeoutMs / 1000)
      .argParser(integerBetween(1, 3_600)),
    new Option('--idle-timeout <seconds>', 'how long a connection stays open between requests')
      .default(DEFAULT_LIMITS.idleTimeoutMs / 1000)
      .argParser(integerBetween(1, 3_600)),
  ];
}

/** For operators. */
function operation(): readonly Option[] {
  return [
    new Option('--drain-seconds <number>', 'how long to send clients elsewhere after SIGTERM, before it ends')
      .default(5)
      .argParser(integerBetween(0, MAX_DRAIN_SECONDS)),
    new Option('--log-level <level>', 'what to log: requests too, or problems only')
      .choices(['info', 'warn', 'error'])
      .default('warn'),
    new Option('--admin-port <number>', 'serve metrics for Prometheus on this port').argParser(
      integerBetween(0, 65_535),
    ),
    new Option('--admin-host <address>', 'the address to serve metrics on')
      .default('127.0.0.1')
      .argParser(parseHost),
    new Option('--demo', 'add a demo account if there is none, and print how to try it'),
    databaseOption(),
    databaseFileOption(),
    new Option('--read-database <url>', 'where to read instead, such as a replica or a list of them'),
    new Option('--read-database-file <path>', 'a file with the URL of --read-database'),
  ];
}

/** Node would take an empty address for all addresses of the machine. */
const parseHost = textThat((text) => text !== '', 'an address such as 127.0.0.1');

function parseBaseUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || /[?#@]/.test(text)) {
    throw new InvalidArgumentError('Expected a URL such as https://shifts.example.org.');
  }
  return url.href.replace(/\/$/, '');
}

/** Origins are kept in the form in which browsers send them, so that they compare as text. */
function collectOrigins(text: string, origins: readonly string[]): string[] {
  return [...origins, ...text.split(',').map(parseOrigin)];
}

function parseOrigin(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new InvalidArgumentError('Expected an origin such as https://www.example.org.');
  }
  return url.origin;
}

function parseWorkers(text: string): number {
  if (text === 'auto') return availableParallelism();
  const workers = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (workers >= 1 && workers <= MAX_WORKERS) return workers;
  throw new InvalidArgumentError(`Expected auto, or a whole number from 1 to ${MAX_WORKERS}.`);
}

/** Removes a slash at the end, so that paths can be appended. */
function parsePathPrefix(text: string): string {
  if (!/^(?:\/(?!\.+(?:\/|$))[\w.~-]+)*\/?$/.test(text))
    throw new InvalidArgumentError('Expected a path such as /shifts.');
  return text.replace(/\/$/, '');
}

const NETWORKS = Object.keys(NAMED_NETWORKS);

function collectProxies(text: string, before: readonly string[]): string[] {
  const proxies = text.split(',').map((proxy) => proxy.trim());
  if (!proxies.every(isNetwork)) {
    throw new InvalidArgumentError(
      `Expected addresses such as 10.0.0.7, networks such as 10.0.0.0/8, or ${NETWORKS.join(', ')}.`,
    );
  }
  return [...before, ...proxies];
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
