/** Finds the rows of a table that hold shifts. Empty rows, totals and headings in between are left out and counted. */

import { MAX_PARTS, partNumber } from '../place.ts';
import { type Cell, type GridRow, textOf } from './cell.ts';
import type { SheetOptions } from './options.ts';
import { type LeftOutRows, noteTitle, noteUnnamed, type SheetReport } from './report.ts';
import type { Header } from './table/columns.ts';
import { filling } from './table/fill-down.ts';
import type { Table } from './table/table.ts';
import { severalTimes } from './values/time.ts';
import { isTotalWord } from './words/is-total.ts';

export async function* shiftRows(
  { header, headings, report, rows }: Table,
  options: SheetOptions,
): AsyncGenerator<readonly GridRow[]> {
  const count = report.leftOutRows;
  const fill = filling(header, options);
  const isHeading = headingTest(header, headings);
  for await (const some of rows) {
    const kept: GridRow[] = [];
    for (const row of some) {
      noteUnnamed(report, row.cells, header.unnamed);
      noteMore(report, row.cells, header.width);
      const why = whyLeftOut(row, header, isHeading);
      const filled = fill(row);
      if (why === undefined && row.isHidden) report.hiddenRows++;
      if (why === undefined) kept.push(...rowsOf(filled, header));
      else count[why]++;
      if (why === 'between') noteAlone(row, count);
    }
    yield kept;
  }
}

function noteAlone({ cells }: GridRow, count: LeftOutRows): void {
  const first = firstFilled(cells, 0);
  if (firstFilled(cells, first + 1) === -1) noteTitle(count, textOf(cells[first]));
}

/** A cell with several times becomes several rows. */
function rowsOf(row: GridRow, { places: { times } }: Header): readonly GridRow[] {
  const cell = times === undefined ? undefined : row.cells[times];
  const several = typeof cell === 'string' ? severalTimes(cell) : undefined;
  return several === undefined || times === undefined || several.length > MAX_PARTS
    ? [row]
    : several.map((one, part) => ({
        ...row,
        line: partNumber(row.line, times, part),
        cells: row.cells.with(times, one),
      }));
}

/** Notes filled cells right of all headings, which are not read. */
function noteMore({ unnamed: noted }: SheetReport, cells: readonly Cell[], width: number): void {
  for (let place = width; place < cells.length; place++) if (cells[place] !== '') noted.add(place);
}

function whyLeftOut(
  row: GridRow,
  header: Header,
  isHeading: (row: GridRow) => boolean,
): 'empty' | 'totals' | 'between' | undefined {
  const first = firstFilled(row.cells, 0);
  if (first === -1) return 'empty';
  if (isTotal(row.cells, first, header)) return 'totals';
  return isHeading(row) ? 'between' : undefined;
}

/** The index of the first filled cell at or after `from`, or -1. */
function firstFilled(cells: readonly Cell[], from: number): number {
  for (let i = from; i < cells.length; i++) if (cells[i] !== '') return i;
  return -1;
}

/** With fewer columns, an ordinary row may well have only one filled cell. */
const MIN_COLUMNS_WITH_HEADINGS = 3;

/** A heading between rows has only one filled cell, or repeats the headings. */
function headingTest({ places }: Header, headings: readonly string[]): (row: GridRow) => boolean {
  const mayHaveOneCell = Object.keys(places).length >= MIN_COLUMNS_WITH_HEADINGS;
  const firstHeading = firstFilled(headings, 0);
  const width = 1 + headings.findLastIndex((heading) => heading !== '');
  return ({ cells }) => {
    const first = firstFilled(cells, 0);
    if (firstFilled(cells, first + 1) === -1) return mayHaveOneCell && first !== places.id;
    if (first !== firstHeading || cells.length < width) return false;
    return cells.every((cell, i) => i >= headings.length || textOf(cell) === headings[i]);
  };
}

/** A total begins with such a word, and has neither a date nor a start. */
function isTotal(cells: readonly Cell[], first: number, { places }: Header): boolean {
  const isSilent = (place: number | undefined) =>
    place === undefined || place === first || (cells[place] ?? '') === '';
  if (!isSilent(places.date) || !isSilent(places.start_time) || !isSilent(places.times)) return false;
  const cell = cells[first];
  return typeof cell === 'string' && isTotalWord(cell);
}
