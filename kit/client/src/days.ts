/** Days and ISO weeks, and the filters that fetch them. */

import { dateAfter, knownDateOf, readDate } from '@shiftfeed/common/dates';
import { addDays } from '@shiftfeed/common/days';
import { type IsoWeek, isoWeekOf as isoWeekOfDay, mondayOf } from '@shiftfeed/common/iso-week';
import type { ShiftFilter } from './api.ts';
import type { ShiftTimes } from './times.ts';

/** Both days are included. */
export type DateRange = Required<Pick<ShiftFilter, 'date_from' | 'date_to'>>;

/**
 * Whether any part of a shift is on a day. A shift that ends at midnight does not reach into the day that begins then.
 */
export function reachesInto(shift: ShiftTimes, day: string): boolean {
  readDate(day);
  if (shift.date === day) return true;
  return shift.date < day && (shift.end_date > day || (shift.end_date === day && shift.end_time > '00:00'));
}

/**
 * Fetches the shifts that start on a day, and earlier ones that may reach into it, because filters only look at the
 * start of a shift. `reachesInto` selects them. `daysBefore` is for shifts that are longer than a night.
 */
export function filterReachingInto(day: string, daysBefore = 1): DateRange {
  if (!Number.isInteger(daysBefore) || daysBefore < 0) {
    throw new RangeError(`daysBefore is ${daysBefore}; expected a whole number from 0 on.`);
  }
  return { date_from: dateAfter(day, -daysBefore), date_to: day };
}

export type { IsoWeek };

/** The ISO week that a day is in. */
export function isoWeekOf(day: string): IsoWeek {
  return isoWeekOfDay(readDate(day));
}

/**
 * Fetches the shifts that start in an ISO week, Monday to Sunday. It uses dates, which are unambiguous even around New
 * Year.
 */
export function weekFilter({ year, week }: IsoWeek): DateRange {
  const monday = mondayOf({ year, week });
  if (!Number.isInteger(week) || week < 1 || week > 53 || isoWeekOfDay(monday).year !== year) {
    throw new RangeError(`There is no ISO week ${week} in ${year}.`);
  }
  return { date_from: knownDateOf(monday), date_to: knownDateOf(addDays(monday, 6)) };
}
