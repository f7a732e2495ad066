/** Finds the table in a grid: skips what is above the headings, and identifies each column. */

import { placeInSheet } from '../../place.ts';
import { type Grid, type GridRow, isEmptyRow, textOf } from '../cell.ts';
import { inFull } from '../limits.ts';
import type { SheetOptions } from '../options.ts';
import { refusal, SheetRefused } from '../refusal.ts';
import type { LeftOutRows, SheetReport } from '../report.ts';
import { isWeekday } from '../values/date.ts';
import type { TableColumn } from '../words/headings.ts';
import { type Across, acrossHeadings, acrossRows, findAcross } from './across.ts';
import { countKnown, type Header, type HeaderOptions, readHeader, tellsWhen } from './columns.ts';
import { filling } from './fill-down.ts';
import { halfColumns, joinHalves } from './halves.ts';
import { hasMonthDays, withMonthDays } from './month-days.ts';
import { narrowed } from './narrowed.ts';
import { otherColumns } from './other-columns.ts';
import { findRoster, listHeadings, type Roster, rosterDays, shiftLabel } from './roster.ts';
import { pairsIn, readBlocks } from './roster-blocks.ts';

export interface Table {
  readonly header: Header;
  /** As they are written. */
  readonly headings: readonly string[];
  readonly report: SheetReport;
  /** The rows under the headings, some at a time. */
  readonly rows: AsyncIterable<readonly GridRow[]>;
}

/** The headings are expected among this many filled rows. */
const MAX_ROWS_TO_HEADINGS = 50;
/** How many rows under the headings are looked at to see what a column holds. */
const SAMPLE_ROWS = 20;
/** How far the headings are looked for, empty rows included. */
const MAX_FIRST_ROWS = 10_000;

/** Throws SheetRefused. */
export async function findTable(grid: Grid, options: SheetOptions): Promise<Table> {
  const iterator = grid.rows[Symbol.asyncIterator]();
  let { first, others } = await firstRows(iterator);
  const settings = headerOptions(grid, options);
  const place = placeOfHeadings(first, settings);
  const headingRow = first[place];
  if (headingRow === undefined) throw refusal(first.length < MAX_FIRST_ROWS ? EMPTY : EMPTY_SO_FAR);
  const known = countKnown(headingRow.cells.map(textOf), settings);
  if (known < MIN_HEADINGS_OF_SHIFTS) first = withMonthDays(first, options);
  const days = findRoster(first, options);
  const isRoster =
    known < MIN_HEADINGS_OF_SHIFTS || days?.place === place || hasPairs(headingRow, place, days);
  const roster = isRoster ? days : undefined;
  const start = roster?.place ?? place;
  async function* rest() {
    yield first.slice(start + 1);
    yield others;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  const leftOutRows: LeftOutRows = {
    aboveHeadings: first.slice(0, start).filter((row) => !isEmptyRow(row)).length,
    between: 0,
    totals: 0,
    empty: 0,
    titles: new Set(),
  };
  return roster === undefined
    ? listTable(headingRow, first.slice(place + 1), rest(), settings, leftOutRows)
    : rosterTable(first.slice(start, start + SAMPLE_ROWS), roster, rest(), settings, options, leftOutRows);
}

const EMPTY = 'the file is empty: its first line should name the columns';
const EMPTY_SO_FAR = `the first ${inFull(MAX_FIRST_ROWS)} rows are empty: the first row should name the columns`;

/** The rows among which the headings are, and others that were read with them. */
async function firstRows(
  iterator: AsyncIterator<readonly GridRow[]>,
): Promise<{ readonly first: GridRow[]; readonly others: readonly GridRow[] }> {
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

const MIN_WEEKDAYS = 3;
const WEEKDAYS_ONLY =
  'the columns are weekdays without dates: write the date of each day into its heading, such as "Mon 1 March 2027"';

/** Whether there is a start and an end below each day. */
function hasPairs(row: GridRow, place: number, days: Roster | undefined): boolean {
  return days !== undefined && days.place < place && (pairsIn(row, days)?.columns.length ?? 0) > 1;
}

function listTable(
  { cells, line }: GridRow,
  beginning: readonly GridRow[],
  rows: Table['rows'],
  settings: HeaderOptions,
  leftOutRows: LeftOutRows,
): Table {
  const headings = cells.map(textOf);
  const sample = beginning.slice(0, SAMPLE_ROWS);
  const found = readHeader(settings.isText ? headings : withoutEmptyEnd(headings), line, settings, sample);
  if (found.places.date === undefined && headings.filter(isWeekday).length >= MIN_WEEKDAYS)
    throw new SheetRefused({ place: placeInSheet(line, undefined), message: WEEKDAYS_ONLY });
  const across = findAcross(found, headings, sample);
  if (across !== undefined) return acrossTable(headings, line, across, rows, settings, leftOutRows);
  const header = { ...found, weekday: otherColumns(found, sample, isWeekday)[0] };
  const halves = halfColumns(header, sample);
  async function* joined() {
    for await (const some of rows) yield some.map((row) => joinHalves(row, halves));
  }
  const leftOut = header.leftOut.filter((heading) => !halves.some((place) => headings[place] === heading));
  return {
    header,
    headings,
    report: reportOf(header, leftOut, leftOutRows),
    rows: halves.length === 0 ? rows : joined(),
  };
}

/** Turns shifts across into rows, so that everything after this is the same as for a list. */
function acrossTable(
  headings: readonly string[],
  line: number,
  across: Across,
  rows: Table['rows'],
  settings: HeaderOptions,
  leftOutRows: LeftOutRows,
): Table {
  const wide = readHeader(acrossHeadings(headings, across), line, { ...settings, isText: false });
  const unnamed = wide.unnamed.filter((place) => headings[place] === '');
  const report = reportOf(wide, wide.leftOut, leftOutRows);
  const narrow = narrowed({ ...wide, unnamed }, headings.length, report);
  const expand = acrossRows(headings, across, narrow, leftOutRows);
  async function* cells() {
    for await (const some of rows) yield some.flatMap(expand);
  }
  return { header: narrow.header, headings: [], report, rows: cells() };
}

/** Turns the days of a roster into a column, so that everything after this is the same as for a list. */
function rosterTable(
  beginning: readonly GridRow[],
  roster: Roster,
  rows: Table['rows'],
  settings: HeaderOptions,
  options: SheetOptions,
  leftOutRows: LeftOutRows,
): Table {
  const [row = NO_ROW, ...sample] = beginning;
  const shifts = shiftLabel(sample, roster);
  const headings = listHeadings(row, roster, shifts, (heading) => countKnown([heading], settings) > 0);
  const found = readHeader(headings, row.line, { ...settings, isText: false });
  const days = rosterDays(row, roster, options);
  const wide = { ...found, problems: [...days.problems, ...found.problems] };
  const report = reportOf(wide, [...wide.leftOut, ...days.others], leftOutRows);
  const narrow = narrowed(wide, roster.first, report);
  const layout = { roster, shifts, narrow, count: leftOutRows };
  const cells = readBlocks(rows, row, days, options, filling(wide, options), layout);
  return { header: narrow.header, headings: [], report, rows: cells };
}

const NO_ROW: GridRow = { line: 1, cells: [] };

function reportOf(
  { taken, places }: Header,
  leftOut: readonly string[],
  leftOutRows: LeftOutRows,
): SheetReport {
  return {
    sheets: [],
    leftOutSheets: [],
    isOneOfSeveral: false,
    taken,
    leftOut,
    leftOutRows,
    hasGroups: places.group !== undefined,
    unnamed: new Set(),
    noShifts: { count: 0, words: new Set() },
    hiddenRows: 0,
  };
}

/** Whether a sheet begins like a list or a roster of shifts. */
export function looksLikeShifts(beginning: readonly GridRow[], options: SheetOptions): boolean {
  const header = headerOptions({ isText: false }, options);
  const place = placeOfHeadings(beginning, header);
  const headings = beginning[place]?.cells.map(textOf) ?? [];
  const hasRows = beginning.slice(place + 1).some((row) => !isEmptyRow(row));
  const isList =
    hasRows && countKnown(headings, header) >= MIN_HEADINGS_OF_SHIFTS && tellsWhen(headings, header);
  return isList || hasMonthDays(beginning) || findRoster(beginning, options) !== undefined;
}

/** A list of people has fewer known headings. */
const MIN_HEADINGS_OF_SHIFTS = 3;

/** The row with the most known headings, or else the first filled row. */
function placeOfHeadings(rows: readonly GridRow[], options: HeaderOptions): number {
  let best = rows.findIndex((row) => !isEmptyRow(row));
  let mostKnown = 0;
  let filled = 0;
  for (const [i, row] of rows.entries()) {
    if (isEmptyRow(row)) continue;
    if (++filled > MAX_ROWS_TO_HEADINGS) break;
    const known = countKnown(row.cells.map(textOf), options);
    if (known > mostKnown) [best, mostKnown] = [i, known];
  }
  return best;
}

export function headerOptions({ isText }: Pick<Grid, 'isText'>, options: SheetOptions): HeaderOptions {
  const given = new Set<TableColumn>();
  if (options.publishedFrom !== undefined) given.add('publish_date');
  if (options.group !== undefined) given.add('group');
  return { columnNames: options.columnNames, ignoredColumns: options.ignoredColumns, isText, given };
}

function withoutEmptyEnd(headings: readonly string[]): readonly string[] {
  return headings.slice(0, headings.findLastIndex((heading) => heading !== '') + 1);
}
