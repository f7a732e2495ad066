/**
 * A name for what a query shows: equal names mean equal bytes. It follows from the months that the query touches,
 * as of the revisions at which they last changed, so a change elsewhere in the account keeps it. It does not
 * depend on the token, and it can be told without reading a single shift.
 */

import { hash } from 'node:crypto';
import type { Day, Month } from '../listing/calendar.ts';
import type { DayMask } from '../listing/day-mask.ts';
import type { DateFilter, Paging } from '../listing/filter.ts';

/** To be raised when the same shifts are encoded differently than before. */
const FORMAT = 1;

export interface ShownMonth {
  readonly month: Month;
  readonly days: DayMask;
  readonly stamp: number;
}

export function tagOf(
  accountId: number,
  months: readonly ShownMonth[],
  /** Stands for the conditions on rows, and for today where that matters. */
  viewKey: string,
  { page, perPage }: Paging,
): string {
  const shown = months.map(({ month, days, stamp }) => `${month}.${days}.${stamp}`).join(',');
  return hash('sha1', `${FORMAT};${accountId};${shown};${viewKey};${page};${perPage}`, 'base64url');
}

/** For an account whose months are not held: it follows from the revision, so any change of the account changes it. */
export function tagOfWide(
  accountId: number,
  revision: number,
  today: Day,
  dates: DateFilter,
  viewKey: string,
  { page, perPage }: Paging,
): string {
  const asked = JSON.stringify(dates, (_, value) => (value instanceof Set ? [...value].sort() : value));
  return hash(
    'sha1',
    `${FORMAT};${accountId};${revision};${today};${asked};${viewKey};${page};${perPage}`,
    'base64url',
  );
}
