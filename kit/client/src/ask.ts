/** One request with its retries: from a filter to a page, or to an error that says what happened. */

import { isDate } from '@shiftfeed/common/days';
import { quote } from '@shiftfeed/common/quote';
import { pageOf, readBody, readHttpDate, readListing, readSentence, type ShiftPage } from './answer.ts';
import { PARAMETERS, type ShiftFilter } from './api.ts';
import { errorOfStatus, ShiftfeedError, ShiftfeedUnavailableError, unusable } from './errors.ts';
import type { Settings } from './options.ts';

export async function askPage(
  settings: Settings,
  memory: Memory,
  query: string,
  signal: AbortSignal | undefined,
): Promise<ShiftPage> {
  const { timeoutMs, retries, backoffMs, maxWaitMs } = settings;
  for (let attempt = 0; ; attempt++) {
    try {
      return await withDeadline(
        (deadline) => attemptPage(settings, memory, query, deadline),
        timeoutMs,
        signal,
      );
    } catch (error) {
      signal?.throwIfAborted();
      if (!isRetried(error) || attempt >= retries) throw error;
      const { retryAfterSeconds } = error;
      // Never ask earlier than the server wants; a wait that is too long is left to the caller.
      if (retryAfterSeconds !== undefined && retryAfterSeconds * 1_000 > maxWaitMs) throw error;
      await wait(retryWaitMs(attempt, retryAfterSeconds, backoffMs, Math.random()), signal);
    }
  }
}

async function attemptPage(
  settings: Settings,
  memory: Memory,
  query: string,
  signal: AbortSignal,
): Promise<ShiftPage> {
  const known = memory.find(query);
  const headers: Record<string, string> = {
    accept: 'application/json',
    authorization: `Bearer ${settings.token}`,
  };
  if (known !== undefined) headers['if-none-match'] = known.etag;
  // A redirect is never followed: it could take the token elsewhere.
  const request: RequestInit = { headers, signal, redirect: 'manual', cache: 'no-store' };
  const response = await orUnreachable(() => settings.fetch(settings.url + query, request));

  if (response.status === 304 && known !== undefined) return pageOf(response, known.page, known.page);
  if (response.status !== 200) throw await refusal(settings, response);

  const body = await orUnreachable(() => readBody(response, settings.maxResponseBytes));
  const page = pageOf(response, readListing(body.text), undefined);
  const etag = response.headers.get('etag');
  if (etag === null) memory.forget(query);
  else memory.keep(query, { etag, page, bytes: body.bytes });
  return page;
}

/**
 * Any other failure to get the whole answer counts as a lost connection. The original error may contain anything, so
 * only its code is reported.
 */
export async function orUnreachable<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ShiftfeedError) throw error;
    const code = codeOf(error);
    const detail = code === undefined ? '' : ` (${code})`;
    throw new ShiftfeedUnavailableError(`The server could not be reached${detail}.`);
  }
}

/** Such as ECONNREFUSED. Node hides it in the cause of the error. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code)) return code;
  return codeOf(cause);
}

/** In browsers, a redirect that is not followed has the status 0. */
const REDIRECTS = [0, 301, 302, 303, 307, 308];
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_SENTENCE_CHARACTERS = 2_000;

export async function refusal(
  { token }: Pick<Settings, 'token'>,
  response: Response,
): Promise<ShiftfeedError> {
  const { status, headers } = response;
  if (REDIRECTS.includes(status)) return unusable(status, 'it is a redirect, which is not followed');
  if (status < 400) return unusable(status, `its status is ${status}`);
  const body = await readBody(response, MAX_ERROR_BYTES).catch(() => undefined);
  const sentence = body && readSentence(body.text);
  const message = (sentence ?? `The server answered ${status}, without a sentence.`)
    .replaceAll(token, '[token]')
    .slice(0, MAX_SENTENCE_CHARACTERS);
  return errorOfStatus(status, message, readRetryAfter(headers, Date.now()));
}

/** No answer at all, too many requests, and what servers and the proxies before them say while they restart. */
const RETRIED: readonly (number | undefined)[] = [undefined, 429, 502, 503, 504];

function isRetried(error: unknown): error is ShiftfeedUnavailableError {
  return error instanceof ShiftfeedUnavailableError && RETRIED.includes(error.status);
}

const LONGEST_BACKOFF_MS = 10_000;

/**
 * How long to wait after a failed attempt (0 is the first). `random`, from 0 to 1, keeps clients that failed together
 * from coming back together.
 */
export function retryWaitMs(
  attempt: number,
  retryAfterSeconds: number | undefined,
  backoffMs: number,
  random: number,
): number {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1_000 + random * backoffMs;
  return random * Math.min(LONGEST_BACKOFF_MS, backoffMs * 2 ** attempt);
}

/** `Retry-After` in seconds, from seconds or an HTTP date. By the server's own clock, if the answer has its time. */
export function readRetryAfter(headers: Headers, nowMs: number): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  const untilMs = readHttpDate(text);
  if (untilMs === undefined) return undefined;
  const sinceMs = readHttpDate(headers.get('date')) ?? nowMs;
  return Math.max(0, (untilMs - sinceMs) / 1_000);
}

/** Every wait of the client ends: by a result, by its deadline, or by the caller's signal. */
export async function withDeadline<T>(
  run: (signal: AbortSignal) => Promise<T>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal?.reason);
  const late = async () => {
    await wait(timeoutMs, controller.signal);
    throw new ShiftfeedUnavailableError(`There was no answer within ${timeoutMs} ms.`);
  };
  signal?.throwIfAborted();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    // A custom fetch may ignore its signal, so the deadline does not depend on it.
    return await Promise.race([run(controller.signal), late()]);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    // Cancels what was not read to its end, and the wait.
    controller.abort();
  }
}

export async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

interface Remembered {
  readonly etag: string;
  readonly page: ShiftPage;
  /** The size of the answer. */
  readonly bytes: number;
}

export type Memory = ReturnType<typeof makeMemory>;

/** Pages by their query, with their entity tags, up to a size. The least recently used is forgotten first. */
export function makeMemory(maxBytes: number) {
  // A Map iterates in the order of insertion: the first entry was used longest ago.
  const entries = new Map<string, Remembered>();
  let bytes = 0;

  const forget = (query: string) => {
    bytes -= entries.get(query)?.bytes ?? 0;
    entries.delete(query);
  };

  return {
    forget,
    find(query: string): Remembered | undefined {
      const found = entries.get(query);
      if (found === undefined) return undefined;
      entries.delete(query);
      entries.set(query, found);
      return found;
    },
    keep(query: string, remembered: Remembered): void {
      forget(query);
      if (remembered.bytes > maxBytes) return;
      entries.set(query, remembered);
      bytes += remembered.bytes;
      for (const [oldest] of entries) {
        if (bytes <= maxBytes) break;
        forget(oldest);
      }
    },
  };
}

type Name = keyof typeof PARAMETERS;
const NAMES = Object.keys(PARAMETERS) as Name[];

/**
 * A filter as the query of a URL, with a question mark at the start, or empty. The same filter always gives the same
 * text. The service refuses a misspelt or empty parameter, but another server may overlook it and list more than was
 * meant. So that is refused here, before anything is sent. Which values are in range is left to the server.
 */
export function writeQuery(filter: ShiftFilter): string {
  for (const name of Object.keys(filter)) {
    if (!Object.hasOwn(PARAMETERS, name)) {
      throw new TypeError(`The filter has an unknown part "${name}": known are ${NAMES.join(', ')}.`);
    }
  }
  const query = new URLSearchParams();
  for (const name of NAMES) {
    if (Object.hasOwn(filter, name)) query.set(name, writeValue(name, filter[name]));
  }
  return query.size === 0 ? '' : `?${query}`;
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 1;

const KINDS = {
  'integer[]': {
    expected: 'a list of at least one whole number from 1 on',
    isRight: (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(isCount),
  },
  integer: { expected: 'a whole number from 1 on', isRight: isCount },
  date: { expected: 'a date "YYYY-MM-DD"', isRight: isDate },
  boolean: {
    expected: 'true, false, 1 or 0',
    isRight: (value: unknown) => typeof value === 'boolean' || value === 1 || value === 0,
  },
};

function writeValue(name: Name, value: unknown): string {
  const { expected, isRight } = KINDS[PARAMETERS[name]];
  if (!isRight(value)) {
    const hint = value === undefined ? ' Leave it out to list all.' : '';
    throw new TypeError(`In the filter, ${name} is ${show(value)}; expected ${expected}.${hint}`);
  }
  return String(value);
}

function show(value: unknown): string {
  return Array.isArray(value) && value.length === 0 ? 'an empty list' : quote(value);
}
