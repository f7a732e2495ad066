/** Days and ISO weeks, and the filters that fetch them. */

import type { ShiftFilter } from './api.ts';
import { addDays, DAY_MS, readDate, writeDate } from './calendar.ts';
import type { ShiftTimes } from './times.ts';

/** Both days are included. */
export type DateRange = Required<Pick<ShiftFilter, 'date_from' | 'date_to'>>;

/** Whether some of a shift is on a day. One that ends at midnight has nothing of the day that begins then. */
export function reachesInto(shift: ShiftTimes, day: string): boolean {
  readDate(day);
  if (shift.date === day) return true;
  return shift.date < day && (shift.end_date > day || (shift.end_date === day && shift.end_time > '00:00'));
}

/**
 * Fetches the shifts that start on a day, and those that may reach into it because they started before: filters look at
 * the start of a shift alone. `reachesInto` picks them. `daysBefore` is for shifts that take longer than a night.
 */
export function filterReachingInto(day: string, daysBefore = 1): DateRange {
  if (!Number.isInteger(daysBefore) || daysBefore < 0) {
    throw new RangeError(`daysBefore is ${daysBefore}; expected a whole number from 0 on.`);
  }
  return { date_from: addDays(day, -daysBefore), date_to: day };
}

export interface IsoWeek {
  /** The year of the week, which around New Year is not that of the date. */
  readonly year: number;
  /** 1 to 53. */
  readonly week: number;
}

/** The ISO week that a day is in. */
export function isoWeekOf(day: string): IsoWeek {
  // A week belongs to the year that has its Thursday.
  const thursdayMs = mondayOf(readDate(day)) + 3 * DAY_MS;
  const year = new Date(thursdayMs).getUTCFullYear();
  return { year, week: Math.floor((thursdayMs - Date.UTC(year, 0, 1)) / (7 * DAY_MS)) + 1 };
}

/**
 * Fetches the shifts that start in an ISO week, Monday to Sunday. As dates, it means the same to every server, also
 * around New Year.
 */
export function weekFilter({ year, week }: IsoWeek): DateRange {
  // 4 January is always in the first week.
  const mondayMs = mondayOf(readDate(`${year}-01-04`)) + (week - 1) * 7 * DAY_MS;
  const monday = Number.isInteger(week) ? writeDate(mondayMs) : '';
  if (week < 1 || week > 53 || isoWeekOf(monday).year !== year) {
    throw new RangeError(`There is no ISO week ${week} in ${year}.`);
  }
  return { date_from: monday, date_to: addDays(monday, 6) };
}

function mondayOf(ms: number): number {
  const daysSinceMonday = (new Date(ms).getUTCDay() + 6) % 7;
  return ms - daysSinceMonday * DAY_MS;
}
