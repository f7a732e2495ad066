/**
 * Turns tables whose cells are people, under or beside the times of shifts, into rows of a list; also tables whose
 * cells are times, with people across and days down.
 */

import { quote } from '../../../quote.ts';
import { cellNumber, partNumber, placeInSheet } from '../../place.ts';
import { type Cell, type GridRow, textOf } from '../cell.ts';
import { SheetRefused } from '../refusal.ts';
import type { LeftOutRows } from '../report.ts';
import { readTimes } from '../values/time.ts';
import { isFree } from '../words/free.ts';
import { isTotalWord } from '../words/is-total.ts';
import type { Header } from './columns.ts';

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
  return [...headings.map((heading, i) => (columns.includes(i) ? '' : heading)), 'person', 'times'];
}

/** A row for each cell that is not empty. Throws SheetRefused. */
export function acrossRows(
  headings: readonly string[],
  across: Across,
  count: LeftOutRows,
): (row: GridRow) => readonly GridRow[] {
  return (row) => {
    if (isTotalWord(textOf(row.cells.find((cell) => cell !== '')))) {
      count.totals++;
      return [];
    }
    const others = headings.map((_, i): Cell => (across.columns.includes(i) ? '' : (row.cells[i] ?? '')));
    return across.columns.flatMap((column) => {
      const cell = row.cells[column] ?? '';
      const line = cellNumber(row.line, column);
      const heading = headings[column] ?? '';
      if (cell === '') return [];
      if (across.headings === 'person') return { ...row, line, cells: [...others, heading, cell] };
      const times = timesNamed(heading) ?? '';
      return namesIn(cell, line).map((name, part) => ({
        ...row,
        line: partNumber(line, column, part),
        cells: [...others, name, times],
      }));
    });
  };
}

/** `9-17` of `Early 9-17` or `Früh (9-17)`; undefined if the text contains no times. */
export function timesNamed(text: string): string | undefined {
  const [times = ''] = /\d.*$/s.exec(text.replace(/\)\s*$/, '')) ?? [];
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
  return text.split(/\s*[\n/&+;]\s*/).filter((name) => name !== '' && !isFree(name));
}
