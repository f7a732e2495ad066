/** ISO weeks: they run from Monday to Sunday, and belong to the year that has their Thursday. */

import { readDate } from './dates.ts';
import { addDays, DAY_MS, type Day, firstOfWeek } from './days.ts';

export interface IsoWeek {
  /** The year of the week, which around New Year is not that of the date. */
  readonly year: number;
  /** 1 to 53. */
  readonly week: number;
}

const MONDAY = 1;

export function isoWeekOf(day: Day): IsoWeek {
  const thursday = addDays(firstOfWeek(day, MONDAY), 3);
  const year = new Date(thursday * DAY_MS).getUTCFullYear();
  return { year, week: Math.floor((thursday - Date.UTC(year, 0, 1) / DAY_MS) / 7) + 1 };
}

/** The Monday of a week. Throws a `RangeError` if the API does not know the year. */
export function mondayOf({ year, week }: IsoWeek): Day {
  // 4 January is always in the first week.
  return addDays(firstOfWeek(readDate(`${year}-01-04`), MONDAY), (week - 1) * 7);
}
