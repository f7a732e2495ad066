/**
 * When shifts are, as instants. A shift has dates and times of a wall clock: only with a time zone they are moments.
 */

import type { Shift } from './api.ts';
import { dateAt, instantOf, wallMsOf } from './zone.ts';

/** What is needed of a shift, so that these functions take other objects with the same fields, too. */
export type ShiftTimes = Pick<Shift, 'date' | 'start_time' | 'end_date' | 'end_time'>;

/**
 * When a shift starts. `timeZone` is that of the account, such as `Europe/Lisbon`. When clocks are put back, a time
 * that is there twice means the first; when they are put forward, a time that is skipped means as much later.
 */
export function shiftStart(shift: ShiftTimes, timeZone: string): Date {
  return new Date(instantOf(shift.date, shift.start_time, timeZone));
}

/**
 * When a shift ends. From 02:30 to 03:15 in the night when clocks go from 2 to 3 would end before it starts; it lasts as
 * long as it seems to.
 */
export function shiftEnd(shift: ShiftTimes, timeZone: string): Date {
  const startMs = shiftStart(shift, timeZone).getTime();
  const endMs = instantOf(shift.end_date, shift.end_time, timeZone);
  if (endMs > startMs) return new Date(endMs);
  const seemingMs = wallMsOf(shift.end_date, shift.end_time) - wallMsOf(shift.date, shift.start_time);
  return new Date(startMs + Math.max(0, seemingMs));
}

/** How long a shift takes: from 22:00 to 06:00 are 7 or 9 hours in the nights when clocks change. */
export function shiftMinutes(shift: ShiftTimes, timeZone: string): number {
  return (shiftEnd(shift, timeZone).getTime() - shiftStart(shift, timeZone).getTime()) / 60_000;
}

/** The date in a time zone: that of the account and that of your machine differ for some hours of each day. */
export function todayIn(timeZone: string, now: Date = new Date()): string {
  return dateAt(now.getTime(), timeZone);
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
