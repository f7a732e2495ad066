/** Days as counts from 1970-01-01. Dates of shifts are compared and added as integers and never meet a time zone. */

declare const unit: unique symbol;
export type Day = number & { readonly [unit]: 'day' };

/** As ISO 8601 and `Intl` count them: 1 is Monday, 7 is Sunday. */
export type Weekday = number;

export const DAY_MS = 86_400_000;
export const MINUTE_MS = 60_000;

/** The day of a date such as 2026-11-15, if there is such a date from 1000-01-01 to 9999-12-31. */
export function dayOf(date: string): Day | undefined {
  if (!/^[1-9]\d{3}-\d\d-\d\d$/.test(date)) return undefined;
  const month = Number(date.slice(5, 7)) - 1;
  const ms = Date.UTC(Number(date.slice(0, 4)), month, Number(date.slice(8)));
  // 30 February would be a day of March.
  return new Date(ms).getUTCMonth() === month ? ((ms / DAY_MS) as Day) : undefined;
}

export function dateOf(day: Day): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

export function addDays(day: Day, count: number): Day {
  return (day + count) as Day;
}

/** The same day of another month, or the last day if that month is shorter. */
export function addMonths(day: Day, count: number): Day {
  const first = firstOfMonth(day, count);
  const dayOfMonth = day - firstOfMonth(day);
  const lastOfMonth = firstOfMonth(day, count + 1) - 1;
  return Math.min(first + dayOfMonth, lastOfMonth) as Day;
}

/** The first day of the month in which a day lies, or of one that is some months away. */
export function firstOfMonth(day: Day, monthsAway = 0): Day {
  const date = new Date(day * DAY_MS);
  return (Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsAway, 1) / DAY_MS) as Day;
}

export function weekdayOf(day: Day): Weekday {
  // 1970-01-01 was a Thursday.
  return ((((day + 3) % 7) + 7) % 7) + 1;
}

export function firstOfWeek(day: Day, firstWeekday: Weekday): Day {
  return addDays(day, -((weekdayOf(day) - firstWeekday + 7) % 7));
}
