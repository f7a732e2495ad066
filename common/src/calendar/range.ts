/** Which days a view shows, and on which days a shift is seen: a night on both of its days. */

import { BOARD_AHEAD_DAYS } from '../board.ts';
import {
  addDays,
  addMonths,
  type Day,
  firstOfMonth,
  firstOfWeek,
  type IsoWeekday,
  parseDate,
} from '../days.ts';
import type { CalendarShift } from './shift.ts';

/** A visitor chooses among these. */
export const CHOSEN_VIEWS = ['list', 'week', 'month'] as const;
export type ChosenView = (typeof CHOSEN_VIEWS)[number];
/** A board is for a wall: nobody goes there from another view, or from there. */
export type ViewName = ChosenView | 'now';

export interface DayRange {
  readonly from: Day;
  readonly to: Day;
}

/** By how many days a list grows. */
const LIST_STEP_DAYS = 28;
/** A list that grows beyond this lets go of its other end. */
export const MAX_LIST_DAYS = 400;
/** How far a list looks for a first shift by itself. */
const MAX_SEARCH_DAYS = 112;

export function rangeOfGrid(view: 'week' | 'month', date: Day, firstWeekday: IsoWeekday): DayRange {
  if (view === 'week') {
    const from = firstOfWeek(date, firstWeekday);
    return { from, to: addDays(from, 6) };
  }
  const lastOfMonth = addDays(firstOfMonth(date, 1), -1);
  return {
    from: firstOfWeek(firstOfMonth(date), firstWeekday),
    to: addDays(firstOfWeek(lastOfMonth, firstWeekday), 6),
  };
}

/** The same day of the week or month before or after. */
export function turnPage(view: 'week' | 'month', date: Day, pages: number): Day {
  return view === 'week' ? addDays(date, 7 * pages) : addMonths(date, pages);
}

/** A board shows today, and has enough for some days without an answer. */
export function rangeOfBoard(today: Day): DayRange {
  return { from: today, to: addDays(today, BOARD_AHEAD_DAYS) };
}

export function startOfList(date: Day): DayRange {
  return { from: date, to: addDays(date, LIST_STEP_DAYS - 1) };
}

export function growLater({ from, to }: DayRange): DayRange {
  const end = addDays(to, LIST_STEP_DAYS);
  return { from: Math.max(from, end - MAX_LIST_DAYS) as Day, to: end };
}

export function growEarlier({ from, to }: DayRange): DayRange {
  const start = addDays(from, -LIST_STEP_DAYS);
  return { from: start, to: Math.min(to, start + MAX_LIST_DAYS) as Day };
}

/** A list without a shift looks further ahead, once. */
export function searchFurther({ from, to }: DayRange): DayRange | undefined {
  const end = addDays(from, MAX_SEARCH_DAYS - 1);
  return to < end ? { from, to: end } : undefined;
}

/** A shift as it is seen on one day. */
export interface Placed {
  readonly shift: CalendarShift;
  readonly day: Day;
  /** It began on a day before this one. */
  readonly continues: boolean;
  /** It goes on after this day. */
  readonly goesOn: boolean;
}

/**
 * The shifts of each day within a range. Those that continue from the day before come first; the rest is in the order
 * of the source.
 */
export function placeShifts(shifts: readonly CalendarShift[], range: DayRange): Map<Day, Placed[]> {
  const days = new Map<Day, Placed[]>();
  for (const shift of shifts) {
    const { first, last } = daysOf(shift);
    const end = Math.min(last, range.to);
    for (let day = Math.max(first, range.from) as Day; day <= end; day = addDays(day, 1)) {
      const placed = { shift, day, continues: day > first, goesOn: day < last };
      const onDay = days.get(day);
      if (onDay === undefined) days.set(day, [placed]);
      else onDay.push(placed);
    }
  }
  for (const onDay of days.values()) onDay.sort((a, b) => Number(b.continues) - Number(a.continues));
  return new Map([...days].sort(([a], [b]) => a - b));
}

/** The first and the last day on which a shift is. One that ends at midnight is not on the day that begins then. */
export function daysOf(shift: CalendarShift): { first: Day; last: Day } {
  const first = parseDate(shift.date) as Day;
  const end = parseDate(shift.end_date) as Day;
  const last = end > first && shift.end_time === '00:00' ? addDays(end, -1) : end;
  return { first, last };
}
