/** Counts the shifts that match and are not published yet. */

import { askListing } from './listing.js';

/** The last count and what it is about: it stays the same from page to page. */
let last = { about: '', count: 0 };

/**
 * The API adds these shifts to the others and cannot list them alone, so two totals are compared.
 *
 * @param {import('./listing.js').Access} access
 * @param {string} search asks for as little as possible, with the unpublished shifts
 * @param {import('./listing.js').Answer} answer without them
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
