/**
 * The start and end of a shift as instants. A shift has dates and times of a wall clock: they need a time zone to
 * become instants.
 */

import { DAY_MS, type Day, dayOf } from './days.ts';
import { instantOf } from './zone.ts';

/** What is needed of a shift. Its dates and times are those of the API. */
export interface ShiftTimes {
  readonly date: string;
  readonly start_time: string;
  readonly end_date: string;
  readonly end_time: string;
}

export interface Span {
  readonly startMs: number;
  readonly endMs: number;
  /** False if clocks skip one of its times or show it twice. */
  readonly isPlain: boolean;
}

/**
 * In the night when clocks go from 2 to 3, a shift from 02:30 to 03:15 would end before it starts. It gets the length
 * that its times suggest.
 */
export function spanOf(shift: ShiftTimes, timeZone: string): Span {
  const startWallMs = wallMsOf(shift.date, shift.start_time);
  const endWallMs = wallMsOf(shift.end_date, shift.end_time);
  const start = instantOf(timeZone, startWallMs);
  const end = instantOf(timeZone, endWallMs);
  const seemingMs = Math.max(0, endWallMs - startWallMs);
  return {
    startMs: start.ms,
    endMs: end.ms > start.ms ? end.ms : start.ms + seemingMs,
    isPlain: start.isPlain && end.isPlain,
  };
}

/**
 * A wall clock time such as 09:00 of a date, in milliseconds since the clock showed 1970, as if all days had 24 hours.
 */
export function wallMsOf(date: string, time: string): number {
  const minutes = Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
  return (dayOf(date) as Day) * DAY_MS + minutes * 60_000;
}
