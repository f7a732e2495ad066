/** One request with its retries: from a query to a page, or to an error that says what happened. */

import { readBody, readListing, readSentence } from './answer.ts';
import type { Listing } from './api.ts';
import { wait, withDeadline } from './deadline.ts';
import {
  errorOfStatus,
  ShiftfeedAnswerError,
  type ShiftfeedError,
  ShiftfeedUnavailableError,
} from './errors.ts';
import { readHttpDate } from './http-date.ts';
import type { Memory } from './memory.ts';
import type { Settings } from './options.ts';
import type { ShiftPage } from './page.ts';
import { isRetried, readRetryAfter, retryWaitMs } from './retry.ts';

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
        () =>
          new ShiftfeedUnavailableError(`There was no answer within ${timeoutMs} ms.`, undefined, undefined),
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
  if ('flaw' in body) throw unusable(200, body.flaw);
  const listing = readListing(body.text);
  if ('flaw' in listing) throw unusable(200, listing.flaw);

  const page = pageOf(response, listing, undefined);
  const etag = response.headers.get('etag');
  if (etag === null) memory.forget(query);
  else memory.keep(query, { etag, page, bytes: body.bytes });
  return page;
}

/**
 * If a 304 omits the time zone or the last write, they are unchanged. The state of the listing must be in each answer.
 */
function pageOf({ headers }: Response, { shifts, meta }: Listing, known: ShiftPage | undefined): ShiftPage {
  const stale = headers.get('shiftfeed-stale');
  return Object.freeze({
    shifts,
    meta,
    timeZone: headers.get('shiftfeed-time-zone') ?? known?.timeZone,
    revision: headers.get('shiftfeed-revision') ?? undefined,
    listing: headers.get('shiftfeed-listing') ?? undefined,
    lastModifiedMs: readHttpDate(headers.get('last-modified')) ?? known?.lastModifiedMs,
    staleSeconds: stale === null ? undefined : Number(stale),
  });
}

/**
 * Any failure to get the whole answer counts as a lost connection. The original error may contain anything, so only its
 * code is reported.
 */
async function orUnreachable<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const code = codeOf(error);
    const detail = code === undefined ? '' : ` (${code})`;
    throw new ShiftfeedUnavailableError(`The server could not be reached${detail}.`, undefined, undefined);
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

async function refusal({ token }: Settings, response: Response): Promise<ShiftfeedError> {
  const { status, headers } = response;
  if (REDIRECTS.includes(status)) return unusable(status, 'it is a redirect, which is not followed');
  if (status < 400) return unusable(status, `its status is ${status}`);
  const body = await readBody(response, MAX_ERROR_BYTES).catch(() => undefined);
  const sentence = body === undefined || 'flaw' in body ? undefined : readSentence(body.text);
  const message = (sentence ?? `The server answered ${status}, without a sentence.`)
    .replaceAll(token, '[token]')
    .slice(0, MAX_SENTENCE_CHARACTERS);
  return errorOfStatus(status, message, readRetryAfter(headers, Date.now()));
}

function unusable(status: number, flaw: string): ShiftfeedAnswerError {
  return new ShiftfeedAnswerError(`The answer cannot be used: ${flaw}.`, status);
}
