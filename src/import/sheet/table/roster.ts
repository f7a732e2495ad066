/** Turns a grid with people or groups down and days across into the table of a list, with a row for each cell. */

import { parseDate } from '../../../listing/calendar.ts';
import { quote } from '../../../quote.ts';
import { cellNumber, partNumber, placeInSheet } from '../../place.ts';
import type { ImportProblem } from '../../problems.ts';
import { type Cell, type GridRow, textOf } from '../cell.ts';
import type { SheetOptions } from '../options.ts';
import { dateProblem } from '../readings.ts';
import { type LeftOutRows, noteTitle } from '../report.ts';
import { type DateOrder, isWeekday, ORDERS, readDate, readDateIn, whyNoDate } from '../values/date.ts';
import { parseDateFormat } from '../values/date-format.ts';
import { Narrowing } from '../values/narrowing.ts';
import { readTimes } from '../values/time.ts';
import { isTotalWord } from '../words/is-total.ts';
import { namesIn, timesNamed } from './across.ts';
import type { Narrowed } from './narrowed.ts';

export interface Roster {
  /** The row with the days. */
  readonly place: number;
  /** The first column of days. */
  readonly first: number;
}

/** At least this many days must stand side by side. */
const MIN_DAYS = 2;
/** In these years, every date but 29 February falls on every weekday at least once. */
const SOME_YEARS = [2020, 2021, 2022, 2023, 2024, 2025, 2026, 2027, 2028, 2029, 2030, 2031];

/** Returns undefined when no row looks like days. */
export function findRoster(rows: readonly GridRow[], { year }: SheetOptions): Roster | undefined {
  const years = year === undefined ? SOME_YEARS : [year, year + 1];
  for (const [place, { cells }] of rows.entries()) {
    for (const order of ORDERS) {
      const texts = cells.map(textOf).filter((text) => text !== '');
      const days = texts.map((text) => dayIn(text, order, years));
      if (!areDays(days) || (texts.some(mayBeTimes) && !followEachOther(days))) continue;
      // Cells further left may be days in another order, so the first day of any order counts.
      return { place, first: cells.findIndex((cell) => isDay(textOf(cell))) };
    }
  }
  return undefined;
}

/** The headings of a list with a row for each cell: those left of the days, followed by date and times. */
export function listHeadings(
  { cells }: GridRow,
  { first }: Roster,
  shifts: number | undefined,
  knows: (heading: string) => boolean,
): readonly string[] {
  const labels = cells.slice(0, first).map(textOf);
  if (shifts !== undefined) return [...labels.with(shifts, 'times'), 'date', 'person'];
  if (!labels.some(knows)) {
    // In most rosters the rows are people, under any heading or none.
    const place = Math.max(
      0,
      labels.findIndex((label) => label !== ''),
    );
    if (labels.length > 0) labels[place] = 'person';
  }
  return [...labels, 'date', 'times'];
}

/** If the cells are names, the column left of the days that holds the times of shifts. */
export function shiftLabel(sample: readonly GridRow[], { first }: Roster): number | undefined {
  const filled = sample.filter(({ cells }) => cells.slice(first).some((cell) => cell !== ''));
  const days = filled.filter(
    ({ cells }) => !cells.slice(first).every((cell) => cell === '' || isWeekday(textOf(cell))),
  );
  const hasTimes = days.some(({ cells }) =>
    cells.slice(first).some((cell) => readTimes(textOf(cell)) !== undefined),
  );
  if (days.length === 0 || hasTimes) return undefined;
  const place = Array.from({ length: first }, (_, i) => i).find((i) =>
    days.every(({ cells }) => timesNamed(textOf(cells[i])) !== undefined),
  );
  return place;
}

export interface RosterDays {
  /** The date of each column. */
  readonly dates: ReadonlyMap<number, string>;
  /** Headings that are not days. */
  readonly others: readonly string[];
  readonly problems: readonly ImportProblem[];
}

/** The days of the headings, each with its year. */
export function rosterDays(
  { cells, line }: GridRow,
  { first }: Roster,
  options: SheetOptions,
  lastBefore = '',
): RosterDays {
  const columns = cells.flatMap((cell, column) =>
    column < first || cell === '' ? [] : { column, text: textOf(cell) },
  );
  const dates = new Map<number, string>();
  const others: string[] = [];
  const lackYear = columns.some(({ text }) => whyNoDate(text) === 'no year');
  if (options.year === undefined && lackYear) {
    const message = 'the days lack their year: give it with --year, such as --year 2027';
    return {
      dates,
      others,
      problems: [{ place: placeInSheet(line, undefined), message, fix: ['--year', 'YEAR'] }],
    };
  }
  const { read, problems } = readingOf(columns, line, options);
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
        place: placeInSheet(cellNumber(line, column), undefined),
        message: twin === undefined ? notAfter(text) : twice(text, cellNumber(line, twin)),
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
function twice(text: string, twin: number): string {
  return (
    `${quote(text)} is the day of ${placeInSheet(twin, undefined)}, too: correct one of them; if both are right, leave this ` +
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

function readingOf(
  columns: readonly { readonly text: string }[],
  line: number,
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
  const years = year === undefined ? [undefined] : [year, year + 1];
  const readIn = (text: string, order: DateOrder) =>
    years.map((one) => readDate(text, order, one)).find((date) => date !== undefined);
  const narrowing = new Narrowing<string>(
    ORDERS.map((name) => ({ name, read: (text) => readIn(text, name) })),
  );
  for (const { text } of columns) narrowing.look(text, line);
  const order = ORDERS.find((one) =>
    columns.every(({ text }) => readIn(text, one) !== undefined || !isDay(text)),
  );
  return {
    read: (text, inYear) => readDate(text, order ?? 'day first', inYear),
    problems: dateProblem('date', narrowing.settle()),
  };
}

function isDay(text: string): boolean {
  return ORDERS.some((order) => dayIn(text, order, SOME_YEARS) !== undefined);
}

/** How the cells of a roster become rows of a list. */
export interface RosterLayout {
  readonly roster: Roster;
  /** If the cells are names, the column with the times. */
  readonly shifts: number | undefined;
  readonly narrow: Narrowed;
  readonly count: LeftOutRows;
}

/** A row for each filled cell below a day. */
export function rosterRows(
  { dates, others: otherHeadings }: RosterDays,
  headings: GridRow,
  { roster: { first }, shifts, narrow: { make, note }, count }: RosterLayout,
): (row: GridRow) => readonly GridRow[] {
  const last = Math.max(first, ...dates.keys());
  const isOther = new Set(otherHeadings);
  const others = new Set(
    headings.cells.flatMap((cell, i) => (i > first && isOther.has(textOf(cell)) ? i : [])),
  );
  return ({ cells, line }) => {
    const labels: Cell[] = cells.slice(0, first);
    if (labels.some((label) => isTotalWord(textOf(label))) && cells.slice(first).every(isSum)) {
      count.totals++;
      return [];
    }
    const [title, ...more] = cells.filter((cell) => cell !== '');
    if (title !== undefined && more.length === 0 && labels.includes(title)) noteTitle(count, textOf(title));
    if (cells.length <= first) return [];
    if (shifts !== undefined) labels[shifts] = timesNamed(textOf(labels[shifts])) ?? textOf(labels[shifts]);
    const rows: GridRow[] = [];
    let isHeading = true;
    for (let column = first; column < cells.length; column++) {
      const cell = cells[column] ?? '';
      if (cell === '' || others.has(column)) continue;
      if (column > last && readTimes(textOf(cell)) === undefined) continue;
      if (!isWeekday(textOf(cell))) isHeading = false;
      // A filled cell without a heading, between the days or (with times) after them, has no date, which is a problem.
      const date = dates.get(column);
      const when: Cell = date === undefined ? '' : { type: 'date', text: date };
      const number = cellNumber(line, column);
      if (shifts === undefined) rows.push({ line: number, cells: make(labels, when, cell) });
      else
        for (const [part, name] of namesIn(cell, number).entries())
          rows.push({ line: partNumber(number, column, part), cells: make(labels, when, name) });
    }
    if (rows.length >= MIN_DAYS && isHeading) {
      count.between++;
      return [];
    }
    if (rows.length > 0) note(labels);
    return rows;
  };
}

/** A group may be called "Total", but its cells are then not just numbers. */
function isSum(cell: Cell): boolean {
  return /^[\d.,:\s]*h?$/.test(textOf(cell));
}

/** undefined: it is no day. */
function dayIn(text: string, order: DateOrder, years: readonly number[]): string | undefined {
  return text === '' ? undefined : readDateIn(text, order, years);
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

function isTurn(before: string, day: string): boolean {
  return before.slice(5, 7) === '12' && day.slice(5, 7) === '01';
}
