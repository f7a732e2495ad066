/** Dates the days of a roster that are only numbers or weekdays, by the month or the week that a title above names. */

import { parseDate } from '@shiftfeed/common/days';
import { quote } from '@shiftfeed/common/quote';
import { type Cell, type GridRow, refusedAt, SheetRefused, textOf } from '../cell.ts';
import { placeInSheet, type SheetPlace } from '../problem.ts';
import type { SheetOptions } from '../sheet-options.ts';
import {
  isOneOf,
  isWeekday,
  ORDERS,
  readWrittenDate,
  weekdayReadings,
  weekdaysNamed,
  whyNoDate,
} from '../words/date.ts';
import { anyOf } from '../words/languages.ts';
import { daysAfter, hasWeekWord, isWeekLabel, weekIn } from '../words/title.ts';
import { isTotalWord } from '../words/words.ts';
import {
  datesOfWeek,
  type FindWeeks,
  lacksYear,
  monthsIn,
  periodsIn,
  textIn,
  weekFinder,
  yearOf,
} from './titles.ts';
import { type FindYear, yearFinder } from './turn-of-year.ts';

/**
 * Takes the rows of a sheet in their order, and returns each with dates in place of such days. If each row says its week,
 * the days come again above it. Throws SheetRefused.
 */
export type Dater = (row: GridRow) => readonly GridRow[];

/** Days that are found in a row, but not dated yet. */
interface RowOfDays {
  /** The column of the first one. */
  readonly first: number;
  /** Whether they are days even if no title above says of which month. */
  readonly isSure: boolean;
  /** The dates by column. Throws SheetRefused. */
  date(above: Above): ReadonlyMap<number, string>;
}

/** What stands above a row of days. */
interface Above {
  readonly titles: readonly GridRow[];
  /** The row right above it. */
  readonly row: GridRow | undefined;
  /** The last day of the block before. */
  readonly lastBefore: string | undefined;
}

/** Days that are numbers, under the name of a month: `1, 2, 3` or `Mon 8, Tue 9`. */
export function numberDater({ year }: SheetOptions): Dater {
  const yearOfMonths = yearFinder(year);
  return dater(
    (row) => numbersIn(row, year, yearOfMonths),
    (titles) => monthsIn(titles, year).length > 0,
  );
}

/** Days without a year, under months or days with one: `30 Dec`, `31 Dec`, `1 Jan`. */
export function yearDater({ year }: SheetOptions): Dater {
  return dater(
    (row) => (year === undefined ? daysWithoutYear(row) : undefined),
    (titles) => monthsIn(titles, undefined).length > 0 || periodsIn(titles).length > 0,
  );
}

function daysWithoutYear({ cells }: GridRow): RowOfDays | undefined {
  const days = [...cells.entries()].filter(([, cell]) => isWithoutYear(textOf(cell)));
  const [first] = days;
  if (first === undefined || days.length < MIN_NUMBERS) return undefined;
  return {
    first: first[0],
    isSure: false,
    date({ titles }) {
      const periods = [
        ...monthsIn(titles, undefined).map((month) => ({ first: `${month}-01`, last: `${month}-31` })),
        ...periodsIn(titles),
      ];
      const years = new Set(periods.flatMap(({ first, last }) => [yearOf(first), yearOf(last)]));
      const dates = days.flatMap(([column, cell]) => {
        const all = [...years].flatMap((year) =>
          ORDERS.flatMap((order) => readWrittenDate(textOf(cell), order, year) ?? []),
        );
        const isNamed = (date: string) => periods.some(({ first, last }) => first <= date && date <= last);
        const [date, other] = new Set(all.filter(isNamed));
        return date === undefined || other !== undefined ? [] : [[column, date] as const];
      });
      return new Map(dates.length === days.length ? dates : []);
    },
  };
}

/** `9-17` may be times. */
function isWithoutYear(text: string): boolean {
  return /\p{L}|\.$/u.test(text) && whyNoDate(text) === 'no year';
}

/** Days that are weekdays, under a week or beside it: `Week commencing 8 March 2027`, `KW 10`. */
export function weekdayDater({ year }: SheetOptions): Dater {
  const weeksIn = weekFinder(year);
  return weeksBeside(
    year,
    dater(
      (row, isAgain) => weekdaysIn(row, isAgain, weeksIn),
      (titles) => titles.some((row) => weekIn(textIn(row), year) !== undefined),
    ),
  );
}

function dater(
  daysIn: (row: GridRow, isAgain: boolean) => RowOfDays | undefined,
  tellWhen: (titles: readonly GridRow[]) => boolean,
): Dater {
  let titles: GridRow[] = [];
  let before: { readonly row: GridRow; readonly dates: ReadonlyMap<number, string> } | undefined;
  let rowAbove: GridRow | undefined;
  return (row) => {
    const days = daysIn(row, before !== undefined);
    const left = { ...row, cells: row.cells.slice(0, days?.first) };
    const above = {
      titles: [...titles, left],
      row: rowAbove,
      lastBefore: [...(before?.dates.values() ?? [])].at(-1),
    };
    const isToldWhen = days !== undefined && tellWhen(above.titles);
    const isSame = days !== undefined && before !== undefined && hasSameDays(row, before.row, days.first);
    rowAbove = row;
    if (
      days === undefined ||
      !(days.isSure || isToldWhen) ||
      !(isSame || mayRepeat(left.cells, before?.row))
    ) {
      if (titles.length < MAX_TITLES && mayBeTitle(row)) titles.push(row);
      return [row];
    }
    // Another block below the same title has the same days.
    const same = isSame && !isToldWhen ? before?.dates : undefined;
    const dates = same ?? days.date(above);
    before = { row, dates };
    titles = [];
    return [{ ...dated(row, dates), ...(same && { hasDaysOfAbove: true }) }];
  };
}

function dated(row: GridRow, dates: ReadonlyMap<number, string>): GridRow {
  const cells: Cell[] = row.cells.map((cell, column) => {
    const text = dates.get(column);
    return text === undefined ? cell : { type: 'date', text, isMade: cell === '' };
  });
  return { ...row, cells };
}

function hasSameDays(row: GridRow, before: GridRow, first: number): boolean {
  const width = Math.max(row.cells.length, before.cells.length);
  for (let i = first; i < width; i++) if (textOf(row.cells[i]) !== textOf(before.cells[i])) return false;
  return true;
}

/** Weekdays beside a column with the week of each row: `Week ending`, `KW`. */
function weeksBeside(year: number | undefined, date: Dater): Dater {
  let found: { readonly days: RowOfDays; readonly row: GridRow; readonly column: number } | undefined;
  const weeksIn = weekFinder(year);
  /** Rows below the headings without shifts, such as weekdays once more. The first week dates the headings above them. */
  let held: readonly GridRow[] = [];
  let isDated = false;
  let week = '';
  return (row) => {
    if (found === undefined) {
      const days = weekdaysIn(row, false, weeksIn);
      const column = row.cells.slice(0, days?.first ?? 0).findIndex((cell) => {
        const text = textOf(cell);
        return hasWeekWord(text) && weekIn(text, year) === undefined;
      });
      if (days === undefined || column === -1) return date(row);
      found = { days, row, column };
      return [];
    }
    const { days, row: headings, column } = found;
    const text = textOf(row.cells[column]);
    const heading = textOf(headings.cells[column]);
    const title = { ...row, cells: [heading, text] };
    const isWeek = text !== '' && text !== heading && weekIn(textIn(title), year) !== undefined;
    // A person of no week would else be one of the week above.
    const isOther =
      isDated &&
      text !== '' &&
      text !== week &&
      !isWeek &&
      row.cells.some((cell, i) => i >= days.first && cell !== '');
    if (isOther && !isTotalWord(text) && text !== heading)
      throw refusedAt({ ...row, column }, `${quote(text)} is no week: write one such as "8 March 2027"`);
    if (!isDated && held.length < MAX_TITLES && text === '') {
      const isBare = row.cells.every((cell, i) => i < days.first || cell === '');
      if (isBare || weekdaysIn(row, false, weeksIn) !== undefined) {
        held = [...held, row];
        return [];
      }
    }
    const below = [...held, row];
    held = [];
    if (text === week || !isWeek) {
      const isHeld = !isDated;
      isDated = true;
      return isHeld ? [headings, ...below] : [row];
    }
    [week, isDated] = [text, true];
    return [dated(headings, days.date({ titles: [title], row: undefined, lastBefore: undefined })), ...below];
  };
}

/** Rows above the days, or between two blocks of them, that may be titles. */
const MAX_TITLES = 50;
const MAX_TITLE_CELLS = 6;

/** A person with shifts fills more cells, and is no title. */
function mayBeTitle({ cells }: GridRow): boolean {
  let filled = 0;
  for (const cell of cells) if (cell !== '' && ++filled > MAX_TITLE_CELLS) return false;
  return filled > 0;
}

/** Days that come again have the same label, none, or a week beside them. A person has another one. */
export function mayRepeat(labels: readonly Cell[], headings: GridRow | undefined): boolean {
  if (headings === undefined) return true;
  return labels.every((cell, i) => {
    const text = textOf(cell);
    return text === '' || text === textOf(headings.cells[i]) || isWeekLabel(text);
  });
}

interface DayNumber {
  readonly column: number;
  readonly cell: Cell;
  readonly number: number;
  /** If it stands beside the number. */
  readonly weekdays: ReadonlySet<number> | undefined;
}

/** So many numbers in a row are days. Fewer are days only below the name of a month. */
const MIN_SURE_NUMBERS = 5;
const MIN_NUMBERS = 2;

function numbersIn(row: GridRow, year: number | undefined, findYear: FindYear): RowOfDays | undefined {
  const filled = row.cells.flatMap((cell, column) => (cell === '' ? [] : { column, cell }));
  const numbers = filled.map(({ cell, column }) => dayNumber(cell, column));
  const from = startOfRun(numbers, MIN_SURE_NUMBERS) ?? startOfRun(numbers, MIN_NUMBERS);
  if (from === undefined) return undefined;
  const days = numbers.slice(from).filter((one) => one !== undefined);
  const isLong = startOfRun(numbers, MIN_SURE_NUMBERS) !== undefined;
  const isSure = isLong || days.every(({ weekdays }) => weekdays !== undefined);
  // In a short row, numbers that do not follow each other may be anything else, such as how many people are needed.
  if (!isSure && days.some((day, i) => i > 0 && !follows(days[i - 1], day))) return undefined;
  const [first] = days as [DayNumber];
  const before = numbers[from - 1];
  return {
    first: first.column,
    isSure,
    date(above) {
      if (before !== undefined) throw notNext({ ...row, column: first.column }, first.cell);
      const dates = datesOfNumbers(days, row, firstMonths(days, row, above, year, findYear));
      return new Map([...daysBefore(first.column, dates, row, above.row), ...dates]);
    },
  };
}

/** In a calendar, the first days of a week may be empty, because they belong to the month before. */
function daysBefore(
  first: number,
  dates: ReadonlyMap<number, string>,
  { cells }: GridRow,
  above: GridRow | undefined,
): readonly (readonly [number, string])[] {
  const days: (readonly [number, string])[] = [];
  for (let column = first - 1; column >= 0; column--) {
    if (cells[column] !== '' || !isWeekday(textOf(above?.cells[column]))) break;
    days.unshift([column, daysAfter(dates.get(first) ?? '', column - first)]);
  }
  return days;
}

/** The index of the first so many numbers of which each may be the day after the one before. */
function startOfRun(numbers: readonly (DayNumber | undefined)[], length: number): number | undefined {
  let run = 1;
  for (let i = 1; i < numbers.length; i++) {
    run = follows(numbers[i - 1], numbers[i]) ? run + 1 : 1;
    if (run === length) return i + 1 - length;
  }
  return undefined;
}

/** `8`, `8.`, `8th`, `Mon 8`, `8 Mo` */
function dayNumber(cell: Cell, column: number): DayNumber | undefined {
  const text = textOf(cell);
  const [, before = '', digits, after = ''] = DAY_NUMBER.exec(text) ?? [];
  const number = Number(digits ?? 0);
  if (number < 1 || number > 31) return undefined;
  if (before !== '' && after !== '') return undefined;
  const word = before || after;
  const weekdays = word === '' ? undefined : weekdaysNamed(word);
  return word !== '' && weekdays === undefined ? undefined : { column, cell, number, weekdays };
}

const DAY_NUMBER = new RegExp(
  `^(?:(\\p{L}[\\p{L}\\p{M}]{0,15})[.,]?\\s{0,3})?(\\d{1,2})(?:\\.|${anyOf(({ dates }) => dates.ordinals)})?(?:[,\\s]\\s{0,3}(\\p{L}[\\p{L}\\p{M}]{0,15})\\.?)?$`,
  'u',
);

/** Whether a day may be the next one. Beside weekdays, some may be left out. */
function follows(before: DayNumber | undefined, day: DayNumber | undefined): boolean {
  if (before === undefined || day === undefined) return false;
  // `8 Mar` is in March, although `mar` is a Tuesday in several languages.
  const [weekday, ...others] = before.weekdays ?? [];
  if (weekday !== undefined && others.length === 0 && day.weekdays?.has(weekday) && day.weekdays.size === 1)
    return (day.number - before.number) % 7 === 0 && day.number !== before.number;
  if (day.number === before.number + 1 || (day.number === 1 && before.number >= 28)) return true;
  return before.weekdays !== undefined && day.weekdays !== undefined && day.number !== before.number;
}

/** The months in which the first day may be. Throws SheetRefused. */
function firstMonths(
  days: readonly DayNumber[],
  row: GridRow,
  { titles, lastBefore }: Above,
  year: number | undefined,
  findYear: FindYear,
): readonly string[] {
  const isWritten = monthsIn(titles, undefined).length > 0;
  findYear(lastBefore, false, row);
  const months = monthsIn(titles, findYear(monthsIn(titles, year)[0], !isWritten, row));
  const [month, next, ...others] = months;
  const isOverEnd = days.some((day, i) => day.number < (days[i - 1]?.number ?? 0));
  if (month === undefined) {
    const goesOn = lastBefore && nextDate(lastBefore, days[0]?.number ?? 0);
    if (goesOn && isSoonAfter(lastBefore, goesOn, 7)) return [goesOn.slice(0, 7)];
    const isWithoutYear = year === undefined && monthsIn(titles, SOME_YEAR).length > 0;
    throw new SheetRefused({
      place: placeInSheet(row),
      ...(isWithoutYear
        ? lacksYear('the month above the days lacks its year')
        : { message: `the days are numbers: ${WRITE_MONTH}` }),
    });
  }
  if (next === undefined) return isOverEnd ? [monthAfter(month, -1), month] : [month];
  if (isOverEnd && others.length === 0 && next === monthAfter(month, 1)) return [month];
  throw refusedAt(
    row,
    `the days are numbers: ${WRITE_MONTH}, and not two such as ${months.slice(0, 2).join(' and ')}`,
  );
}

const SOME_YEAR = 2027;
const WRITE_MONTH = 'write their month and year above them, such as "March 2027"';

function monthAfter(month: string, months: number): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + months)).toISOString().slice(0, 7);
}

/** Days that run over the end of a month may begin in the month of the title, or end in it. */
function datesOfNumbers(
  days: readonly DayNumber[],
  row: SheetPlace,
  months: readonly string[],
): ReadonlyMap<number, string> {
  const found = months.map((month) => datesFrom(month, days, row));
  const [dates, another] = found.flatMap((one) => (one instanceof SheetRefused ? [] : [one]));
  if (dates === undefined) throw found.at(-1);
  if (another === undefined) return dates;
  throw refusedAt(
    row,
    `the days may begin in ${months.join(' or in ')}: write both months above them, such as "March 2027" and "April 2027"`,
  );
}

/** Or why the days do not follow each other from this month on. */
function datesFrom(
  month: string,
  days: readonly DayNumber[],
  row: SheetPlace,
): ReadonlyMap<number, string> | SheetRefused {
  const dates = new Map<number, string>();
  let before: string | undefined;
  let numberBefore = 0;
  for (const { column, cell, number, weekdays } of days) {
    const place = { ...row, column };
    const date = before === undefined ? dateIn(month, number) : nextDate(before, number);
    // Some number every month up to 31. What the month does not have is then not a day.
    const isBeyond = date === undefined && number === numberBefore + 1;
    const isNext = before === undefined || isSoonAfter(before, date, weekdays === undefined ? 1 : 7);
    if (!isBeyond && (date === undefined || !isNext || numberBefore !== numberOf(before)))
      return notNext(place, cell);
    numberBefore = number;
    if (date === undefined) continue;
    if (!isOneOf(weekdays, date)) return notWeekday(place, cell, date);
    dates.set(column, date);
    before = date;
  }
  return dates;
}

function numberOf(date: string | undefined): number {
  return Number(date?.slice(8) ?? 0);
}

function dateIn(month: string, number: number): string | undefined {
  const date = `${month}-${String(number).padStart(2, '0')}`;
  return parseDate(date) === undefined ? undefined : date;
}

/** The first date after another one with this day of the month, in the same month or in the next. */
function nextDate(before: string, number: number): string | undefined {
  const month = before.slice(0, 7);
  return dateIn(number > numberOf(before) ? month : monthAfter(month, 1), number);
}

function isSoonAfter(before: string, date: string | undefined, days: number): boolean {
  return (parseDate(date ?? '') ?? 0) - (parseDate(before) ?? 0) <= days;
}

/** A day may be there twice or be left out, and numbers alone do not tell which days are meant. */
function notNext(place: SheetPlace, cell: Cell): SheetRefused {
  return refusedAt(
    place,
    `${quote(textOf(cell))} is not the day after the one left of it: number all days without a gap, or write dates such as 2027-03-01`,
  );
}

/** The month or the week of a title may be left over from another sheet. */
export function notWeekday(place: SheetPlace, cell: Cell, date: string): SheetRefused {
  return refusedAt(
    place,
    `${quote(textOf(cell))} is not the weekday of ${date}: correct the weekday or the date, or the title that the date comes from`,
  );
}

/** So many words for weekdays are days. Initials may be codes, so more of them are needed. */
const MIN_WEEKDAYS = 3;
const MIN_INITIALS = 5;

function weekdaysIn(row: GridRow, isAgain: boolean, weeksIn: FindWeeks): RowOfDays | undefined {
  const days = row.cells.flatMap((cell, column) => {
    const text = textOf(cell);
    return text !== '' && weekdayReadings([text]).length > 0 ? { column, text } : [];
  });
  const isWords = days.filter(({ text }) => isWeekday(text)).length >= MIN_WEEKDAYS;
  if (!isWords && days.length < MIN_INITIALS) return undefined;
  const readings = weekdayReadings(days.map(({ text }) => text));
  const [first] = days;
  if (first === undefined || readings.length === 0) return undefined;
  return {
    first: first.column,
    isSure: isAgain,
    date({ titles }) {
      const ways = weeksIn(row, titles).map((week) =>
        readings.flatMap((reading) => week.flatMap((period) => datesOfWeek(period, reading))),
      );
      const [dates] = ways.flat();
      const isClear = ways.every(
        (some) => some.length > 0 && some.every((way) => way.join() === dates?.join()),
      );
      if (dates === undefined || !isClear)
        throw refusedAt(
          { ...row, column: first.column },
          `the days from ${quote(first.text)} on do not fit the week in the title above them: write the date of each day into its heading, such as "Mon 1 March 2027"`,
        );
      return new Map(days.map(({ column }, i) => [column, dates[i] as string]));
    },
  };
}
