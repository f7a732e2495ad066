/**
 * Calendar arithmetic on whole numbers. A `Day` counts days from 1970-01-01 and a `Month` counts months from January of
 * year 0, both in the proleptic Gregorian calendar, so that filters, plans and pages compare and subtract integers and
 * never meet a time zone.
 */

declare const unit: unique symbol;
export type Day = number & { readonly [unit]: 'day' };
export type Month = number & { readonly [unit]: 'month' };

/** Day of week as the API counts it: 1 is Sunday, 7 is Saturday. */
export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7;

export interface CivilDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** 1 to 31. */
  readonly dayOfMonth: number;
}

export const FIRST_YEAR = 1000;
export const LAST_YEAR = 9999;

const DAYS_PER_ERA = 146_097; // The Gregorian calendar repeats every 400 years.
const DAYS_FROM_YEAR_0_MARCH_TO_1970 = 719_468;

/** The day number of a date that exists; `parseDate` is the way in for dates that may not. */
export function dayOf(year: number, month: number, dayOfMonth: number): Day {
  // Counting years from March puts the leap day last, which makes month lengths a linear formula.
  const marchYear = month > 2 ? year : year - 1;
  const marchMonth = month > 2 ? month - 3 : month + 9;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * marchMonth + 2) / 5) + dayOfMonth - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return (era * DAYS_PER_ERA + dayOfEra - DAYS_FROM_YEAR_0_MARCH_TO_1970) as Day;
}

export function civilOf(day: Day): CivilDate {
  const shifted = day + DAYS_FROM_YEAR_0_MARCH_TO_1970;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const dayOfEra = shifted - era * DAYS_PER_ERA;
  const leapDays =
    Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: era * 400 + yearOfEra + (month <= 2 ? 1 : 0),
    month,
    dayOfMonth: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}

export const FIRST_DAY = dayOf(FIRST_YEAR, 1, 1);
export const LAST_DAY = dayOf(LAST_YEAR, 12, 31);

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Reads `YYYY-MM-DD`. Anything that is no real date from FIRST_DAY to LAST_DAY is undefined. */
export function parseDate(text: string): Day | undefined {
  const match = DATE.exec(text);
  if (match === null) return undefined;
  const [year, month, dayOfMonth] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (year < FIRST_YEAR || month < 1 || month > 12 || dayOfMonth < 1) return undefined;
  if (dayOfMonth > daysIn(monthOf(year, month))) return undefined;
  return dayOf(year, month, dayOfMonth);
}

export function formatDate(day: Day): string {
  const { year, month, dayOfMonth } = civilOf(day);
  return `${String(year).padStart(4, '0')}-${pad(month)}-${pad(dayOfMonth)}`;
}

export function weekdayOf(day: Day): Weekday {
  // Day 0 was a Thursday.
  return (modulo(day + 4, 7) + 1) as Weekday;
}

/** The ISO 8601 week: weeks run from Monday to Sunday and belong to the year that has their Thursday. */
export function isoWeekOf(day: Day): { readonly year: number; readonly week: number } {
  const thursday = (day - modulo(day + 3, 7) + 3) as Day;
  const { year } = civilOf(thursday);
  return { year, week: Math.floor((thursday - dayOf(year, 1, 1)) / 7) + 1 };
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

/** The same day of the month, some months on; the last day of that month where it has no such day. */
export function addMonths(day: Day, count: number): Day {
  const { year, month, dayOfMonth } = civilOf(day);
  const target = (monthOf(year, month) + count) as Month;
  return (firstDayOf(target) + Math.min(dayOfMonth, daysIn(target)) - 1) as Day;
}

/** `YYYY-MM`, as the store names months. */
export function formatMonth(month: Month): string {
  return `${String(yearOfMonth(month)).padStart(4, '0')}-${pad(numberOfMonth(month))}`;
}

export function parseMonth(text: string): Month {
  return monthOf(Number(text.slice(0, 4)), Number(text.slice(5, 7)));
}

function pad(number: number): string {
  return number < 10 ? `0${number}` : String(number);
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
