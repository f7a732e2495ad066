/**
 * Filter + today → which days of which months match. Every rule about dates is decided here, on days and never on
 * shifts, so the work depends on the number of months and not on how full they are.
 */

import {
  addMonths,
  type Day,
  daysIn,
  FIRST_DAY,
  firstDayOf,
  isoWeekOf,
  LAST_DAY,
  type Month,
  monthOfDay,
  numberOfMonth,
  type Weekday,
  weekdayOf,
  yearOfMonth,
} from '@shiftfeed/common/days';
import { type DayMask, daysFrom, firstDays } from './day-mask.ts';
import type { DateFilter } from './filter.ts';
import { firstAtOrAfter } from './month.ts';

export interface PlannedMonth {
  readonly month: Month;
  /** Never 0: a month without a matching day is not planned. */
  readonly days: DayMask;
}

const DEFAULT_WINDOW_MONTHS = 12;

/** Plans over `months`, the months that have shifts at all, in ascending order. */
export function planMonths(filter: DateFilter, today: Day, months: readonly Month[]): PlannedMonth[] {
  const { from, to } = windowOf(filter, today);
  if (from > to) return [];
  const lastMonth = monthOfDay(to);
  const planned: PlannedMonth[] = [];
  for (let i = firstAtOrAfter(months, monthOfDay(from)); i < months.length; i++) {
    const month = months[i] as Month;
    if (month > lastMonth) break;
    const days = daysBetween(month, from, to) & patternOf(filter, month);
    if (days !== 0) planned.push({ month, days });
  }
  return planned;
}

/** The one stretch of days outside of which nothing can match. */
function windowOf(filter: DateFilter, today: Day): { from: Day; to: Day } {
  if (Object.values(filter).every((condition) => condition === undefined)) {
    return { from: today, to: addMonths(today, DEFAULT_WINDOW_MONTHS) };
  }
  const recurring = filter.weeks !== undefined || filter.weekdays !== undefined;
  const onlyFromToday = recurring && filter.years === undefined;
  return {
    from: Math.max(
      FIRST_DAY,
      filter.day ?? FIRST_DAY,
      filter.dateFrom ?? FIRST_DAY,
      onlyFromToday ? today : FIRST_DAY,
    ) as Day,
    to: Math.min(LAST_DAY, filter.day ?? LAST_DAY, filter.dateTo ?? LAST_DAY) as Day,
  };
}

/** The days of a month that the repeating conditions allow: months, years, weeks and weekdays. */
function patternOf(filter: DateFilter, month: Month): DayMask {
  if (filter.months !== undefined && !filter.months.has(numberOfMonth(month))) return 0;
  // Beside weeks, years are ISO week-years: week 53 of 2026 runs into January 2027 and stays whole.
  if (filter.weeks !== undefined) {
    return weekDays(month, filter.weeks, filter.years) & weekdayDays(month, filter.weekdays);
  }
  if (filter.years !== undefined && !filter.years.has(yearOfMonth(month))) return 0;
  return weekdayDays(month, filter.weekdays);
}

function weekDays(
  month: Month,
  weeks: ReadonlySet<number>,
  weekYears: ReadonlySet<number> | undefined,
): DayMask {
  const first = firstDayOf(month);
  const last = (first + daysIn(month) - 1) as Day;
  let mask = 0;
  // One step a week; daysBetween cuts off what lies outside of the month.
  const mondayOffset = (weekdayOf(first) + 5) % 7;
  for (let monday = (first - mondayOffset) as Day; monday <= last; monday = (monday + 7) as Day) {
    const { year, week } = isoWeekOf(monday);
    if (weeks.has(week) && (weekYears === undefined || weekYears.has(year))) {
      mask |= daysBetween(month, monday, (monday + 6) as Day);
    }
  }
  return mask;
}

function weekdayDays(month: Month, weekdays: ReadonlySet<Weekday> | undefined): DayMask {
  const count = daysIn(month);
  if (weekdays === undefined) return firstDays(count);
  const first = weekdayOf(firstDayOf(month));
  let mask = 0;
  for (const weekday of weekdays) {
    for (let i = (weekday - first + 7) % 7; i < count; i += 7) mask |= 1 << i;
  }
  return mask;
}

/** The days of a month that lie from `from` to `to`, both included. */
function daysBetween(month: Month, from: Day, to: Day): DayMask {
  const first = firstDayOf(month);
  const start = Math.max(0, from - first);
  const end = Math.min(daysIn(month), to - first + 1);
  return start < end ? daysFrom(start, end) : 0;
}
