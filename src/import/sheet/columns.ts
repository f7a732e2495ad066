/** Finds out which column of a sheet holds what, or what is wrong with its headings. */

import { quote } from '@shiftfeed/common/quote';
import { placeInSheet, type SheetPlace } from '../place.ts';
import type { ImportProblem } from '../problems.ts';
import { type Cell, type GridRow, textOf } from './cell.ts';
import type { SheetOptions } from './options.ts';
import type { SheetReport } from './report.ts';
import { isDay, isTurn } from './shape/days.ts';
import { type ColumnPlaces, columnsNamed, countHeadings, folded } from './shape/headings.ts';
import { type Across, type List, type Roster, type Shape, sampleOf } from './shape/shape.ts';
import { type DateOrder, isWeekday, ORDERS, parseDateFormat, readDate, whyNoDate } from './words/date.ts';
import { isBreakWord, nearlyColumn, type TableColumn } from './words/headings.ts';
import { dateNarrowing, dateProblem } from './words/narrowing.ts';
import { cutDateAndTime, hasZone, readTimes } from './words/time.ts';
import { plainWord } from './words/words.ts';

/** The columns of a list. Sheets of other shapes are turned into lists with such columns. */
export interface Columns extends Pick<SheetReport, 'taken' | 'leftOut'> {
  readonly places: ColumnPlaces;
  /** If there are any, no row can be read. */
  readonly problems: readonly ImportProblem[];
  /** The headings of a list, as they are written. */
  readonly headings: readonly string[];
  /** How many cells a row has. */
  readonly width: number;
  /** The cells without a heading. */
  readonly unnamed: readonly number[];
  /** A column of weekdays, which must agree with the dates. */
  readonly weekday?: number | undefined;
  /** Columns that say am or pm for the times on their left. */
  readonly halves: readonly number[];
  /** Whether a row with more cells than headings is a problem: in a text file, its cells may be shifted by a column. */
  readonly isStrict: boolean;
  /** The columns that the sheet lacks and that a row without an id would need. */
  readonly lacking: readonly TableColumn[];
  /** For shapes with several shifts in a row: how a row for each of them is made. */
  readonly wide?: WideColumns;
}

export interface WideColumns {
  /** Where the columns are in a row of the sheet. */
  readonly places: ColumnPlaces;
  readonly unnamed: readonly number[];
  /** Those of a roster. */
  readonly days: RosterDays;
  /**
   * The cells for one shift: those of the row that are read, and those that are added. With the others, a sheet with
   * many columns would take the square of its size.
   */
  narrow(cells: readonly Cell[], ...added: readonly Cell[]): GridRow['cells'];
}

/** `isText`: whether the sheet comes from a text file. */
export function columnsOf(shape: Shape, options: SheetOptions, isText: boolean): Columns {
  switch (shape.kind) {
    case 'list':
      return listColumns(shape, options, isText);
    case 'across':
      return acrossColumns(shape, options);
    case 'roster':
      return rosterColumns(shape, options);
  }
}

function listColumns(shape: List, options: SheetOptions, isText: boolean): Columns {
  const headings = shape.headings.cells.map(textOf);
  const sample = sampleOf(shape);
  const trimmed = headings.slice(0, headings.findLastIndex((heading) => heading !== '') + 1);
  const named = readHeadings(isText ? headings : trimmed, shape.headings, options, sample);
  const { start_time, end_time } = named.places;
  const halves = otherColumns(named, sample, (text) => HALF.test(text)).filter(
    (place) => place - 1 === start_time || place - 1 === end_time,
  );
  return {
    ...named,
    headings,
    isStrict: isText,
    weekday: otherColumns(named, sample, isWeekday)[0],
    halves,
    leftOut: named.leftOut.filter((heading) => !halves.some((place) => headings[place] === heading)),
  };
}

const HALF = /^[ap]\.?\s?m?\.?$/i;

/** The places of unknown columns whose filled cells in the first rows all pass the test. */
function otherColumns(
  { places, width }: Columns,
  sample: readonly GridRow[],
  test: (text: string) => boolean,
): readonly number[] {
  const known = new Set(Object.values(places));
  return Array.from({ length: width }, (_, place) => place).filter((place) => {
    if (known.has(place)) return false;
    const texts = sample.map(({ cells }) => textOf(cells[place])).filter((text) => text !== '');
    return texts.length > 0 && texts.every(test);
  });
}

/** The columns of the list are those that are not across, followed by person and times. */
function acrossColumns({ headings: row, columns }: Across, options: SheetOptions): Columns {
  const headings = row.cells.map(textOf);
  const isAcross = new Set(columns);
  const others = headings.map((heading, column) => (isAcross.has(column) ? '' : heading));
  const named = readHeadings([...others, 'person', 'times'], row, options);
  const unnamed = named.unnamed.filter((place) => headings[place] === '');
  return narrowed({ ...named, unnamed }, headings.length);
}

/** The columns of the list are those left of the days, followed by date and times, or date and person. */
function rosterColumns(shape: Roster, options: SheetOptions): Columns {
  const { headings: row, first, times } = shape;
  const labels = row.cells.slice(0, first).map(textOf);
  const named = readHeadings(
    times === undefined
      ? [...withPeople(labels, options), 'date', 'times']
      : [...labels.with(times, 'times'), 'date', 'person'],
    row,
    options,
  );
  const days = rosterDays(row, shape, options);
  const problems = [...days.problems, ...named.problems];
  return narrowed({ ...named, problems, leftOut: [...named.leftOut, ...days.others] }, first, days);
}

/** In most rosters the rows are people, under any heading or none. */
function withPeople(labels: readonly string[], options: SheetOptions): readonly string[] {
  if (labels.length === 0 || labels.some((label) => countHeadings([label], options) > 0)) return labels;
  const place = labels.findIndex((label) => label !== '');
  return labels.with(Math.max(0, place), 'person');
}

/** From column `width` on, `wide` is about the cells that are added to each row. */
function narrowed(wide: Columns, width: number, days = NO_DAYS): Columns {
  const kept = [...new Set(Object.values(wide.places))];
  const places = Object.fromEntries(
    Object.entries(wide.places).map(([column, place]) => [column, kept.indexOf(place)]),
  ) as ColumnPlaces;
  return {
    ...wide,
    places,
    headings: [],
    width: kept.length,
    unnamed: [],
    wide: {
      places: wide.places,
      unnamed: wide.unnamed,
      days,
      narrow: (cells, ...added) =>
        kept.map((place) => (place < width ? cells[place] : added[place - width]) ?? ''),
    },
  };
}

/** A row without an id is identified by these, and has to be a complete shift. */
const NEEDED_WITHOUT_ID: readonly TableColumn[] = ['date', 'start_time', 'end_time', 'group', 'publish_date'];

function readHeadings(
  headings: readonly string[],
  row: SheetPlace,
  options: SheetOptions,
  sample: readonly GridRow[] = [],
): Columns {
  const problems: ImportProblem[] = [];
  const { places, seconds } = columnsNamed(headings, options);
  const found: FoundHeadings = {
    headings,
    places,
    options,
    told: new Set([...givenBy(options), ...toldByOthers(places, sample)]),
    tell: (heading, message, fix) =>
      problems.push({ place: placeInSheet(row, heading), message, ...(fix && { fix }) }),
  };
  for (const { column, first, second } of seconds) tellTwo(column, first, second, found.tell);
  const meant = tellMisspelt(found);
  checkOptions(found);
  checkAddress(found);
  checkBreaks(found);
  const lacking = NEEDED_WITHOUT_ID.filter((column) => !isThere(places, column) && !found.told.has(column));
  if (places.id === undefined && !meant.has('id')) {
    for (const column of lacking) {
      if (!meant.has(column) && !options.columnNames.has(column)) tellLacking(column, found.tell);
    }
  }
  return {
    places,
    problems,
    headings,
    width: headings.length,
    unnamed: headings.flatMap((heading, i) => (heading === '' ? i : [])),
    halves: [],
    isStrict: false,
    lacking,
    ...reported(headings, places),
  };
}

interface FoundHeadings {
  readonly headings: readonly string[];
  readonly places: ColumnPlaces;
  readonly options: SheetOptions;
  /** Columns that may be missing, because an option or another column gives their value. */
  readonly told: ReadonlySet<TableColumn>;
  readonly tell: Tell;
}

/** Reports a problem with the column of a heading, or with the headings as a whole. */
type Tell = (heading: string | undefined, message: string, fix?: ImportProblem['fix']) => void;

function givenBy({ publishedFrom, group }: SheetOptions): readonly TableColumn[] {
  return [
    ...(publishedFrom === undefined ? [] : ['publish_date' as const]),
    ...(group === undefined ? [] : ['group' as const]),
  ];
}

/** Whether the sheet has the column, or another one that says the same. */
function isThere(places: ColumnPlaces, column: TableColumn): boolean {
  if (places[column] !== undefined) return true;
  if (column === 'start_time') return places.times !== undefined;
  return column === 'end_time' && (places.times !== undefined || places.hours !== undefined);
}

/** Whether the column would add nothing to what others say. */
function isTold(places: ColumnPlaces, column: TableColumn): boolean {
  if (column === 'times' || column === 'hours')
    return isThere(places, 'start_time') && isThere(places, 'end_time');
  if (column === 'first_name' || column === 'last_name') return places.person !== undefined;
  return isThere(places, column);
}

/**
 * Columns whose values are in the cells of others: a start may come with its date or its end, and a date with the
 * start.
 */
function toldByOthers(places: ColumnPlaces, sample: readonly GridRow[]): readonly TableColumn[] {
  const holds = (column: TableColumn, test: (cell: Cell) => boolean) =>
    sample.some(({ cells }) => {
      const cell = cells[places[column] ?? -1];
      return cell !== undefined && test(cell);
    });
  const told: TableColumn[] = [];
  if (holds('start_time', hasDateAndTime)) told.push('date');
  if (holds('date', hasDateAndTime)) told.push('start_time');
  if (holds('start_time', (cell) => typeof cell === 'string' && readTimes(cell) !== undefined))
    told.push('end_time');
  return told;
}

function hasDateAndTime(cell: Cell): boolean {
  if (typeof cell !== 'string') return cell.type === 'date and time';
  if (hasZone(cell)) return /^\d{4}-/.test(cell);
  const [date] = cutDateAndTime(cell) ?? [];
  return date !== undefined && /\d\D{1,30}\d|\d\s{0,5}\p{L}/u.test(date);
}

function tellTwo(column: TableColumn, first: string, second: string, tell: Tell): void {
  if (folded(first) === folded(second)) tell(second, `there are two columns for ${column}`);
  else
    tell(
      second,
      `there are two columns for ${column}, ${quote(first)} and this one; say which it is, such as --columns ${pair(column, first)}`,
      ['--columns', `${column}=${first}`, `${column}=${second}`],
    );
}

/**
 * Reports headings that look like misspelt names of missing columns. Returns the columns that they seem to stand for.
 */
function tellMisspelt({ headings, places, options, told, tell }: FoundHeadings): ReadonlySet<TableColumn> {
  const { columnNames, ignoredColumns } = options;
  const meant = new Set<TableColumn>();
  const taken = new Set(Object.values(places));
  const left = new Set([...ignoredColumns, ...columnNames.values()].map(folded));
  for (const [i, heading] of headings.entries()) {
    if (heading === '' || taken.has(i) || left.has(folded(heading))) continue;
    const column = nearlyColumn(heading);
    if (column === undefined || isTold(places, column) || told.has(column) || columnNames.has(column))
      continue;
    meant.add(column);
    tell(
      heading,
      `there is no such column; did you mean "${column}"? Then say --columns ${pair(column, heading)}, else --ignore-columns ${shown(heading)}`,
      ['--columns', `${column}=${heading}`],
    );
  }
  return meant;
}

/** Checks that the columns named by --columns and --ignore-columns exist. */
function checkOptions({ headings, options: { columnNames, ignoredColumns }, tell }: FoundHeadings): void {
  const hasHeading = (wanted: string) => headings.some((heading) => folded(heading) === folded(wanted));
  const isIgnored = (heading: string) => ignoredColumns.some((one) => folded(one) === folded(heading));
  const named = new Map<string, TableColumn>();
  for (const [column, heading] of columnNames) {
    const other = named.get(folded(heading));
    named.set(folded(heading), column);
    if (!hasHeading(heading))
      tell(undefined, `there is no column ${quote(heading)}, which --columns names for ${column}`);
    else if (isIgnored(heading)) tell(heading, 'both --columns and --ignore-columns name this column');
    else if (other !== undefined)
      tell(heading, `--columns names this column for ${other} and for ${column}, but it can be only one`);
  }
  for (const heading of ignoredColumns) {
    if (!hasHeading(heading))
      tell(undefined, `there is no column ${quote(heading)}, which --ignore-columns names`);
  }
}

function checkAddress({ headings, places: { address, location }, tell }: FoundHeadings): void {
  if (address === undefined || location !== undefined) return;
  const heading = headings[address] ?? '';
  tell(
    heading,
    `an address belongs to a location, and there is no column "location"; if it tells the place, say --columns ${pair('location', heading)}`,
    ['--columns', `location=${heading}`],
  );
}

/** With breaks, a length is ambiguous: it may be that of the work or that of the shift. */
function checkBreaks({ headings, places, options, tell }: FoundHeadings): void {
  const ignored = new Set(options.ignoredColumns.map(folded));
  const breaks = headings.find((heading) => isBreakWord(heading) && !ignored.has(folded(heading)));
  if (places.hours === undefined || breaks === undefined) return;
  tell(
    breaks,
    `there is no column for the end, and the hours may be with the breaks or without; give the end, or, if the hours are with the breaks, say --ignore-columns ${shown(breaks)}`,
  );
}

function tellLacking(column: TableColumn, tell: Tell): void {
  const ways: Partial<Record<TableColumn, readonly [way: string, fix?: ImportProblem['fix']]>> = {
    publish_date: [
      'give the column, or one date for all with --published-from',
      ['--published-from', 'today'],
    ],
    group: ['--columns tells what a sheet calls it, and --group gives one for all rows', ['--group', 'NAME']],
  };
  const [way = '--columns tells what a sheet calls it', fix] = ways[column] ?? [];
  tell(undefined, `there is no column "${column}"; ${way}`, fix);
}

function pair(column: string, heading: string): string {
  return shown(`${column}=${heading}`);
}

/** Quoted so that it can be typed into a shell. */
function shown(argument: string): string {
  return /^[\w=./-]+$/.test(argument) ? argument : quote(argument);
}

function reported(headings: readonly string[], places: ColumnPlaces): Pick<SheetReport, 'taken' | 'leftOut'> {
  const columns = new Map(Object.entries(places).map(([column, place]) => [place, column as TableColumn]));
  const taken: SheetReport['taken'][number][] = [];
  const leftOut: string[] = [];
  for (const [i, heading] of headings.entries()) {
    const column = columns.get(i);
    if (column === undefined) {
      if (heading !== '') leftOut.push(heading);
    } else if (plainWord(heading) !== plainWord(column)) {
      taken.push({ heading, column });
    }
  }
  return { taken, leftOut };
}

export interface RosterDays {
  /** The date of each column. */
  readonly dates: ReadonlyMap<number, string>;
  /** Headings that are not days. */
  readonly others: readonly string[];
  readonly problems: readonly ImportProblem[];
}

const NO_DAYS: RosterDays = { dates: new Map(), others: [], problems: [] };

/** The days of a row of headings, each with its year. Without years, they come after `lastBefore`. */
export function rosterDays(
  row: GridRow,
  { first }: Roster,
  options: SheetOptions,
  lastBefore = '',
): RosterDays {
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
