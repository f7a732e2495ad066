/** On which days a shift is seen: a night on both of its days. */

import { addDays, type Day, parseDate } from '@shiftfeed/common/days';
import type { CalendarShift } from './answer.ts';

/** A shift as it is seen on one day. */
export interface Placed {
  readonly shift: CalendarShift;
  readonly day: Day;
  /** It began on a day before this one. */
  readonly continues: boolean;
  /** It goes on after this day. */
  readonly goesOn: boolean;
}

export interface DayRange {
  readonly from: Day;
  readonly to: Day;
}

/**
 * The shifts of each day within a range. Those that continue from the day before come first; the rest is in the order
 * of the source.
 */
export function placeShifts(shifts: readonly CalendarShift[], range: DayRange): Map<Day, Placed[]> {
  const days = new Map<Day, { continuing: Placed[]; starting: Placed[] }>();
  for (const shift of shifts) {
    const { first, last } = daysOf(shift);
    for (let day = max(first, range.from); day <= Math.min(last, range.to); day = addDays(day, 1)) {
      let onDay = days.get(day);
      if (onDay === undefined) {
        onDay = { continuing: [], starting: [] };
        days.set(day, onDay);
      }
      const placed = { shift, day, continues: day > first, goesOn: day < last };
      (placed.continues ? onDay.continuing : onDay.starting).push(placed);
    }
  }
  const sorted = [...days].sort(([a], [b]) => a - b);
  return new Map(sorted.map(([day, { continuing, starting }]) => [day, [...continuing, ...starting]]));
}

/** The first and the last day on which a shift is. One that ends at midnight is not on the day that begins then. */
export function daysOf(shift: CalendarShift): { first: Day; last: Day } {
  const first = parseDate(shift.date) as Day;
  const end = parseDate(shift.end_date) as Day;
  const last = end > first && shift.end_time === '00:00' ? addDays(end, -1) : end;
  return { first, last };
}

function max(a: Day, b: Day): Day {
  return a > b ? a : b;
}
