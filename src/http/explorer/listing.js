/** Asks the API for shifts, and tells which control an error is about. */

/**
 * @typedef {import('@shiftfeed/client').Shift} Shift
 * @typedef {import('@shiftfeed/client').Meta} Meta
 * @typedef {{ readonly shifts: readonly Shift[], readonly meta: Meta }} Listing
 *
 * @typedef {object} Access who asks for which account. It lives in the memory of this page and nowhere else.
 * @property {string} account
 * @property {string} token
 *
 * @typedef {object} ApiAnswer
 * @property {number} status
 * @property {Headers} headers
 * @property {number} durationMs until the last byte had arrived
 * @property {number} bodyBytes uncompressed
 * @property {string} text
 * @property {Listing | undefined} listing
 * @property {string | undefined} error a sentence, if there is no listing
 */

/**
 * The address of a listing. It stays below the address of this page: its security policy allows no other.
 *
 * @param {string} account
 * @param {string} search without the question mark
 * @returns {URL}
 */
export function listingUrl(account, search) {
  // Of what a path may contain, an apostrophe alone would end a quoted text in a shell.
  const name = encodeURIComponent(account).replaceAll("'", '%27');
  return new URL(`${name}/api/v1/shifts${search === '' ? '' : `?${search}`}`, document.baseURI.split('#')[0]);
}

/**
 * @param {Access} access
 * @param {string} search
 * @param {AbortSignal} signal
 * @returns {Promise<ApiAnswer>}
 */
export async function askListing({ account, token }, search, signal) {
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

/**
 * @param {Response} response
 * @param {string} text
 * @returns {Pick<ApiAnswer, 'listing' | 'error'>}
 */
function readBody(response, text) {
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

/**
 * Counts the shifts that match and are not published yet. The API cannot list them alone, so two totals are compared.
 *
 * @param {Access} access
 * @param {string} search asks for as little as possible, with the unpublished shifts
 * @param {ApiAnswer} answer without them
 * @param {AbortSignal} signal
 * @returns {Promise<number>} 0 if the API does not tell
 */
export async function countUnpublished(access, search, { listing, headers }, signal) {
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
 *
 * @param {number} status
 * @param {string} error
 * @returns {Map<string, string>}
 */
export function problemsByControl(status, error) {
  if (status === 401) return new Map([['token', error]]);
  if (status === 404) return new Map([['account', error]]);
  /** @type {Map<string, string>} */
  const problems = new Map();
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
