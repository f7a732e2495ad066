/** Asks the API for shifts, and tells which control an error is about. */

import type { Meta, Shift } from '@shiftfeed/client';

export interface Listing {
  readonly shifts: readonly Shift[];
  readonly meta: Meta;
}

/** Who asks for which account. It lives in the memory of this page and nowhere else. */
export interface Access {
  account: string;
  token: string;
}

export interface ApiAnswer {
  status: number;
  headers: Headers;
  /** Until the last byte had arrived. */
  durationMs: number;
  /** Uncompressed. */
  bodyBytes: number;
  text: string;
  listing: Listing | undefined;
  /** A sentence, if there is no listing. */
  error: string | undefined;
}

/** The address of a listing. It stays below the address of this page: its security policy allows no other. */
export function listingUrl(account: string, search: string): URL {
  // Of what a path may contain, an apostrophe alone would end a quoted text in a shell.
  const name = encodeURIComponent(account).replaceAll("'", '%27');
  // From the folder of this script.
  return new URL(`../${name}/api/v1/shifts${search === '' ? '' : `?${search}`}`, import.meta.url);
}

export async function askListing(
  { account, token }: Access,
  search: string,
  signal: AbortSignal,
): Promise<ApiAnswer> {
  const startedMs = performance.now();
  const response = await fetch(listingUrl(account, search), {
    headers: { authorization: `Bearer ${token}` },
    // Shifts are private: the browser keeps no copy of them, and sends nothing but the token.
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    signal,
  });
  const bytes = await response.arrayBuffer();
  const text = new TextDecoder().decode(bytes);
  return {
    status: response.status,
    headers: response.headers,
    durationMs: performance.now() - startedMs,
    bodyBytes: bytes.byteLength,
    text,
    ...readBody(response, text),
  };
}

function readBody(response: Response, text: string): Pick<ApiAnswer, 'listing' | 'error'> {
  try {
    const body = JSON.parse(text);
    if (response.ok) return { listing: body, error: undefined };
    if (typeof body.error === 'string') return { listing: undefined, error: body.error };
  } catch {
    // Something in between, such as a proxy, has answered.
  }
  return { listing: undefined, error: `The answer is ${response.status} and not one of the API.` };
}

/** The last count and what it is about: it stays the same from page to page. */
let last = { about: '', count: 0 };

/** Counts the shifts that match and are not published yet. The API cannot list them alone, so two totals are compared. */
export async function countUnpublished(
  access: Access,
  search: string,
  { listing, headers }: ApiAnswer,
  signal: AbortSignal,
): Promise<number> {
  if (listing === undefined) return 0;
  const { total } = listing.meta;
  const about = [access.account, search, total, headers.get('shiftfeed-revision')].join(' ');
  if (about !== last.about) {
    const all = (await askListing(access, search, signal)).listing;
    if (all === undefined) return 0;
    last = { about, count: Math.max(0, all.meta.total - total) };
  }
  return last.count;
}

/** A sentence ends at a full stop or question mark before a space, unless that is part of a value in quotation marks. */
const SENTENCE = /(?:"(?:[^"\\]|\\.)*"|[^".?]|[.?](?! |$))+[.?]/g;

/**
 * The sentences of an error by the control that each is about: a parameter, `account` or `token`. A sentence about a
 * parameter begins with its name, and others begin with a capital letter.
 */
export function problemsByControl(status: number, error: string): Map<string, string> {
  if (status === 401) return new Map([['token', error]]);
  if (status === 404) return new Map([['account', error]]);
  const problems: Map<string, string> = new Map();
  if (status !== 400) return problems;
  for (const found of error.match(SENTENCE) ?? []) {
    const sentence = found.trim();
    const [, name] = /^([a-z_]+) /.exec(sentence) ?? [];
    if (name === undefined) continue;
    const earlier = problems.get(name);
    problems.set(name, earlier === undefined ? sentence : `${earlier} ${sentence}`);
  }
  return problems;
}
