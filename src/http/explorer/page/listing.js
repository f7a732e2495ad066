/** Asks the API for a page of shifts. */

/**
 * @typedef {object} Shift
 * @property {number} id
 * @property {string} date
 * @property {string} start_time
 * @property {string} end_time
 * @property {string} end_date
 * @property {{ readonly id: number, readonly name: string }} group
 * @property {{ readonly name: string, readonly address: string } | null} location
 * @property {{ readonly name: string } | null} person
 * @property {string} publish_date
 * @property {string} remarks
 * @property {boolean} starred
 * @property {boolean} cancelled
 * @property {boolean} noshow
 *
 * @typedef {object} Listing
 * @property {readonly Readonly<Shift>[]} shifts
 * @property {{ readonly total: number, readonly page: number, readonly per_page: number, readonly total_pages: number }} meta
 *
 * @typedef {object} Access who asks for which account. It lives in the memory of this page and nowhere else.
 * @property {string} account
 * @property {string} token
 *
 * @typedef {object} Answer
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
 * @returns {Promise<Answer>}
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
 * @returns {Pick<Answer, 'listing' | 'error'>}
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
