/**
 * Cuts a listing into stretches of whole months, of about a page each. Whatever order an account has chosen, its
 * listing runs from day to day, so stretches in a row are the listing. The server tags each stretch on its own, which
 * tells where something changed.
 */

import { dateAfter } from '@shiftfeed/common/dates';
import type { Shift } from './api.ts';
import type { DateRange } from './days.ts';

export type Stretch = DateRange;

/**
 * The months to cut at, as `YYYY-MM`. Those of an earlier cut stay while they have shifts: other stretches would have
 * other tags.
 */
export function monthsToCutAt(
  shifts: readonly Shift[],
  pageSize: number,
  earlier: readonly string[],
): string[] {
  const kept = new Set(earlier);
  const months: string[] = [];
  let count = 0;
  for (const [month, shiftsOfMonth] of countByMonth(shifts)) {
    if (months.length === 0 || kept.has(month) || count + shiftsOfMonth > pageSize) {
      months.push(month);
      count = 0;
    }
    count += shiftsOfMonth;
  }
  return months;
}

function countByMonth(shifts: readonly Shift[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { date } of shifts) {
    const month = date.slice(0, 7);
    counts.set(month, (counts.get(month) ?? 0) + 1);
  }
  return counts;
}

/**
 * All stretches of a listing that has its first and its last shift on these days. They name these days because days
 * outside may have shifts that the listing leaves out: without a calendar filter, it is of the next 12 months.
 */
export function cutAt(months: readonly string[], firstDay: string, lastDay: string): Stretch[] {
  const starts = months.map((month) => `${month}-01`).filter((day) => day > firstDay && day <= lastDay);
  return [firstDay, ...starts].map((date_from, i) => {
    const next = starts[i];
    return { date_from, date_to: next === undefined ? lastDay : dateAfter(next, -1) };
  });
}
