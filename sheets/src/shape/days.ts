/** Days that stand side by side, as in the headings of a roster. */

import { type Day, parseDate } from '@shiftfeed/common/days';
import { memoize } from '@shiftfeed/common/memoize';
import { quote } from '@shiftfeed/common/quote';
import { byOption } from '@shiftfeed/common/reason';
import { type Cell, type GridRow, isError, textOf, whyError } from '../cell.ts';
import { describePlace, placeInSheet, type SheetPlace, type SheetProblem } from '../problem.ts';
import type { SheetOptions } from '../sheet-options.ts';
import {
  type DateOrder,
  mayBeMistypedDay,
  ORDERS,
  parseDateFormat,
  readWrittenDate,
  SOME_YEARS,
  weekdayWord,
  whyNoDate,
  wrongWeekday,
} from '../words/date.ts';
import { columnOf, isBreakWord, type TableColumn } from '../words/headings.ts';
import { dateNarrowing, dateProblem } from '../words/narrowing.ts';
import { planMeaning } from '../words/status.ts';
import { HALF_OF_DAY, readTimes } from '../words/time.ts';
import { hasWeekWord } from '../words/title.ts';
import { isTotalWord } from '../words/words.ts';
import { type Dater, numberDater, weekdayDater, yearDater } from './dated.ts';
import { folded } from './heading-row.ts';
import { lacksYear } from './titles.ts';

export interface DaysAcross {
  /** The index of their row. */
  readonly index: number;
  /** The first column of days. */
  readonly first: number;
}

/** The rows of a sheet with days across, in which all days are dates. */
export interface DatedRows extends DaysAcross {
  readonly rows: readonly GridRow[];
  /** What makes dates of the days in the rows that follow. */
  readonly date: Dater;
  /** Whether titles date them. */
  readonly areTitled: boolean;
}

/** Looks for days among the first `count` rows; undefined: there are none. Throws SheetRefused. */
export function datedRows(
  rows: readonly GridRow[],
  count: number,
  options: SheetOptions,
): DatedRows | undefined {
  const above = rows.slice(0, count);
  for (const makeDater of [yearDater, numberDater, weekdayDater]) {
    const date = makeDater(options);
    const dated = above.flatMap(date);
    const isSame = dated.length === above.length && dated.every((row, i) => row === above[i]);
    // Rows without such days are looked at once.
    const days = isSame && makeDater !== numberDater ? undefined : findDays(dated, options);
    if (days === undefined) continue;
    const index = rows.indexOf(dated[days.index] as GridRow);
    if (index !== -1) return { ...days, index, rows, date: (row) => [row], areTitled: false };
    return { ...days, rows: [...dated, ...rows.slice(count).flatMap(date)], date, areTitled: true };
  }
  const only = onlyDay(rows, count);
  return only && { ...only, rows, date: (row) => [row], areTitled: false };
}

/** A single day, with its year, right of headings of which one is that of the names, and above times. */
function onlyDay(rows: readonly GridRow[], count: number): DaysAcross | undefined {
  for (const [index, { cells }] of rows.slice(0, count).entries()) {
    const first = cells.findLastIndex((cell) => cell !== '');
    const day = textOf(cells[first]);
    if (first < 1 || !isDay(day) || whyNoDate(day) === 'no year') continue;
    const labels = cells.slice(0, first).map((cell) => columnOf(textOf(cell)));
    const areHeadings = labels.every((label, i) => label !== undefined || cells[i] === '');
    if (!areHeadings || !labels.some((label) => label !== undefined && OF_PEOPLE.has(label))) continue;
    const below = rows.slice(index + 1).find((row) => textOf(row.cells[first]) !== '');
    if (below !== undefined && readTimes(textOf(below.cells[first])) !== undefined) return { index, first };
  }
  return undefined;
}

const OF_PEOPLE: ReadonlySet<TableColumn> = new Set(['person', 'first_name', 'last_name']);

/** Returns undefined when no row looks like days. */
export function findDays(rows: readonly GridRow[], { year }: SheetOptions): DaysAcross | undefined {
  const years = year === undefined ? SOME_YEARS : [year, year + 1];
  for (const [index, { cells }] of rows.entries()) {
    // Hours may have a column beside each day.
    const texts = cells.map(textOf).filter((text) => text !== '' && columnOf(text, 'first') !== 'hours');
    for (const order of ORDERS) {
      // Many cells are alike.
      const read = memoize((text) => readWrittenDate(text, order, ...years));
      const days = texts.map(read);
      if (!days.some((day) => day !== undefined)) continue;
      if (!areDays(days, texts) || (texts.some(mayBeTimes) && !followEachOther(days))) continue;
      // Cells further left may be days in another order, so the first day of any order counts.
      return { index, first: cells.findIndex((cell) => isDay(textOf(cell))) };
    }
  }
  return undefined;
}

/** Whether a text is a day in any order, with its year or without. */
export function isDay(text: string): boolean {
  return ORDERS.some((order) => readWrittenDate(text, order, ...SOME_YEARS) !== undefined);
}

/** Whether two consecutive days stand side by side anywhere, or with only empty cells or a mistyped day between them. */
function areDays(days: readonly (string | undefined)[], texts: readonly string[]): boolean {
  return days.some((day, i) => {
    if (day === undefined) return false;
    const isMistyped = days[i + 1] === undefined && days[i + 2] && mayBeMistypedDay(texts[i + 1] ?? '');
    const next = days[isMistyped ? i + 2 : i + 1];
    return next !== undefined && (next > day || isTurn(day, next));
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

export interface RosterDays {
  /** The date of each column. */
  readonly dates: ReadonlyMap<number, string>;
  /** Headings right of the first day that are not days, by column. */
  readonly others: ReadonlyMap<number, string>;
  /** The headings of columns that share a day, such as `AM` and `PM`, and their row. */
  readonly parts?: { readonly row: SheetPlace; readonly texts: ReadonlyMap<number, string> };
  readonly problems: readonly SheetProblem[];
}

export const NO_DAYS: RosterDays = { dates: new Map(), others: new Map(), problems: [] };

/** The days of a row of headings, each with its year. Without years, they come after `lastBefore`. */
export function rosterDays(row: GridRow, first: number, options: SheetOptions, lastBefore = ''): RosterDays {
  const ignored = new Set(options.ignoredColumns.map(folded));
  const headings = row.cells.flatMap((cell, column) => {
    const text = textOf(cell);
    return column < first || text === '' ? [] : { column, text, isIgnored: ignored.has(folded(text)) };
  });
  const columns = headings.filter(({ isIgnored }) => !isIgnored);
  const lackYear = columns.some(({ text }) => whyNoDate(text) === 'no year');
  if (options.year === undefined && lackYear) {
    return { ...NO_DAYS, problems: [{ place: placeInSheet(row), ...lacksYear('the days lack their year') }] };
  }
  const texts = columns.map(({ text }) => text);
  const { read, problems } = wayOfDays(texts, row, options);
  const { dates, problems: more } = daysInOrder(row, columns, read, lackYear ? lastBefore : '', options.year);
  const others = new Map(
    headings.flatMap(({ column, text }) => (dates.has(column) ? [] : [[column, text] as const])),
  );
  // One problem brings about those that follow: while it is unclear how the days are written, so is their order.
  const found = [
    problems,
    secondTables(row, columns),
    more,
    strangeHeadings(row, first, dates, ignored),
    strangeDates(row, dates),
    maybeWeeks(row, first, dates, options),
  ];
  return { dates, others, problems: found.find((some) => some.length > 0) ?? [] };
}

interface Heading {
  readonly column: number;
  readonly text: string;
}

/** Each day comes after the one left of it. */
function daysInOrder(
  row: GridRow,
  headings: readonly Heading[],
  read: (text: string, year?: number) => string | undefined,
  lastBefore: string,
  year: number | undefined,
): Pick<RosterDays, 'dates' | 'problems'> {
  const dates = new Map<number, string>();
  const problems: SheetProblem[] = [];
  const tell = (column: number, message: string) =>
    problems.push({ place: placeInSheet({ ...row, column }), message });
  let [before, beforeThat] = [lastBefore, lastBefore];
  for (const { column, text } of headings) {
    const after = (day: string) => dayAfter(day, (inYear) => read(text, inYear), year);
    const wrong = after(before) === undefined ? [...dates.keys()].at(-1) : undefined;
    const instead = wrong === undefined ? undefined : after(beforeThat);
    const date = after(before) ?? (isFar(instead, before) ? instead : undefined);
    if (date !== undefined) {
      // One day that is far ahead, such as 9.3.2072, must not make those right of it seem wrong.
      if (wrong !== undefined) {
        dates.delete(wrong);
        tell(wrong, `${quote(textOf(row.cells[wrong]))} does not fit between the days beside it: correct it`);
      } else beforeThat = before;
      dates.set(column, date);
      before = date;
    } else if (isDay(text) || whyNoDate(text) !== undefined) {
      const twin = [...dates].find(([, day]) => read(text, Number(day.slice(0, 4))) === day)?.[0];
      tell(column, twin === undefined ? notAfter(text) : twice(text, { ...row, column: twin }));
    }
  }
  return { dates, problems };
}

/** Days of a roster are hardly further apart. */
const MAX_DAYS_BETWEEN = 14;
const DAYS_OF_MONTH = 31;
const DAYS_OF_YEAR = 366;

function daysBetween(date: string, later: string): number {
  return (parseDate(later) as Day) - (parseDate(date) as Day);
}

function isFar(date: string | undefined, later: string): boolean {
  return date !== undefined && daysBetween(date, later) > MAX_DAYS_BETWEEN;
}

/** Headings between days, of what stands left of the days in another table. */
function secondTables(row: GridRow, headings: readonly Heading[]): readonly SheetProblem[] {
  const last = headings.findLast(({ text }) => isDay(text))?.column ?? 0;
  return headings.flatMap(({ column, text }) => {
    const known = columnOf(text);
    if (column > last || known === undefined || !OF_ANOTHER_TABLE.has(known)) return [];
    const message = `${quote(text)} begins a second table beside the first one: put it below, or on a sheet of its own`;
    return { place: placeInSheet({ ...row, column }), message };
  });
}

const OF_ANOTHER_TABLE: ReadonlySet<TableColumn> = new Set([
  'person',
  'first_name',
  'last_name',
  'group',
  'location',
  'id',
]);

/** Headings beside the days that may be meant for days. */
function strangeHeadings(
  row: GridRow,
  first: number,
  dates: RosterDays['dates'],
  ignored: ReadonlySet<string>,
): readonly SheetProblem[] {
  const isKnown = (text: string) => columnOf(text) !== undefined;
  return row.cells.flatMap((cell, column) => {
    const text = textOf(cell);
    if (text === '' || dates.has(column) || ignored.has(folded(text)) || isKnown(text)) return [];
    const place = placeInSheet({ ...row, column });
    if (isError(cell)) return { place, message: whyError(cell) };
    if (!mayBeMistypedDay(text) && !(column > first && isForMissingDay(row, column, dates))) return [];
    return {
      place,
      message: `${quote(text)} is no day: correct it`,
      advice: `; or, if the column holds none, say --ignore-columns ${quote(text)}`,
      offers: [['ignore-columns', text] as const],
    };
  });
}

/** Whether a heading between two days stands where one day is missing. */
function isForMissingDay({ cells }: GridRow, column: number, dates: RosterDays['dates']): boolean {
  const text = textOf(cells[column]);
  if (isTotalWord(text) || isBreakWord(text)) return false;
  const [before, after] = [dates.get(column - 1), dates.get(column + 1)];
  return before !== undefined && after !== undefined && daysBetween(before, after) === 2;
}

/** Days that are each fine alone, but not beside the others. */
function strangeDates(row: GridRow, dates: RosterDays['dates']): readonly SheetProblem[] {
  const days = [...dates].map(([column, date]) => ({ column, date, text: textOf(row.cells[column]) }));
  const words = days.map(({ text }) => weekdayWord(text));
  const wrong = words.includes(undefined)
    ? undefined
    : wrongWeekday(
        words.map((word) => word ?? ''),
        days.map(({ date }) => date),
      );
  const other = typeof wrong === 'number' ? days[wrong] : undefined;
  if (other !== undefined) {
    const message = `${quote(other.text)} is another weekday in the language of the others: correct the date or the weekday`;
    return [{ place: placeInSheet({ ...row, column: other.column }), message }];
  }
  const steps = days.slice(1).map(({ date }, i) => daysBetween(days[i]?.date ?? date, date));
  const [one] = days;
  const areMonths =
    steps.every((step) => step <= DAYS_OF_MONTH) && new Set(days.map(({ date }) => date.slice(8))).size === 1;
  if (one !== undefined && steps.length > 1 && areMonths) {
    const message =
      `${quote(one.text)} and the days after it are a month apart each, as when a spreadsheet takes days for months: ` +
      'correct them; if they are right, write each shift into a row with its date';
    return [{ place: placeInSheet({ ...row, column: one.column }), message }];
  }
  const usual = Math.min(...steps);
  const far = steps.findIndex(
    (step) => step > DAYS_OF_YEAR || (step > MAX_DAYS_BETWEEN && step > 3 * usual && steps.length > 1),
  );
  const [left, right] = [days[far], days[far + 1]];
  if (left === undefined || right === undefined) return [];
  const message =
    `${quote(right.text)} comes ${steps[far]} days after ${quote(left.text)}: correct one of them; if both are right, ` +
    'give the days from here on rows of their own, below these';
  return [{ place: placeInSheet({ ...row, column: right.column }), message }];
}

/** `Week commencing`, beside days that are a week apart. */
function maybeWeeks(
  row: GridRow,
  first: number,
  dates: RosterDays['dates'],
  { columnNames }: SheetOptions,
): readonly SheetProblem[] {
  const days = [...dates.values()];
  const label = row.cells.slice(0, first).map(textOf).find(hasWeekWord);
  if (label === undefined || days.length < 2 || columnNames.get('person') === label) return [];
  if (days.some((day, i) => i > 0 && daysBetween(days[i - 1] ?? day, day) !== 7)) return [];
  const message = `the columns may be weeks, beside ${quote(label)}, and a shift needs its day: give each day a column`;
  return [
    {
      place: placeInSheet(row),
      message,
      advice: `; if they are days, say what the first column is, --columns ${quote(`person=${label}`)}`,
      fix: byOption('columns', `person=${label}`),
    },
  ];
}

function notAfter(text: string): string {
  return `${quote(text)} is no day after those left of it, or another weekday: correct it, or put the days in order`;
}

/** The other column may be of another day, hold a second shift of the same day, or its end. Only a human can tell. */
function twice(text: string, twin: SheetPlace): string {
  return (
    `${quote(text)} is the day of ${describePlace(twin)}, too: correct one of them; if both are right, leave this ` +
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
  readonly problems: readonly SheetProblem[];
} {
  if (dateFormat !== undefined) {
    const format = parseDateFormat(dateFormat);
    const order: DateOrder = dateFormat.indexOf('D') < dateFormat.indexOf('M') ? 'day first' : 'month first';
    return {
      read: (text, inYear) => format?.read(text) ?? readWrittenDate(text, order, inYear),
      problems: [],
    };
  }
  const years = year === undefined ? [] : [year, year + 1];
  const narrowing = dateNarrowing(...years);
  for (const text of texts) narrowing.look(text, row);
  const order = ORDERS.find((one) =>
    texts.every((text) => readWrittenDate(text, one, ...years) !== undefined || !isDay(text)),
  );
  return {
    read: (text, inYear) => readWrittenDate(text, order ?? 'day first', inYear),
    problems: dateProblem('date', narrowing.settle()),
  };
}

/* Columns that share a day, under headings that come again below each: `AM` and `PM`, or `Bar` and `Kitchen`. */

/** The days with the columns that share them. undefined: the row is something else. */
export function partsIn(
  { cells, ...row }: GridRow,
  days: RosterDays,
  { first, headings }: { readonly first: number; readonly headings: GridRow },
): RosterDays | undefined {
  const areHalves = cells.slice(first).every((cell) => cell === '' || HALF_OF_DAY.test(textOf(cell)));
  // A heading may be merged with the cell below it, or stand only there.
  const isLabel = (cell: Cell, i: number) =>
    [textOf(headings.cells[i]), ''].includes(textOf(cell)) ||
    columnOf(textOf(cell), 'first') !== undefined ||
    (areHalves && textOf(headings.cells[i]) === '');
  if (!cells.slice(0, first).every(isLabel)) return undefined;
  const dates = new Map<number, string>();
  const texts = new Map<number, string>();
  const hours = new Map<number, string>();
  let date: string | undefined;
  for (let column = first; column < cells.length; column++) {
    date = days.dates.get(column) ?? (days.others.has(column) ? undefined : date);
    const text = textOf(cells[column]);
    if (date === undefined || text === '') continue;
    if (/\d/.test(text)) return undefined;
    // A length beside each shift is none.
    if (columnOf(text, 'first') === 'hours') hours.set(column, text);
    else {
      dates.set(column, date);
      texts.set(column, text);
    }
  }
  const byDay = Map.groupBy(texts, ([column]) => dates.get(column));
  const [names = [], ...others] = [...byDay.values()].map((some) => some.map(([, text]) => text));
  const isSame = others.every((some) => some.join() === names.join()) && new Set(names).size === names.length;
  const isOne = names.length === 1 && hours.size > 0 && columnOf(names[0] ?? '') === 'times';
  if ((names.length < 2 && !isOne) || !isSame || ![...days.dates.keys()].every((column) => dates.has(column)))
    return undefined;
  return {
    ...days,
    dates,
    others: new Map([...days.others, ...hours]),
    parts: { row, texts: isOne ? new Map() : texts },
  };
}

/** The headings of such columns that do not tell when, and so may be groups or locations. */
export function namesAmong(
  { parts }: RosterDays,
  { codes, statuses }: SheetOptions,
): ReadonlyMap<number, string> {
  const told = new Set(codes?.keys().map((code) => code.toLowerCase()));
  return new Map(
    [...(parts?.texts ?? [])].filter(([, text]) => {
      const column = columnOf(text);
      const isTime = HALF_OF_DAY.test(text) || column === 'times' || column === 'hours';
      return !isTime && !told.has(text.toLowerCase()) && planMeaning(text, statuses) === undefined;
    }),
  );
}
