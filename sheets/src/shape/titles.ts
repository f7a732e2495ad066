/** What the titles above days say: their month, their week, or from when on weeks are counted. */

import { type Day, formatDate, mondayOf, parseDate, weekdayOf } from '@shiftfeed/common/days';
import { quote } from '@shiftfeed/common/quote';
import { type Cell, type GridRow, refusedAt, SheetRefused, textOf } from '../cell.ts';
import { placeInSheet, type Reason } from '../problem.ts';
import { weekdayReadings } from '../words/date.ts';
import { daysAfter, monthsNamed, type NamedWeek, type Period, periodIn, weekIn } from '../words/title.ts';
import { yearFinder } from './turn-of-year.ts';

/** Why days cannot be dated without --year. */
export function lacksYear(message: string): Reason {
  return { message, advice: ': give it with --year, such as --year 2027', fix: [['year', '', 'gap']] };
}

export function textIn({ cells }: GridRow): string {
  return cells
    .map(textOf)
    .filter((text) => text !== '')
    .join(' ');
}

/** The months that titles name, as YYYY-MM. */
export function monthsIn(titles: readonly GridRow[], year: number | undefined): readonly string[] {
  const months = titles.flatMap((row) => {
    const week = weekIn(textIn(row), year);
    // Behind the word for a week, "10/2027" is no October.
    const ofCells = isNumbered(week) ? [] : row.cells.flatMap((cell) => monthsOf(cell, year));
    return ofCells.length > 0 ? ofCells : monthsNamed(textIn(row), year);
  });
  return [...new Set(months)];
}

function monthsOf(cell: Cell, year: number | undefined): readonly string[] {
  if (typeof cell === 'string') return monthsNamed(cell, year);
  return cell.type === 'date' && cell.text.endsWith('-01') ? [cell.text.slice(0, 7)] : [];
}

/** The days that titles name with their year. */
export function periodsIn(titles: readonly GridRow[]): readonly Week[] {
  return titles.flatMap((row) => {
    const text = textIn(row);
    const week = weekIn(text, undefined) ?? [];
    const periods = week === 'unclear' || isNumbered(week) ? [] : [...week, periodIn(text, undefined)];
    return periods.flatMap((one) =>
      one === undefined ? [] : { first: one.first, last: one.last ?? daysAfter(one.first, 6) },
    );
  });
}

type Week = { readonly first: string; readonly last: string };

/** The weeks that titles above a row of weekdays name, each in the ways in which it can be read. Throws SheetRefused. */
export type FindWeeks = (row: GridRow, titles: readonly GridRow[]) => readonly (readonly Period[])[];

/** Weeks may be counted from the first day of a title: `Rota 8 – 21 March 2027`, `Week 1`, `Week 2`. */
export function weekFinder(year: number | undefined): FindWeeks {
  let period: Period | undefined;
  let isCounted = false;
  const yearOfWeeks = yearFinder(year);
  const weeksIn = (row: GridRow, titles: readonly GridRow[], year: number | undefined) => {
    for (const title of titles) {
      const days = periodIn(textIn(title), year);
      const [first, last = first] = monthsIn([title], year);
      if (days !== undefined) [period, isCounted] = [days, false];
      else if (first !== undefined && weekOf(title, year) === undefined)
        period = { first: `${first}-00`, last: `${last}-32` };
    }
    return titles.flatMap((title) => {
      const week = weekOf(title, year);
      if (!isNumbered(week)) return week === undefined ? [] : [week];
      // Whoever counts begins with 1.
      isCounted ||= week.number === 1 && period?.first.endsWith('-00') === false;
      return [numbered(week, row, title, { period, year, isCounted })];
    });
  };
  return (row, titles) => {
    // A number may stand above its date.
    const given = year ?? periodsIn(titles).map(yearOfWeek)[0];
    const weeks = weeksIn(row, titles, given);
    const place = titles.at(-1) ?? row;
    const inYear = yearOfWeeks(middleOf(weeks.flat()), !titles.some(saysYear), place) ?? given;
    const known = (inYear === given ? weeks : weeksIn(row, titles, inYear)).filter((week) => week.length > 0);
    if (known.length > 0) return known;
    throw new SheetRefused({
      place: placeInSheet(row),
      ...(weeks.length > 0
        ? lacksYear('the week above the days lacks its year')
        : {
            message: 'the weekdays come again: write their week above them, such as "Week of 8 March 2027"',
          }),
    });
  };
}

/** The week of a title. Throws SheetRefused if it is not clear. */
function weekOf(title: GridRow, year: number | undefined): Exclude<NamedWeek, 'unclear'> | undefined {
  const week = weekIn(textIn(title), year);
  if (week !== 'unclear') return week;
  const message = `${quote(textIn(title))} is not clear, as its number and its date may be of different weeks: write one of them, such as "Week 10 2027" or "Week of 8 March 2027"`;
  throw refusedAt(title, message);
}

function isNumbered(week: NamedWeek | undefined): week is NumberedWeek {
  return typeof week === 'object' && 'number' in week;
}

type NumberedWeek = Extract<NamedWeek, { number: number }>;

/** By ISO 8601, a week is of the year that has its middle. */
function middleOf([week]: readonly Period[]): string | undefined {
  return week && daysAfter(week.first, 3);
}

function yearOfWeek({ first }: Period): number {
  return yearOf(daysAfter(first, 3));
}

function saysYear(title: GridRow): boolean {
  const week = weekIn(textIn(title), undefined);
  const isWritten = isNumbered(week) && week.year !== undefined;
  return isWritten || periodsIn([title]).length > 0 || monthsIn([title], undefined).length > 0;
}

/** Throws SheetRefused if there is no such week, or if it may be another one. */
function numbered(
  { number, year: written }: NumberedWeek,
  row: GridRow,
  title: GridRow,
  {
    period,
    year,
    isCounted,
  }: { readonly period: Period | undefined; readonly year: number | undefined; readonly isCounted: boolean },
): readonly Period[] {
  const ofPeriod = period && [period.first, period.last ?? period.first].map(yearOf);
  const years = [...new Set(written === undefined ? (ofPeriod ?? [year]) : [written])];
  const known = years.flatMap((one) => one ?? []);
  const ofYear = known.flatMap((one) => weekOfYear(one, number) ?? []);
  if (known.length > 0 && ofYear.length === 0) throw noSuchWeek(title, number, known);
  if (written !== undefined || period === undefined) return ofYear;
  const all = [...ofYear, ...(isCounted ? [weekFrom(daysAfter(period.first, 7 * (number - 1)))] : [])];
  const within = all.filter((week) => isWithin(week, period));
  if (new Set(within.map(({ first }) => first)).size === 1) return within.slice(0, 1);
  const message = `${quote(textIn(title))} is not clear under the dates above it: ${WRITE_WEEK}`;
  throw refusedAt(row, message);
}

/** Finds the date of a weekday in the week in another column; undefined: it is not clear. Throws SheetRefused. */
export function dayFinder(
  heading: string,
  { week, date }: Readonly<Record<'week' | 'date', number>>,
  year: number | undefined,
): (row: GridRow) => string | undefined {
  const yearOfWeeks = yearFinder(year, true);
  return (row) => {
    const cell = row.cells[week] ?? '';
    if (textOf(cell) === '') return undefined;
    const title = { ...row, column: week, cells: [heading, cell] };
    const written = weeksInCell(title, undefined);
    const lacksYear = written.length === 0;
    const weeks = lacksYear ? weeksInCell(title, year) : written;
    const inYear = yearOfWeeks(middleOf(weeks), lacksYear, title);
    const dates = (lacksYear && inYear !== year ? weeksInCell(title, inYear) : weeks).flatMap((period) =>
      weekdayReadings([textOf(row.cells[date])]).flatMap((reading) =>
        datesOfWeek({ ...period, last: period.last ?? daysAfter(period.first, 6) }, reading).flat(),
      ),
    );
    return new Set(dates).size === 1 ? dates[0] : undefined;
  };
}

/** In two orders of day and month, the two that are possible. */
function weeksInCell(title: GridRow, year: number | undefined): readonly Period[] {
  const week = weekOf(title, year) ?? [];
  if (!isNumbered(week)) return week;
  const known = week.year ?? year;
  const inYear = known === undefined ? undefined : weekOfYear(known, week.number);
  return inYear === undefined ? [] : [inYear];
}

export function yearOf(date: string): number {
  return Number(date.slice(0, 4));
}

function weekFrom(first: string): Week {
  return { first, last: daysAfter(first, 6) };
}

/** By ISO 8601. undefined: the year has no such week. */
function weekOfYear(year: number, week: number): Week | undefined {
  const first = formatDate(mondayOf({ year, week }));
  return yearOf(daysAfter(first, 3)) === year ? weekFrom(first) : undefined;
}

/** A plan whose last day is not told is hardly longer. */
const MAX_DAYS_OF_PLAN = 92;

function isWithin(week: Week, { first, last = daysAfter(first, MAX_DAYS_OF_PLAN) }: Period): boolean {
  return week.last >= first && week.first <= last;
}

const WRITE_WEEK = 'write its first day, such as "Week of 8 March 2027"';

function noSuchWeek(title: GridRow, number: number, years: readonly number[]): SheetRefused {
  const message = `${years.join(' and ')} has no week ${number}: correct it, or ${WRITE_WEEK}`;
  return refusedAt(title, message);
}

/** The dates of weekdays, in each way in which they fit the week. */
export function datesOfWeek(
  { first, last }: Period,
  weekdays: readonly ReadonlySet<number>[],
): readonly (readonly string[])[] {
  const start = parseDate(first) as Day;
  const end = last === undefined ? undefined : parseDate(last);
  const offsets = offsetsOf(weekdays, start, end === undefined ? 0 : end - start);
  if (offsets === undefined) return [];
  const dates = offsets.map((offset) => formatDate((start + offset) as Day));
  return last !== undefined && (dates.at(-1) ?? '') > last ? [] : [dates];
}

/**
 * How many days after the first day of the week each weekday is. The first one is at most `latest` days after it, and
 * each other one comes after the one before it. Several weeks must have the same weekdays.
 */
function offsetsOf(
  weekdays: readonly ReadonlySet<number>[],
  start: Day,
  latest: number,
): readonly number[] | undefined {
  const offsets: number[] = [];
  for (const possible of weekdays) {
    const before = offsets.at(-1);
    const [from, to] = before === undefined ? [0, latest] : [before + 1, before + 6];
    let offset = from;
    while (offset <= to && !possible.has(weekdayOf((start + offset) as Day))) offset++;
    if (offset > to) return undefined;
    offsets.push(offset);
  }
  const [first = 0] = offsets;
  const ofWeek = offsets.filter((offset) => offset < first + 7).length;
  const isRegular = offsets.every((offset, i) => i < ofWeek || offset === (offsets[i - ofWeek] ?? 0) + 7);
  return isRegular ? offsets : undefined;
}
