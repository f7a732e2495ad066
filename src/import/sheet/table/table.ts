/** A grid → a table: what stands above its headings is left out, and each column is known. */

import { type Grid, type GridRow, textOf } from '../cell.ts';
import type { SheetOptions } from '../options.ts';
import { refusal } from '../refusal.ts';
import type { LeftOutRows, SheetReport } from '../report.ts';
import type { TableColumn } from '../words/headings.ts';
import { countKnown, type Header, type HeaderOptions, readHeader } from './columns.ts';

export interface Table {
  readonly header: Header;
  /** As they are written. */
  readonly headings: readonly string[];
  readonly report: SheetReport;
  /** The rows under the headings, some at a time. */
  readonly rows: AsyncIterable<readonly GridRow[]>;
}

/** The headings are among this many rows that are not empty. */
const MAX_ROWS_TO_HEADINGS = 50;
/** How many rows under the headings are looked at to see what a column holds. */
const SAMPLE_ROWS = 20;

/** Throws SheetRefused. */
export async function findTable(grid: Grid, options: SheetOptions): Promise<Table> {
  const iterator = grid.rows[Symbol.asyncIterator]();
  const first: GridRow[] = [];
  for (let filled = 0; filled < MAX_ROWS_TO_HEADINGS + SAMPLE_ROWS; ) {
    const { done, value } = await iterator.next();
    if (done) break;
    for (const row of value) {
      first.push(row);
      if (!isEmptyRow(row)) filled++;
    }
  }
  const place = placeOfHeadings(first, headerOptions(grid, options));
  const headingRow = first[place];
  if (headingRow === undefined) throw refusal('the file is empty: its first line should name the columns');
  const rest = first.slice(place + 1);
  const header = headerOf(headingRow, rest, headerOptions(grid, options));
  const leftOutRows: LeftOutRows = {
    aboveHeadings: first.slice(0, place).filter((row) => !isEmptyRow(row)).length,
    between: 0,
    totals: 0,
    empty: 0,
  };
  async function* rows() {
    yield rest;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  const headings = headingRow.cells.map(textOf);
  return {
    header,
    headings,
    report: { taken: header.taken, leftOut: header.leftOut, leftOutRows },
    rows: rows(),
  };
}

export function isEmptyRow({ cells }: GridRow): boolean {
  return cells.every((cell) => cell === '');
}

/** Whether a sheet begins like a table of shifts. */
export function looksLikeShifts(beginning: readonly GridRow[], options: SheetOptions): boolean {
  const header = headerOptions({ isText: false }, options);
  const row = beginning[placeOfHeadings(beginning, header)];
  return row !== undefined && countKnown(row.cells.map(textOf), header) >= MIN_HEADINGS_OF_SHIFTS;
}

/** A list of people has fewer that are understood. */
const MIN_HEADINGS_OF_SHIFTS = 3;

/** The row with the most headings that are understood, or else the first one that is not empty. */
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

function headerOf({ cells, line }: GridRow, rest: readonly GridRow[], options: HeaderOptions): Header {
  return readHeader(withoutEmptyEnd(cells.map(textOf)), line, options, rest.slice(0, SAMPLE_ROWS));
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
