/** Where shifts come from: a function of the page, or the address of a gateway. */

import type { SourceAnswer } from './answer.ts';

export interface SourceRequest {
  /** The first and the last date to look at, such as 2026-11-15. */
  readonly from: string;
  readonly to: string;
  /** Only these groups, if there are any. Shifts of others are not shown, whether the source heeds this or not. */
  readonly groupIds: readonly number[];
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export type ShiftSource = (request: SourceRequest) => SourceAnswer | Promise<SourceAnswer>;

/** Asks a gateway, at the address of a feed's shifts. */
export function sourceAt(src: string): ShiftSource {
  return async ({ from, to, groupIds, signal }) => {
    const url = new URL(src, document.baseURI);
    // An address that names days shows no others.
    const { date_from: first = from, date_to: last = to } = Object.fromEntries(url.searchParams);
    url.searchParams.set('date_from', first > from ? first : from);
    url.searchParams.set('date_to', last < to ? last : to);
    if (groupIds.length > 0) url.searchParams.set('group_ids', groupIds.join());
    const response = await fetch(url, { signal, headers: { accept: 'application/json' } });
    if (!response.ok) throw new Error(`${url.host} answered with ${response.status}.`);
    const age_seconds = Number(response.headers.get('shiftfeed-age'));
    return { ...(await response.json()), age_seconds };
  };
}

/** How long to wait for an answer. */
const TIMEOUT_MS = 30_000;

/** Rejects as soon as `signal` is aborted or time is up, whether the source heeds that or not. */
export async function askSource(source: ShiftSource, request: SourceRequest): Promise<unknown> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    Promise.resolve(source({ ...request, signal })).then(resolve, reject);
  });
}
