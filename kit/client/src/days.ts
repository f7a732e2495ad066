/**
 * When shifts are: their days and ISO weeks with the filters that fetch them, and their times as instants. A shift has
 * dates and times of a wall clock: only with a time zone they are moments.
 */

import {
  addDays,
  dateAfter,
  formatDate,
  type IsoWeek,
  isoWeekOf as isoWeekOfDay,
  isTime,
  knownDateOf,
  mondayOf,
  readDate,
} from '@shiftfeed/common/days';
import { dayIn, instantOf, type ShiftTimes, type Span, spanOf, wallMsOf } from '@shiftfeed/common/zone';
import type { Shift, ShiftFilter } from './api.ts';

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

/** What is needed of a shift, so that these functions take other objects with the same fields, too. */
export type { ShiftTimes };

/**
 * When a shift starts. `timeZone` is that of the account, such as `Europe/Lisbon`. When clocks are put back, a time
 * that is there twice means the first; when they are put forward, a time that is skipped means as much later.
 */
export function shiftStart({ date, start_time }: ShiftTimes, timeZone: string): Date {
  check(date, start_time);
  return new Date(instantOf(timeZone, wallMsOf(date, start_time)).ms);
}

/**
 * When a shift ends. From 02:30 to 03:15 in the night when clocks go from 2 to 3 would end before it starts; it lasts as
 * long as it seems to.
 */
export function shiftEnd(shift: ShiftTimes, timeZone: string): Date {
  return new Date(checkedSpan(shift, timeZone).endMs);
}

/** How long a shift takes: from 22:00 to 06:00 are 7 or 9 hours in the nights when clocks change. */
export function shiftMinutes(shift: ShiftTimes, timeZone: string): number {
  const { startMs, endMs } = checkedSpan(shift, timeZone);
  return (endMs - startMs) / 60_000;
}

function checkedSpan(shift: ShiftTimes, timeZone: string): Span {
  check(shift.date, shift.start_time);
  check(shift.end_date, shift.end_time);
  return spanOf(shift, timeZone);
}

function check(date: string, time: string): void {
  readDate(date);
  if (!isTime(time)) throw new RangeError(`"${time}" is not a time; expected HH:MM from 00:00 to 23:59.`);
}

/** The date in a time zone: that of the account and that of your machine differ for some hours of each day. */
export function todayIn(timeZone: string, now: Date = new Date()): string {
  return formatDate(dayIn(timeZone, now.getTime()));
}

/** The shifts that have started and not ended yet, without cancelled ones. `filterReachingInto` fetches them. */
export function onNow<S extends ShiftTimes & Pick<Shift, 'cancelled'>>(
  shifts: readonly S[],
  timeZone: string,
  now: Date = new Date(),
): S[] {
  return shifts.filter(
    (shift) => !shift.cancelled && shiftStart(shift, timeZone) <= now && now < shiftEnd(shift, timeZone),
  );
}
