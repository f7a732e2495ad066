/**
 * The entity tag of a page: equal tags mean equal bytes. It follows from the months that the query touches and from
 * their stamps, so a change elsewhere in the account keeps it. It does not depend on the token, and it needs no shifts.
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

export function entityTagOf(
  accountId: number,
  months: readonly TouchedMonth[],
  /** Stands for the conditions on rows, and for today where that matters. */
  viewKey: string,
  { page, perPage }: Paging,
): string {
  const touched = months.map(({ month, days, stamp }) => `${month}.${days}.${stamp}`).join(',');
  return hash('sha1', `${FORMAT};${accountId};${touched};${viewKey};${page};${perPage}`, 'base64url');
}

/** For a huge account, whose stamps are not held: any change of the account changes it. */
export function entityTagOfHuge(
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
