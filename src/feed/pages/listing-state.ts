/**
 * Which state of the data a listing shows: its tag, and when that was last written to. Both follow from the months that
 * the query touches and from their stamps, so a change elsewhere in the account keeps them. They need no shifts.
 */

import { hash } from 'node:crypto';
import type { Day, Month } from '../../listing/calendar.ts';
import type { DayMask } from '../../listing/day-mask.ts';
import type { DateFilter, Paging } from '../../listing/filter.ts';

/** Raise it when the same shifts are encoded differently than before. */
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
  /** Stands for the conditions on rows, and for today where that matters. */
  viewKey: string,
): string {
  const touched = months.map(({ month, days, stamp }) => `${month}.${days}.${stamp}`).join(',');
  return digest(`${FORMAT};${accountId};${touched};${viewKey}`);
}

/** For a huge account, whose stamps are not held: any change of the account changes it. */
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

/** A moment, also as HTTP writes it: writing it takes microseconds. */
export interface WriteTime {
  readonly ms: number;
  readonly text: string;
}

/** The time of the last of some stamps, which count microseconds. undefined without stamps: nothing was ever written. */
export function lastWriteOf(stamps: readonly number[]): WriteTime | undefined {
  if (stamps.length === 0) return undefined;
  const ms = stamps.reduce((last, stamp) => Math.max(last, stamp)) / 1000;
  return { ms, text: new Date(ms).toUTCString() };
}
