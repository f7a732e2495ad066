/** The checked options of a client. No error message repeats the token. */

export interface ShiftfeedClientOptions {
  /** The address of the account, such as `https://shifts.example.org/acme`. */
  readonly url: string | URL;
  /** A token of the account. It reads everything that the account has: keep it on your server. */
  readonly token: string;
  /** How long an attempt may take, its body included. Default 10,000. */
  readonly timeoutMs?: number;
  /** How many times to ask again after 429, 502, 503, 504 or no answer. Default 3. */
  readonly retries?: number;
  /** The longest wait before the second attempt; it doubles with each one. Default 250. */
  readonly backoffMs?: number;
  /** The longest wait that `Retry-After` may ask for. If it is longer, the error comes at once. Default 30,000. */
  readonly maxWaitMs?: number;
  /** The largest answer that is read, after decompression. Default 32 MiB. */
  readonly maxResponseBytes?: number;
  /** How much to remember of answers that have an `ETag`. 0 remembers nothing. Default 8 MiB. */
  readonly memoryBytes?: number;
  /** The most shifts that `pages`, `all` and `watch` collect to give them at once. Default 100,000. */
  readonly maxCollectedShifts?: number;
  /** Sends requests. By default the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

export const DEFAULTS = {
  timeoutMs: 10_000,
  retries: 3,
  backoffMs: 250,
  maxWaitMs: 30_000,
  maxResponseBytes: 32 * 1024 * 1024,
  memoryBytes: 8 * 1024 * 1024,
  maxCollectedShifts: 100_000,
};

export type Settings = Required<ShiftfeedClientOptions> & { readonly url: string };

/** The longest delay that timers support. */
export const LARGEST = 2 ** 31 - 1;

export function readOptions(options: ShiftfeedClientOptions): Settings {
  const limits = { ...DEFAULTS };
  for (const name of Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[]) {
    limits[name] = readCount(name, options[name] ?? DEFAULTS[name], 0);
  }
  return {
    ...limits,
    url: readUrl(String(options.url)),
    token: readToken(options.token),
    // Looked up at each request, so that whatever replaces it later is used.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
  };
}

export function readCount(name: string, value: number, least: number): number {
  if (Number.isInteger(value) && value >= least && value <= LARGEST) return value;
  throw new TypeError(`${name} is ${value}; expected a whole number from ${least} to ${LARGEST}.`);
}

const TAIL = '/api/v1/shifts';

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(
      'url is no address; expected that of an account, such as "https://shifts.example.org/acme".',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('url has a user name or password; expected the token as "token" instead.');
  }
  const path = url.pathname.replace(/\/+$/, '');
  if (url.search !== '' || url.hash !== '' || path.endsWith(TAIL)) {
    throw new TypeError(
      `url goes on after the account; expected it without "${TAIL}", a query or a fragment.`,
    );
  }
  return `${url.origin}${path}${TAIL}`;
}

function readToken(token: unknown): string {
  if (typeof token !== 'string' || token === '') {
    throw new TypeError('token is missing; expected a token of the account.');
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new TypeError(
      'token has a space, a line break or another character that no token has. Was it read from a file? Then trim it.',
    );
  }
  return token;
}
