/** Dates as the API writes them (YYYY-MM-DD), which sort as text. */

import type { Window } from './projection.ts';

const MS_PER_DAY = 86_400_000;
const FIRST_DATE = '1000-01-01';

/** Whether a text is a date that exists. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < FIRST_DATE) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  // Some engines turn 30 February into 2 March.
  return !Number.isNaN(ms) && dateOfMs(ms) === text;
}

export function addDays(date: string, days: number): string {
  return dateOfMs(msOfDate(date) + days * MS_PER_DAY);
}

/** Such as "2027-03". */
export function monthOf(date: string): string {
  return date.slice(0, 7);
}

/** The days of each month among some days. */
export function monthsOf({ from, to }: Window): readonly Window[] {
  const months: Window[] = [];
  for (let first = from; first <= to; ) {
    const [year = 0, month = 0] = first.split('-').map(Number);
    const last = dateOfMs(Date.UTC(year, month, 0));
    months.push({ from: first, to: last < to ? last : to });
    first = addDays(last, 1);
  }
  return months;
}

/** Some days in so many pieces, as far as there are as many days, and about equally long. */
export function piecesOf({ from, to }: Window, count: number): readonly Window[] {
  const days = Math.round((msOfDate(to) - msOfDate(from)) / MS_PER_DAY) + 1;
  const pieces = Math.min(count, days);
  const firstOf = (piece: number) => addDays(from, Math.floor((piece * days) / pieces));
  return Array.from({ length: pieces }, (_, i) => ({ from: firstOf(i), to: addDays(firstOf(i + 1), -1) }));
}

/** Midnight of a date in UTC, for arithmetic and for `Intl`. */
export function msOfDate(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

export function isTimeZone(text: string): boolean {
  // Offsets such as +01:00 are no zones: they know no summer time.
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

function dateOfMs(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
