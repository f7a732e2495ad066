/**
 * The state of the data that a listing shows: its tag, and when it was last written to. Both are derived from the
 * months that the query touches and their stamps, so a change elsewhere in the account does not affect them. They need
 * no shifts.
 */

import { hash } from 'node:crypto';
import type { Day, Month } from '../../listing/calendar.ts';
import type { DayMask } from '../../listing/day-mask.ts';
import type { DateFilter, Paging } from '../../listing/filter.ts';

/** Increase it when the encoding of shifts changes. */
const FORMAT = 1;

export interface TouchedMonth {
  readonly month: Month;
  readonly days: DayMask;
  readonly stamp: number;
}

/** Equal tags mean equal shifts in the same order, over all pages of the listing. It does not depend on the token. */
export function listingTagOf(
  accountId: number,
  months: readonly TouchedMonth[],
  /** Represents the conditions on rows, and today where that matters. */
  viewKey: string,
): string {
  const touched = months.map(({ month, days, stamp }) => `${month}.${days}.${stamp}`).join(',');
  return digest(`${FORMAT};${accountId};${touched};${viewKey}`);
}

/** For a huge account, whose stamps are not held: it changes with every change of the account. */
export function listingTagOfHuge(
  accountId: number,
  revision: number,
  today: Day,
  dates: DateFilter,
  viewKey: string,
): string {
  const asked = JSON.stringify(dates, (_, value) => (value instanceof Set ? [...value].sort() : value));
  return digest(`${FORMAT};${accountId};${revision};${today};${asked};${viewKey}`);
}

function digest(text: string): string {
  return hash('sha1', text, 'base64url');
}

/** Equal entity tags mean equal bytes of a page. */
export function entityTagOf(listingTag: string, { page, perPage }: Paging): string {
  return `${listingTag}-${page}-${perPage}`;
}

/** A moment, and its HTTP format, which takes microseconds to write. */
export interface WriteTime {
  readonly ms: number;
  readonly text: string;
}

/** The time of the latest stamp; stamps count microseconds. undefined without stamps: nothing was ever written. */
export function lastWriteOf(stamps: readonly number[]): WriteTime | undefined {
  if (stamps.length === 0) return undefined;
  const ms = stamps.reduce((last, stamp) => Math.max(last, stamp)) / 1000;
  return { ms, text: new Date(ms).toUTCString() };
}
