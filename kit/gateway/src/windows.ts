/** Cuts a window of days into months and pieces. */

import { dateAfter, readDate } from '@shiftfeed/common/dates';
import { addDays, formatDate as dateOf, firstOfMonth } from '@shiftfeed/common/days';
import type { Window } from './projection.ts';

/** Such as "2027-03". */
export function monthOf(date: string): string {
  return date.slice(0, 7);
}

/** The days of each month among some days. */
export function monthsOf({ from, to }: Window): readonly Window[] {
  const months: Window[] = [];
  for (let first = from; first <= to; ) {
    const next = firstOfMonth(readDate(first), 1);
    const last = dateOf(addDays(next, -1));
    months.push({ from: first, to: last < to ? last : to });
    first = dateOf(next);
  }
  return months;
}

/** Some days in so many pieces, as far as there are as many days, and about equally long. */
export function piecesOf({ from, to }: Window, count: number): readonly Window[] {
  const days = readDate(to) - readDate(from) + 1;
  const pieces = Math.min(count, days);
  const firstOf = (piece: number) => dateAfter(from, Math.floor((piece * days) / pieces));
  return Array.from({ length: pieces }, (_, i) => ({ from: firstOf(i), to: dateAfter(firstOf(i + 1), -1) }));
}
