/** Dates and times as the API writes them: `YYYY-MM-DD`, from 1000-01-01 to 9999-12-31, and `HH:MM`. They sort as text. */

import { addDays, type Day, dateOf, dayOf } from './days.ts';

const FIRST_DATE = '1000-01-01';
const LAST_DATE = '9999-12-31';

/** Whether it is the text of a date that exists. */
export function isDate(value: unknown): value is string {
  return typeof value === 'string' && dayOf(value) !== undefined;
}

/** Throws a `RangeError` if it is not a date. */
export function readDate(date: string): Day {
  const day = dayOf(date);
  if (day === undefined) throw new RangeError(`"${date}" is not a date; expected YYYY-MM-DD.`);
  return day;
}

/** Whether it is the text of a time from 00:00 to 23:59. */
export function isTime(value: unknown): value is string {
  return typeof value === 'string' && /^([01]\d|2[0-3]):[0-5]\d$/.test(value);
}

/** The date this many days later, limited to the first and last dates of the API. */
export function dateAfter(date: string, days: number): string {
  return knownDateOf(addDays(readDate(date), days));
}

/** The date of a day, or the nearest date that the API accepts. */
export function knownDateOf(day: Day): string {
  return dateOf(Math.min(readDate(LAST_DATE), Math.max(readDate(FIRST_DATE), day)) as Day);
}
