/** Finds the rows of a list that hold shifts. Empty rows, totals and headings in between are left out and counted. */

import { MAX_SHIFTS_IN_CELL } from '../../place.ts';
import { type Cell, type GridRow, isEmptyRow, textOf } from '../cell.ts';
import type { Columns } from '../columns.ts';
import { KEEP_EMPTY, type SheetOptions } from '../options.ts';
import { type LeftOutRows, noteTitle, noteUnnamed, type SheetReport } from '../report.ts';
import type { ColumnPlaces } from '../shape/headings.ts';
import { severalTimes } from '../words/time.ts';
import { isTotalWord } from '../words/words.ts';

export async function* shiftRows(
  rows: AsyncIterable<readonly GridRow[]>,
  columns: Columns,
  report: SheetReport,
  options: SheetOptions,
): AsyncGenerator<readonly GridRow[]> {
  const count = report.leftOutRows;
  const fill = filling(columns.places, options);
  const whyLeftOut = leftOutTest(columns);
  for await (const some of rows) {
    const kept: GridRow[] = [];
    for (const row of some) {
      noteUnnamed(report, row.cells, columns.unnamed, columns.width);
      const why = whyLeftOut(row.cells);
      const filled = fill(row);
      if (why === undefined && row.isHidden) report.hiddenRows++;
      if (why === undefined) kept.push(...rowsOf(filled, columns.places.times));
      else count[why]++;
      if (why === 'between') noteAlone(row, count);
    }
    yield kept;
  }
}

/** Fills the empty cells of the columns in --fill-down with the value above them. */
export function filling(places: ColumnPlaces, { fillDown = [] }: SheetOptions): (row: GridRow) => GridRow {
  const columns = fillDown.flatMap((column) => (column === KEEP_EMPTY ? [] : (places[column] ?? [])));
  if (columns.length === 0) return (row) => row;
  const last = new Map<number, Cell>();
  return (row) => {
    if (isEmptyRow(row)) return row;
    const cells = [...row.cells];
    for (const place of columns) {
      const cell = cells[place] ?? '';
      if (cell !== '') last.set(place, cell);
      else {
        while (cells.length < place) cells.push('');
        cells[place] = last.get(place) ?? '';
      }
    }
    return { ...row, cells };
  };
}

function noteAlone({ cells }: GridRow, count: LeftOutRows): void {
  const first = firstFilled(cells, 0);
  if (firstFilled(cells, first + 1) === -1) noteTitle(count, textOf(cells[first]));
}

/** A cell with several times becomes several rows. */
function rowsOf(row: GridRow, times: number | undefined): readonly GridRow[] {
  const cell = times === undefined ? undefined : row.cells[times];
  const several = typeof cell === 'string' ? severalTimes(cell) : undefined;
  return several === undefined || times === undefined || several.length > MAX_SHIFTS_IN_CELL
    ? [row]
    : several.map((one, nth) => ({
        ...row,
        // The first of them stands for its row.
        ...(nth > 0 && { column: row.column ?? times, nth: (row.nth ?? 0) + nth }),
        cells: row.cells.with(times, one),
      }));
}

/** The index of the first filled cell at or after `from`, or -1. */
function firstFilled(cells: readonly Cell[], from: number): number {
  for (let i = from; i < cells.length; i++) if (cells[i] !== '') return i;
  return -1;
}

/** With fewer columns, an ordinary row may well have only one filled cell. */
const MIN_COLUMNS_WITH_HEADINGS = 3;

/** Why a row is no shift; undefined: it is one. */
function leftOutTest({ places, headings }: Columns) {
  const mayHaveOneCell = Object.keys(places).length >= MIN_COLUMNS_WITH_HEADINGS;
  const firstHeading = firstFilled(headings, 0);
  const width = 1 + headings.findLastIndex((heading) => heading !== '');
  /** A heading between rows has only one filled cell, or repeats the headings. */
  const isHeading = (cells: readonly Cell[], first: number) => {
    if (firstFilled(cells, first + 1) === -1) return mayHaveOneCell && first !== places.id;
    if (first !== firstHeading || cells.length < width) return false;
    return cells.every((cell, i) => i >= headings.length || textOf(cell) === headings[i]);
  };
  return (cells: readonly Cell[]): 'empty' | 'totals' | 'between' | undefined => {
    const first = firstFilled(cells, 0);
    if (first === -1) return 'empty';
    if (isTotal(cells, first, places)) return 'totals';
    return isHeading(cells, first) ? 'between' : undefined;
  };
}

/** A total begins with such a word, and has neither a date nor a start. */
function isTotal(cells: readonly Cell[], first: number, places: ColumnPlaces): boolean {
  const isSilent = (place: number | undefined) =>
    place === undefined || place === first || (cells[place] ?? '') === '';
  if (!isSilent(places.date) || !isSilent(places.start_time) || !isSilent(places.times)) return false;
  const cell = cells[first];
  return typeof cell === 'string' && isTotalWord(cell);
}
