/**
 * Calendar arithmetic on whole numbers. A `Day` counts days from 1970-01-01 and a `Month` counts months from January of
 * year 0, both in the Gregorian calendar. So dates of shifts are compared and subtracted as integers and never meet a
 * time zone. As text, dates and times are as the API writes them: `YYYY-MM-DD` and `HH:MM`. They sort as text, too.
 */

declare const unit: unique symbol;
export type Day = number & { readonly [unit]: 'day' };
export type Month = number & { readonly [unit]: 'month' };

/** Day of week as the API counts it: 1 is Sunday, 7 is Saturday. */
export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7;
/** As ISO 8601 and `Intl` count them: 1 is Monday, 7 is Sunday. */
export type IsoWeekday = number;

export interface IsoWeek {
  /** The year of the week, which around New Year is not that of the date. */
  readonly year: number;
  /** 1 to 53. */
  readonly week: number;
}

export const DAY_MS = 86_400_000;
export const MINUTE_MS = 60_000;
export const FIRST_YEAR = 1000;
export const LAST_YEAR = 9999;
export const FIRST_DAY = dayOf(FIRST_YEAR, 1, 1);
export const LAST_DAY = dayOf(LAST_YEAR, 12, 31);

/** The day number of a date that exists; `parseDate` is the way in for dates that may not. */
export function dayOf(year: number, month: number, dayOfMonth: number): Day {
  return (Date.UTC(year, month - 1, dayOfMonth) / DAY_MS) as Day;
}

/** Months and days of the month count from 1. */
export function civilOf(day: Day) {
  const date = new Date(day * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, dayOfMonth: date.getUTCDate() };
}

const DATE = /^[1-9]\d{3}-\d\d-\d\d$/;

/** Reads `YYYY-MM-DD`. Anything that is no real date from FIRST_DAY to LAST_DAY is undefined. */
export function parseDate(text: string): Day | undefined {
  if (!DATE.test(text)) return undefined;
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  const dayOfMonth = Number(text.slice(8));
  if (month < 1 || month > 12 || dayOfMonth < 1) return undefined;
  // Imports read millions of dates, and every month has 28 days.
  if (dayOfMonth > 28 && dayOfMonth > daysIn(monthOf(year, month))) return undefined;
  return dayOf(year, month, dayOfMonth);
}

/** Throws a `RangeError` if it is not a date. */
export function readDate(date: string): Day {
  const day = parseDate(date);
  if (day === undefined) throw new RangeError(`"${date}" is not a date; expected YYYY-MM-DD.`);
  return day;
}

export function formatDate(day: Day): string {
  const { year, month, dayOfMonth } = civilOf(day);
  return `${String(year).padStart(4, '0')}-${pad(month)}-${pad(dayOfMonth)}`;
}

/** Whether it is the text of a date that exists. */
export function isDate(value: unknown): value is string {
  return typeof value === 'string' && parseDate(value) !== undefined;
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
  return formatDate(Math.min(LAST_DAY, Math.max(FIRST_DAY, day)) as Day);
}

export function addDays(day: Day, count: number): Day {
  return (day + count) as Day;
}

/** The same day of the month, some months on; the last day of that month where it has no such day. */
export function addMonths(day: Day, count: number): Day {
  const first = firstOfMonth(day, count);
  const lastOfMonth = firstOfMonth(day, count + 1) - 1;
  return Math.min(first + civilOf(day).dayOfMonth - 1, lastOfMonth) as Day;
}

export function monthOf(year: number, month: number): Month {
  return (year * 12 + month - 1) as Month;
}

export function monthOfDay(day: Day): Month {
  const { year, month } = civilOf(day);
  return monthOf(year, month);
}

export function yearOfMonth(month: Month): number {
  return Math.floor(month / 12);
}

/** 1 to 12. */
export function numberOfMonth(month: Month): number {
  return modulo(month, 12) + 1;
}

export function firstDayOf(month: Month): Day {
  return dayOf(yearOfMonth(month), numberOfMonth(month), 1);
}

export function daysIn(month: Month): number {
  return firstDayOf((month + 1) as Month) - firstDayOf(month);
}

/** The first day of the month in which a day lies, or of one that is some months away. */
export function firstOfMonth(day: Day, monthsAway = 0): Day {
  return firstDayOf((monthOfDay(day) + monthsAway) as Month);
}

/** `YYYY-MM`, as the store names months. */
export function formatMonth(month: Month): string {
  return `${String(yearOfMonth(month)).padStart(4, '0')}-${pad(numberOfMonth(month))}`;
}

export function parseMonth(text: string): Month {
  return monthOf(Number(text.slice(0, 4)), Number(text.slice(5, 7)));
}

export function weekdayOf(day: Day): Weekday {
  // Day 0 was a Thursday.
  return (modulo(day + 4, 7) + 1) as Weekday;
}

export function isoWeekdayOf(day: Day): IsoWeekday {
  return modulo(day + 3, 7) + 1;
}

/** The first day of the week in which a day lies, where weeks begin on this weekday. */
export function firstOfWeek(day: Day, firstWeekday: IsoWeekday): Day {
  return addDays(day, -modulo(isoWeekdayOf(day) - firstWeekday, 7));
}

const MONDAY = 1;

/** ISO weeks run from Monday to Sunday and belong to the year that has their Thursday. */
export function isoWeekOf(day: Day): IsoWeek {
  const thursday = addDays(firstOfWeek(day, MONDAY), 3);
  const { year } = civilOf(thursday);
  return { year, week: Math.floor((thursday - dayOf(year, 1, 1)) / 7) + 1 };
}

/** The Monday of a week. Throws a `RangeError` if the API does not know the year. */
export function mondayOf({ year, week }: IsoWeek): Day {
  // 4 January is always in the first week.
  return addDays(firstOfWeek(readDate(`${year}-01-04`), MONDAY), (week - 1) * 7);
}

function pad(number: number): string {
  return number < 10 ? `0${number}` : String(number);
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
