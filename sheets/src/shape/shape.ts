/**
 * Decides how a sheet is laid out: as a list, with a row for each shift; with people or times across; or as a roster,
 * with days across. What is unclear about a sheet as a whole is found here, before anything of it is read.
 */

import { inFull, quote } from '@shiftfeed/common/quote';
import { byOption } from '@shiftfeed/common/reason';
import {
  type Cell,
  type GridRow,
  isEmptyRow,
  isError,
  isPartlyCrossedOut,
  SheetRefused,
  textOf,
  whyError,
} from '../cell.ts';
import { placeInSheet, type SheetProblem } from '../problem.ts';
import type { SheetOptions } from '../sheet-options.ts';
import { isWeekday } from '../words/date.ts';
import { columnOf } from '../words/headings.ts';
import { shapeOfName } from '../words/people.ts';
import { notPlanIn, saysShift } from '../words/status.ts';
import { readTimes, timesNamed } from '../words/time.ts';
import { hasWeekWord, mayBeName, tellsWhen as namesDays } from '../words/title.ts';
import { isFree, readFlag } from '../words/words.ts';
import type { Dater } from './dated.ts';
import { type DatedRows, type DaysAcross, datedRows, isDay } from './days.ts';
import {
  type ColumnPlaces,
  columnsNamed,
  countHeadings,
  indexOfHeadings,
  MAX_ROWS_TO_HEADINGS,
  unreadHeadings,
} from './heading-row.ts';
import { textIn } from './titles.ts';

export type Shape = List | Across | Roster;

interface AnyShape {
  /** The row that names the columns. */
  readonly headings: GridRow;
  /** The rows below it, as far as they were looked at. */
  readonly below: readonly GridRow[];
  readonly above: readonly GridRow[];
}

export interface List extends AnyShape {
  readonly kind: 'list';
}

/** Days down, and columns in which each cell is a shift. */
export interface Across extends AnyShape {
  readonly kind: 'across';
  readonly columns: readonly number[];
  /** What the headings of these columns hold. The cells hold the other. */
  readonly columnsAre: 'person' | 'times';
  /** Whether the cells are crosses of people who work at the times of their row. */
  readonly hasCrosses?: boolean;
}

/** People, groups or times down, and days across. */
export interface Roster extends AnyShape {
  readonly kind: 'roster';
  /** The first column of days. */
  readonly first: number;
  /** If the cells are names, the column left of the days that holds the times. */
  readonly times: number | undefined;
  /** If the cells are crosses of the people beside them, the column left of the days that holds the times. */
  readonly timesOfCrosses: number | undefined;
  /** The row above the days, which may hold their weekdays. */
  readonly rowAbove: GridRow | undefined;
  /** Whether the days come again beside other names: those of groups, for example. */
  readonly hasNamedBlocks: boolean;
  /** Makes dates of days that come again further below. */
  readonly date: Dater;
  /** Whether a row above days names the month or the week that dates them. */
  isTitle(row: GridRow): boolean;
}

/** What the first rows of a sheet show. */
interface Look {
  /** Whether the sheet begins like one with shifts. */
  readonly mayHoldShifts: boolean;
  readonly shape?: Shape;
  /** What is unclear about the sheet as a whole. If there is anything, none of it is read. */
  readonly problems: readonly SheetProblem[];
}

/** How many rows under the headings are looked at to see what a column holds. */
const SAMPLE_ROWS = 20;
/** How far the headings are looked for, empty rows included. */
const MAX_FIRST_ROWS = 10_000;
/** A list of people has fewer known headings. */
const MIN_HEADINGS_OF_SHIFTS = 3;

export interface ShapedRows {
  readonly shape: Shape;
  /** The rows under the headings, some at a time. */
  readonly rows: AsyncIterable<readonly GridRow[]>;
}

/** Throws SheetRefused. */
export async function findShape(
  rows: AsyncIterable<readonly GridRow[]>,
  options: SheetOptions,
): Promise<ShapedRows> {
  const iterator = rows[Symbol.asyncIterator]();
  const { first, others } = await firstRows(iterator);
  const { shape, problems } = lookAt(first, options);
  if (shape === undefined || problems.length > 0) throw new SheetRefused(...problems);
  const rest = { [Symbol.asyncIterator]: () => iterator };
  async function* below() {
    yield shape?.below ?? [];
    if (shape?.kind !== 'roster') {
      yield others;
      yield* rest;
      return;
    }
    yield others.flatMap(shape.date);
    for await (const some of rest) yield some.flatMap(shape.date);
  }
  return { shape, rows: below() };
}

/** The rows among which the headings are, and others that were read with them. */
export async function firstRows(
  iterator: AsyncIterator<readonly GridRow[]>,
): Promise<{ readonly first: readonly GridRow[]; readonly others: readonly GridRow[] }> {
  const first: GridRow[] = [];
  let filled = 0;
  for (;;) {
    const { done, value } = await iterator.next();
    if (done) return { first, others: [] };
    for (const [i, row] of value.entries()) {
      first.push(row);
      if (!isEmptyRow(row)) filled++;
      if (filled >= MAX_ROWS_TO_HEADINGS + SAMPLE_ROWS || first.length >= MAX_FIRST_ROWS)
        return { first, others: value.slice(i + 1) };
    }
  }
}

/** Looks at the first rows of a sheet. */
export function lookAt(first: readonly GridRow[], options: SheetOptions): Look {
  const index = indexOfHeadings(first, options);
  const headings = first[index];
  if (headings === undefined) {
    const message = first.length < MAX_FIRST_ROWS ? EMPTY : EMPTY_SO_FAR;
    return { mayHoldShifts: false, problems: [{ place: '', message }] };
  }
  const texts = headings.cells.map(textOf);
  const { places } = columnsNamed(texts, options);
  const isKnown = countHeadings(texts, options) >= MIN_HEADINGS_OF_SHIFTS;
  let days: DatedRows | undefined;
  try {
    // Below the headings of a list, dates and numbers may stand side by side and be no days.
    days = datedRows(first, isKnown ? index + 1 : first.length, options);
  } catch (error) {
    if (!(error instanceof SheetRefused)) throw error;
    return { mayHoldShifts: true, problems: error.problems };
  }
  const isRoster =
    days !== undefined && (!isKnown || days.index === index || hasPairs(headings, index, days));
  const hasRows = first.slice(index + 1).some((row) => !isEmptyRow(row));
  const mayHoldShifts = days !== undefined || (isKnown && hasRows && tellsWhen(places));
  if (isRoster && days !== undefined) {
    const shape = rosterShape(days);
    return { mayHoldShifts, shape, problems: maybeNoPlan(shape.above, options) };
  }
  return {
    mayHoldShifts,
    shape: listShape(first, index, places, options),
    problems: [
      ...maybeNoPlan(first.slice(0, index), options),
      ...unreadable(headings),
      ...weekdaysOnly(headings, places),
      ...weeksOnly(headings),
    ],
  };
}

const EMPTY = 'the file is empty: its first line should name the columns';
const EMPTY_SO_FAR = `the first ${inFull(MAX_FIRST_ROWS)} rows are empty: the first row should name the columns`;

/**
 * Whether some heading stands for a time. A date is not enough, because a list of people may have one. One time is
 * enough, so that a sheet with a misspelt heading is refused rather than taken for one without shifts.
 */
function tellsWhen({ start_time, end_time, times }: ColumnPlaces): boolean {
  return (start_time ?? end_time ?? times) !== undefined;
}

/** Whether there is a start and an end below each day. */
function hasPairs(row: GridRow, index: number, days: DaysAcross): boolean {
  return days.index < index && (pairsIn(row, days.first)?.columns.length ?? 0) > 1;
}

function partedAt(rows: readonly GridRow[], index: number): AnyShape {
  return {
    headings: rows[index] ?? { line: 1, cells: [] },
    below: rows.slice(index + 1),
    above: rows.slice(0, index),
  };
}

export function sampleOf({ below }: AnyShape): readonly GridRow[] {
  return below.slice(0, SAMPLE_ROWS);
}

/** A heading may be a day that a formula counts. */
function unreadable({ cells, ...row }: GridRow): readonly SheetProblem[] {
  return cells.flatMap((cell, column) =>
    isPartlyCrossedOut(cell) || (isError(cell) && textOf(cell).startsWith('='))
      ? { place: placeInSheet({ ...row, column }), message: whyError(cell) }
      : [],
  );
}

const MIN_WEEKDAYS = 3;
const WEEKDAYS_ONLY =
  'the columns are weekdays without dates: write the week above them, such as "Week of 8 March 2027", or the date of each day into its heading, such as "Mon 8 March 2027"';

function weekdaysOnly(headings: GridRow, { date }: ColumnPlaces): readonly SheetProblem[] {
  const weekdays = headings.cells.filter((cell) => isWeekday(textOf(cell)));
  if (date !== undefined || weekdays.length < MIN_WEEKDAYS) return [];
  return [{ place: placeInSheet(headings), message: WEEKDAYS_ONLY }];
}

/** A sheet that is called `Availability` may be none of shifts. */
export function maybeNoPlan(titles: readonly GridRow[], { statuses }: SheetOptions): readonly SheetProblem[] {
  for (const { cells, ...row } of titles) {
    const texts = cells.map(textOf).filter((text) => text !== '');
    // Several may explain the colours of cells.
    const wordIn = (text: string) => notPlanIn(text, texts.length === 1);
    const title = texts.find((text) => wordIn(text) !== undefined);
    const word = wordIn(title ?? '');
    if (title === undefined || word === undefined || saysShift(word, statuses)) continue;
    const message = `${quote(title)} may say that this is no plan`;
    const advice = `; if it is one, say --status ${quote(`${word}=shift`)}`;
    return [{ place: placeInSheet(row), message, advice, fix: byOption('status', `${word}=shift`) }];
  }
  return [];
}

const MIN_WEEKS = 2;
const WEEKS_ONLY =
  'the columns are weeks, and a shift needs its day: give each day a column, such as "Mon 8 March 2027", or each shift a row with its date';

function weeksOnly(headings: GridRow): readonly SheetProblem[] {
  const weeks = headings.cells.map(textOf).filter((text) => hasWeekWord(text) && namesDays(text));
  return weeks.length < MIN_WEEKS ? [] : [{ place: placeInSheet(headings), message: WEEKS_ONLY }];
}

function listShape(
  rows: readonly GridRow[],
  index: number,
  places: ColumnPlaces,
  options: SheetOptions,
): List | Across {
  const shape = partedAt(rows, index);
  const across = columnsAcross(shape.headings.cells.map(textOf), places, sampleOf(shape), options);
  return across === undefined ? { ...shape, kind: 'list' } : { ...shape, kind: 'across', ...across };
}

/** Returns undefined when each row is a shift. */
function columnsAcross(
  headings: readonly string[],
  places: ColumnPlaces,
  sample: readonly GridRow[],
  { codes, ignoredColumns, statuses }: SheetOptions,
): Pick<Across, 'columns' | 'columnsAre' | 'hasCrosses'> | undefined {
  const { date, start_time, times, hours, person, first_name, last_name } = places;
  if (date === undefined || (person ?? first_name ?? last_name) !== undefined) return undefined;
  const others = unreadHeadings(headings, places, ignoredColumns).map(({ place }) => place);
  const cellsOf = (column: number) => sample.flatMap(({ cells }) => cells[column] || []);
  if ((start_time ?? times ?? hours) !== undefined) {
    const isTold = (cell: Cell) => isError(cell) || saysShift(textOf(cell), statuses) !== undefined;
    const isCross = (cell: Cell) =>
      saysShift(textOf(cell), statuses) === true && readFlag(textOf(cell)) === true;
    const columns = others.filter((column) => cellsOf(column).every(isTold) || cellsOf(column).some(isCross));
    const hasCrosses = columns.some((column) => cellsOf(column).some(isCross));
    return hasCrosses ? { columns, columnsAre: 'person', hasCrosses } : undefined;
  }
  const hasTimes = (column: number) => cellsOf(column).some(mayBeTimes);
  if (others.some(hasTimes)) {
    // An empty column may belong to somebody who has no shift in the first rows.
    const columns = others.filter((column) => hasTimes(column) || cellsOf(column).every(isError));
    return { columns, columnsAre: 'person' };
  }
  const told = new Set(codes?.keys().map((code) => code.toLowerCase()));
  const isTold = (column: number) => told.has((headings[column] ?? '').toLowerCase());
  const columns = headings.flatMap((heading, column) =>
    timesNamed(heading) !== undefined || (others.includes(column) && isTold(column)) ? column : [],
  );
  // Columns of names are shifts, too, whose times are told by --codes.
  const ofNames = others.filter((column) => {
    const cells = cellsOf(column).filter((cell) => !isFree(textOf(cell)));
    const areNames = cells.every((cell) => mayBeName(cell) && !isWeekday(textOf(cell)));
    return isTold(column) || (cells.length > 0 && areNames);
  });
  if (columns.some((column) => !isTold(column))) {
    const shapes = new Set(columns.flatMap(cellsOf).map((cell) => shapeOfName(textOf(cell))));
    const alike = ofNames.filter((column) =>
      cellsOf(column).every((cell) => shapes.has(shapeOfName(textOf(cell)))),
    );
    return { columns: [...new Set([...columns, ...alike])].toSorted((a, b) => a - b), columnsAre: 'times' };
  }
  const areShifts = ofNames.length >= MIN_SHIFTS_ACROSS || ofNames.some(isTold);
  return areShifts ? { columns: ofNames, columnsAre: 'times' } : undefined;
}

const MIN_SHIFTS_ACROSS = 2;

/** Spreadsheets turn some times into dates. */
function mayBeTimes(cell: Cell): boolean {
  return isDate(cell) || (typeof cell === 'string' && readTimes(cell) !== undefined);
}

function rosterShape({ rows, index, first, date, areTitled }: DatedRows): Roster {
  const shape = partedAt(rows, index);
  // The row of days counts as one of the sample.
  const times = columnOfTimes(shape.headings, sampleOf(shape).slice(0, SAMPLE_ROWS - 1), first);
  const { headings, below } = shape;
  const flags = sampleOf(shape).flatMap(({ cells }) =>
    cells.slice(first).flatMap((cell) => (cell === '' ? [] : [readFlag(textOf(cell))])),
  );
  const areCrosses = first > 1 && flags.includes(true) && !flags.includes(undefined);
  const label = textOf(headings.cells.slice(0, first).find((cell) => cell !== ''));
  const hasNamedBlocks = below.some(
    (row) =>
      repeatsDays(row, headings, first) &&
      ![label, ''].includes(textOf(row.cells.slice(0, first).find((cell) => cell !== ''))),
  );
  return {
    ...shape,
    kind: 'roster',
    first,
    times: areCrosses ? undefined : times,
    timesOfCrosses: areCrosses ? times : undefined,
    rowAbove: rows[index - 1],
    hasNamedBlocks,
    date,
    isTitle: (row) => areTitled && isTitle(row),
  };
}

/** `March 2027`, or `Week of` beside its first day. A person may be called June. */
function isTitle(row: GridRow): boolean {
  const [label = '', ...others] = row.cells.filter((cell) => cell !== '').map(textOf);
  const isAlone = others.length === 0 || (hasWeekWord(label) && others.every(isDay));
  return isAlone && /\d/.test(textIn(row)) && namesDays(textIn(row));
}

/** Whether a row has the days of the headings once more, beside any label. */
export function repeatsDays({ cells }: GridRow, headings: GridRow, first: number): boolean {
  const days = cells.slice(first).map(textOf);
  return days.some((day) => day !== '') && days.every((day, i) => day === textOf(headings.cells[first + i]));
}

/** The column left of the days that holds the times, if the cells below the days are names. */
function columnOfTimes(headings: GridRow, sample: readonly GridRow[], first: number): number | undefined {
  const filled = sample.filter(({ cells }) => cells.slice(first).some((cell) => cell !== ''));
  const days = filled.filter(
    ({ cells }) =>
      !cells.slice(first).every((cell) => cell === '' || isDate(cell) || isWeekday(textOf(cell))),
  );
  const hasTimes = days.some(({ cells }) =>
    cells.slice(first).some((cell) => readTimes(textOf(cell)) !== undefined),
  );
  if (days.length === 0 || hasTimes) return undefined;
  const areShifts = (i: number) => columnOf(textOf(headings.cells[i]), 'second') === 'times';
  return Array.from({ length: first }, (_, i) => i).find(
    (i) =>
      areShifts(i) ||
      // Some may be codes.
      days.filter(({ cells }) => timesNamed(textOf(cells[i])) !== undefined).length * 2 >= days.length,
  );
}

function isDate(cell: Cell): boolean {
  return typeof cell !== 'string' && cell.type === 'date';
}

export interface Pairs {
  readonly columns: readonly { readonly start: number; readonly end: number }[];
  /** Such as breaks and sums. */
  readonly others: readonly number[];
}

/** Pairs below the days, from column `first` on: `von`, `bis`, `von`, `bis`. undefined: the row is something else. */
export function pairsIn({ cells }: GridRow, first: number): Pairs | undefined {
  const columns: { readonly start: number; readonly end: number }[] = [];
  const others: number[] = [];
  let start: number | undefined;
  for (let column = first; column < cells.length; column++) {
    const text = textOf(cells[column]);
    const word = text === '' ? undefined : columnOf(text, 'first');
    if (word === 'start_time') start = column;
    else if (word === 'end_time' && start !== undefined) {
      columns.push({ start, end: column });
      start = undefined;
    } else if (text !== '') others.push(column);
  }
  return columns.length === 0 ? undefined : { columns, others };
}
