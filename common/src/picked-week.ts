/** A week as a field of a page gives it. The explorer of the service gets this module as a script. */

import { addDays, formatDate, type IsoWeek, isoWeekOf, mondayOf, parseDate } from './days.ts';

/** Reads `2026-W53`, or the week of a date such as `2026-12-31`. */
export function readWeek(text: string): IsoWeek | undefined {
  const [, year, week] = /^(\d{4,})-W(\d\d)$/.exec(text) ?? [];
  if (week !== undefined) return { year: Number(year), week: Number(week) };
  const day = parseDate(text);
  return day === undefined ? undefined : isoWeekOf(day);
}

/** The Monday and the Sunday of a week, as dates. */
export function daysOfWeek(week: IsoWeek): [monday: string, sunday: string] {
  const monday = mondayOf(week);
  return [formatDate(monday), formatDate(addDays(monday, 6))];
}
