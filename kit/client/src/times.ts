/**
 * When shifts are, as instants. A shift has dates and times of a wall clock: only with a time zone they are moments.
 */

import { isTime, readDate } from '@shiftfeed/common/dates';
import { formatDate as dateOf } from '@shiftfeed/common/days';
import { type ShiftTimes, type Span, spanOf, wallMsOf } from '@shiftfeed/common/span';
import { todayIn as dayIn, instantOf } from '@shiftfeed/common/zone';
import type { Shift } from './api.ts';

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
  return dateOf(dayIn(timeZone, now.getTime()));
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
