/** Days that stand side by side, as in the headings of a roster: dates, or numbers under the name of a month. */

import { type Day, formatDate, parseDate, weekdayOf } from '@shiftfeed/common/days';
import { quote } from '@shiftfeed/common/quote';
import { placeInSheet, type SheetPlace } from '../../place.ts';
import type { ImportProblem } from '../../problems.ts';
import { type Cell, type GridRow, SheetRefused, textOf } from '../cell.ts';
import type { SheetOptions } from '../options.ts';
import {
  type DateOrder,
  monthIn,
  ORDERS,
  parseDateFormat,
  readDate,
  weekdaysNamed,
  whyNoDate,
} from '../words/date.ts';
import { dateNarrowing, dateProblem } from '../words/narrowing.ts';

export interface DaysAcross {
  /** The index of their row. */
  readonly index: number;
  /** The first column of days. */
  readonly first: number;
}

/** In these years, every date but 29 February falls on every weekday at least once. */
const SOME_YEARS = [2020, 2021, 2022, 2023, 2024, 2025, 2026, 2027, 2028, 2029, 2030, 2031];

/** Returns undefined when no row looks like days. */
export function findDays(rows: readonly GridRow[], { year }: SheetOptions): DaysAcross | undefined {
  const years = year === undefined ? SOME_YEARS : [year, year + 1];
  for (const [index, { cells }] of rows.entries()) {
    for (const order of ORDERS) {
      const texts = cells.map(textOf).filter((text) => text !== '');
      const days = texts.map((text) => readDate(text, order, ...years));
      if (!areDays(days) || (texts.some(mayBeTimes) && !followEachOther(days))) continue;
      // Cells further left may be days in another order, so the first day of any order counts.
      return { index, first: cells.findIndex((cell) => isDay(textOf(cell))) };
    }
  }
  return undefined;
}

/** Whether a text is a day in any order, with its year or without. */
export function isDay(text: string): boolean {
  return ORDERS.some((order) => readDate(text, order, ...SOME_YEARS) !== undefined);
}

/** Whether two consecutive days stand side by side anywhere, or with only empty cells between them. */
function areDays(days: readonly (string | undefined)[]): boolean {
  return days.some((day, i) => {
    const next = days[i + 1];
    return day !== undefined && next !== undefined && (next > day || isTurn(day, next));
  });
}

/** Some people read `9-5` as a day, others as two times. */
function mayBeTimes(text: string): boolean {
  return /^\d{1,2}-\d{1,2}$/.test(text);
}

function followEachOther(days: readonly (string | undefined)[]): boolean {
  const known = days.filter((day) => day !== undefined);
  return (
    known.length >= MIN_DAYS_LIKE_TIMES &&
    known.every((day, i) => {
      const before = known[i - 1];
      return before === undefined || parseDate(day) === (parseDate(before) ?? 0) + 1 || isTurn(before, day);
    })
  );
}

const MIN_DAYS_LIKE_TIMES = 3;

/** Whether days without a year continue in the next one. */
function isTurn(before: string, day: string): boolean {
  return before.slice(5, 7) === '12' && day.slice(5, 7) === '01';
}

/** This many consecutive numbers are taken for days. */
const MIN_NUMBERS = 5;

/** The same rows, with dates in place of such numbers. Throws SheetRefused. */
export function withMonthDays(rows: readonly GridRow[], { year }: SheetOptions): GridRow[] {
  const dated = [...rows];
  let titles: string[] = [];
  for (const [i, row] of rows.entries()) {
    const first = firstNumber(row.cells);
    const before = first === -1 ? row.cells : row.cells.slice(0, first);
    titles.push(...before.flatMap((cell) => monthOf(cell, year) ?? []));
    if (first === -1) continue;
    dated[i] = datedRow(row, first, titles);
    checkWeekdays(dated[i], first, [rows[i - 1], rows[i + 1]]);
    titles = [];
  }
  return dated;
}

export function hasMonthDays(rows: readonly GridRow[]): boolean {
  return rows.some(({ cells }) => firstNumber(cells) !== -1);
}

/** The index of the first day, or -1. */
function firstNumber(cells: readonly Cell[]): number {
  return cells.findIndex((_, i) =>
    Array.from({ length: MIN_NUMBERS }, (_, n) => numberIn(cells[i + n]) - n).every(
      (day, _, days) => day === days[0],
    ),
  );
}

function numberIn(cell: Cell | undefined): number {
  const [, digits] = /^(\d{1,2})\.?$/.exec(textOf(cell)) ?? [];
  return Number(digits ?? Number.NaN);
}

/** As YYYY-MM; undefined: it is no month. */
function monthOf(cell: Cell, year: number | undefined): string | undefined {
  if (typeof cell === 'string') return monthIn(cell, year);
  return cell.type === 'date' && cell.text.endsWith('-01') ? cell.text.slice(0, 7) : undefined;
}

function datedRow({ cells, ...row }: GridRow, first: number, titles: readonly string[]): GridRow {
  const months = [...new Set(titles)];
  const [month] = months;
  if (month === undefined || months.length > 1) {
    const found = months.length > 1 ? `, and not two such as ${months.slice(0, 2).join(' and ')}` : '';
    throw new SheetRefused({
      place: placeInSheet(row),
      message: `the days are numbers: write their month and year above them, such as "March 2027"${found}`,
    });
  }
  if (mayBeDay(numberIn(cells[first - 1]))) throw notNext({ ...row, column: first }, cells[first]);
  let before = (parseDate(`${month}-01`) as Day) - 1 + numberIn(cells[first]) - 1;
  let numberBefore = 0;
  return {
    ...row,
    cells: cells.map((cell, column) => {
      const number = numberIn(cell);
      if (column < first || !mayBeDay(number)) return cell;
      const date = formatDate((before + 1) as Day);
      const isNext = Number(date.slice(8)) === number;
      if (!isNext && number !== numberBefore + 1) throw notNext({ ...row, column }, cell);
      numberBefore = number;
      // Some number every month up to 31. What the month does not have is then not a day.
      if (!isNext) return cell;
      before++;
      return { type: 'date', text: date };
    }),
  };
}

function mayBeDay(number: number): boolean {
  return number >= 1 && number <= 31;
}

/** A day may be there twice or be left out, and numbers alone do not tell which days are meant. */
function notNext(place: SheetPlace, cell: Cell | undefined): SheetRefused {
  return new SheetRefused({
    place: placeInSheet(place),
    message: `${quote(textOf(cell))} is not the day after the one left of it: number all days without a gap, or write dates such as 2027-03-01`,
  });
}

/** Weekdays above or below the days must match them: the month may be left over from another sheet. */
function checkWeekdays({ cells }: GridRow, first: number, beside: readonly (GridRow | undefined)[]): void {
  for (const row of beside) {
    if (row === undefined) continue;
    for (const [column, cell] of row.cells.entries()) {
      const possible = column < first ? undefined : weekdaysNamed(textOf(cell));
      const day = parseDate(textOf(cells[column]));
      if (possible === undefined || day === undefined || possible.has(weekdayOf(day))) continue;
      throw new SheetRefused({
        place: placeInSheet({ ...row, column }),
        message: `${quote(textOf(cell))} is not the weekday of ${formatDate(day)}: is the month above the days right?`,
      });
    }
  }
}

export interface RosterDays {
  /** The date of each column. */
  readonly dates: ReadonlyMap<number, string>;
  /** Headings that are not days. */
  readonly others: readonly string[];
  readonly problems: readonly ImportProblem[];
}

export const NO_DAYS: RosterDays = { dates: new Map(), others: [], problems: [] };

/** The days of a row of headings, each with its year. Without years, they come after `lastBefore`. */
export function rosterDays(row: GridRow, first: number, options: SheetOptions, lastBefore = ''): RosterDays {
  const columns = row.cells.flatMap((cell, column) =>
    column < first || cell === '' ? [] : { column, text: textOf(cell) },
  );
  const dates = new Map<number, string>();
  const others: string[] = [];
  const lackYear = columns.some(({ text }) => whyNoDate(text) === 'no year');
  if (options.year === undefined && lackYear) {
    const message = 'the days lack their year: give it with --year, such as --year 2027';
    return { dates, others, problems: [{ place: placeInSheet(row), message, fix: ['--year', 'YEAR'] }] };
  }
  const texts = columns.map(({ text }) => text);
  const { read, problems } = wayOfDays(texts, row, options);
  const more: ImportProblem[] = [];
  let before = lackYear ? lastBefore : '';
  for (const { column, text } of columns) {
    const date = dayAfter(before, (year) => read(text, year), options.year);
    if (date !== undefined) {
      dates.set(column, date);
      before = date;
    } else if (isDay(text) || whyNoDate(text) !== undefined) {
      const twin = [...dates].find(([, day]) => read(text, Number(day.slice(0, 4))) === day)?.[0];
      more.push({
        place: placeInSheet({ ...row, column }),
        message: twin === undefined ? notAfter(text) : twice(text, { ...row, column: twin }),
      });
    } else others.push(text);
  }
  // While it is unclear how the days are written, it is unclear in which order they are.
  return { dates, others, problems: problems.length > 0 ? problems : more };
}

function notAfter(text: string): string {
  return `${quote(text)} is no day after those left of it, or another weekday: correct it, or put the days in order`;
}

/** The other column may be of another day, hold a second shift of the same day, or its end. Only a human can tell. */
function twice(text: string, twin: SheetPlace): string {
  return (
    `${quote(text)} is the day of ${placeInSheet(twin)}, too: correct one of them; if both are right, leave this ` +
    'heading empty above an end, or write all shifts of the day into one cell, such as 9-12 / 14-18'
  );
}

/** Days may continue into the next year, but never go back. */
function dayAfter(
  before: string,
  read: (year: number | undefined) => string | undefined,
  year: number | undefined,
): string | undefined {
  const date = read(year);
  if (date !== undefined && date > before) return date;
  if (year === undefined || before === '') return undefined;
  const yearBefore = Number(before.slice(0, 4));
  const same = read(yearBefore);
  if (same !== undefined && same > before) return same;
  const next = read(yearBefore + 1);
  return next !== undefined && isTurn(before, next) ? next : undefined;
}

/** How the days of a row of headings are written. */
function wayOfDays(
  texts: readonly string[],
  row: SheetPlace,
  { dateFormat, year }: SheetOptions,
): {
  readonly read: (text: string, year?: number) => string | undefined;
  readonly problems: readonly ImportProblem[];
} {
  if (dateFormat !== undefined) {
    const format = parseDateFormat(dateFormat);
    const order: DateOrder = dateFormat.indexOf('D') < dateFormat.indexOf('M') ? 'day first' : 'month first';
    return { read: (text, inYear) => format?.read(text) ?? readDate(text, order, inYear), problems: [] };
  }
  const years = year === undefined ? [] : [year, year + 1];
  const narrowing = dateNarrowing(...years);
  for (const text of texts) narrowing.look(text, row);
  const order = ORDERS.find((one) =>
    texts.every((text) => readDate(text, one, ...years) !== undefined || !isDay(text)),
  );
  return {
    read: (text, inYear) => readDate(text, order ?? 'day first', inYear),
    problems: dateProblem('date', narrowing.settle()),
  };
}
