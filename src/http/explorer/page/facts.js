/** What is worth knowing about an answer, beside its shifts. */

import { make } from './dom.js';

/**
 * Replaces the facts that are shown.
 *
 * @param {HTMLElement} list
 * @param {import('./listing.js').Answer} answer
 */
export function showFacts(list, answer) {
  const { headers } = answer;
  /** @type {[title: string, value: string | null][]} */
  const facts = [
    ['Status', String(answer.status)],
    ['Time', `${Math.max(1, Math.round(answer.durationMs))} ms`],
    ['Size', sizeOf(answer)],
    ['Revision', headers.get('shiftfeed-revision')],
    ['ETag', headers.get('etag')],
    ['Time zone', headers.get('shiftfeed-time-zone')],
    ['Stale', staleness(headers.get('shiftfeed-stale'))],
  ];
  list.replaceChildren(
    ...facts.flatMap(([title, value]) =>
      value === null ? [] : [make('div', {}, make('dt', {}, title), make('dd', {}, value))],
    ),
  );
  list.hidden = false;
}

/** @param {import('./listing.js').Answer} answer */
function sizeOf({ headers, bodyBytes }) {
  const encoding = headers.get('content-encoding');
  const sent = Number(headers.get('content-length') ?? 0);
  const size = readableBytes(bodyBytes);
  return encoding === null || sent === 0 ? size : `${size}, ${readableBytes(sent)} as ${encoding}`;
}

/** @param {number} bytes */
function readableBytes(bytes) {
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`;
}

/** @param {string | null} seconds */
function staleness(seconds) {
  return seconds === null ? null : `${seconds} s old: the database is away`;
}
