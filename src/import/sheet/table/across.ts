/**
 * Turns tables whose cells are people, under or beside the times of shifts, into rows of a list; also tables whose
 * cells are times, with people across and days down.
 */

import { quote } from '../../../quote.ts';
import { cellNumber, MAX_PARTS, partNumber, placeInSheet } from '../../place.ts';
import { type Cell, type GridRow, textOf } from '../cell.ts';
import { SheetRefused } from '../refusal.ts';
import type { LeftOutRows } from '../report.ts';
import { readTimes } from '../values/time.ts';
import { isFree } from '../words/free.ts';
import { isTotalWord } from '../words/is-total.ts';
import type { Header } from './columns.ts';
import type { Narrowed } from './narrowed.ts';

/** Columns in which each cell is a shift. */
export interface Across {
  readonly columns: readonly number[];
  /** What the headings of these columns hold. The cells hold the other. */
  readonly headings: 'person' | 'times';
}

/** Returns undefined when each row is a shift. */
export function findAcross(
  header: Header,
  headings: readonly string[],
  sample: readonly GridRow[],
): Across | undefined {
  const { date, start_time, times, hours, person } = header.places;
  if (date === undefined || (start_time ?? times ?? hours ?? person) !== undefined) return undefined;
  const known = new Set(Object.values(header.places));
  const others = headings.flatMap((heading, column) => (heading === '' || known.has(column) ? [] : column));
  const cellsOf = (column: number) => sample.flatMap(({ cells }) => cells[column] || []);
  const hasTimes = (column: number) => cellsOf(column).some(mayBeTimes);
  if (others.some(hasTimes)) {
    // An empty column may belong to somebody who has no shift in the first rows.
    const columns = others.filter((column) => hasTimes(column) || cellsOf(column).length === 0);
    return { columns, headings: 'person' };
  }
  const shifts = headings.flatMap((heading, column) => (timesNamed(heading) === undefined ? [] : column));
  return shifts.length === 0 ? undefined : { columns: shifts, headings: 'times' };
}

/** Spreadsheets turn some times into dates. */
function mayBeTimes(cell: Cell): boolean {
  return typeof cell === 'string' ? readTimes(cell) !== undefined : cell.type === 'date';
}

/** The headings of the list: those of the other columns, followed by person and times. */
export function acrossHeadings(headings: readonly string[], { columns }: Across): readonly string[] {
  const others: string[] = [...headings];
  for (const column of columns) others[column] = '';
  return [...others, 'person', 'times'];
}

/** A row for each cell that is not empty. Throws SheetRefused. */
export function acrossRows(
  headings: readonly string[],
  across: Across,
  { make, note }: Narrowed,
  count: LeftOutRows,
): (row: GridRow) => readonly GridRow[] {
  return (row) => {
    if (isTotalWord(textOf(row.cells.find((cell) => cell !== '')))) {
      count.totals++;
      return [];
    }
    const rows: GridRow[] = [];
    for (const column of across.columns) {
      if (column >= row.cells.length) break;
      const cell = row.cells[column] ?? '';
      const line = cellNumber(row.line, column);
      const heading = headings[column] ?? '';
      if (cell === '') continue;
      if (across.headings === 'person') {
        rows.push({ ...row, line, cells: make(row.cells, heading, cell) });
        continue;
      }
      const times = timesNamed(heading) ?? '';
      for (const [part, name] of namesIn(cell, line).entries())
        rows.push({ ...row, line: partNumber(line, column, part), cells: make(row.cells, name, times) });
    }
    if (rows.length > 0) note(row.cells);
    return rows;
  };
}

/** `9-17` of `Early 9-17` or `Früh (9-17)`; undefined if the text contains no times. */
export function timesNamed(text: string): string | undefined {
  const [before = ''] = text.split(/\d/, 1);
  const end = text.trimEnd().endsWith(')') ? text.lastIndexOf(')') : text.length;
  const times = text.slice(before.length, end);
  return readTimes(times) === undefined ? undefined : times;
}

/** The people in a cell. A dash means nobody. */
export function namesIn(cell: Cell, line: number): readonly string[] {
  const text = textOf(cell);
  if (text.includes(',')) {
    throw new SheetRefused({
      place: placeInSheet(line, undefined),
      message: `${quote(text)} may be one name or several: write each on a line of its own within the cell`,
    });
  }
  const names = text.split(/[\n/&+;]/).map((name) => name.trim());
  const people = names.filter((name) => name !== '' && !isFree(name));
  if (people.length > MAX_PARTS) {
    throw new SheetRefused({
      place: placeInSheet(line, undefined),
      message: `${quote(text)} holds ${people.length} names, and a cell may hold ${MAX_PARTS}: give the others a row of their own`,
    });
  }
  return people;
}
