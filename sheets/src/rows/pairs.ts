/** Start and end in cells of their own: side by side below each day, or one below the other. */

import { type Cell, type GridRow, textOf } from '../cell.ts';
import type { Pairs } from '../shape/shape.ts';
import { columnOf } from '../words/headings.ts';
import { isFree } from '../words/words.ts';

export function joinAcross(row: GridRow, { columns, others }: Pairs): GridRow {
  const cells: Cell[] = [...row.cells];
  for (const other of others) {
    if (other >= cells.length) break;
    cells[other] = '';
  }
  for (const { start, end } of columns) {
    if (start >= cells.length) break;
    cells[start] = bothTimes(cells[start] ?? '', cells[end] ?? '');
    if (end < cells.length) cells[end] = '';
  }
  return { ...row, cells };
}

/** The place of the label that says so, left of the days. */
export function labelledAs(
  column: 'start_time' | 'end_time',
  { cells }: GridRow,
  first: number,
): number | undefined {
  const place = cells.findIndex(
    (cell, i) => i < first && cell !== '' && columnOf(textOf(cell), 'first') === column,
  );
  return place === -1 ? undefined : place;
}

export function joinDown(starts: GridRow, ends: GridRow, first: number): GridRow {
  const label = labelledAs('start_time', starts, first);
  const width = Math.max(starts.cells.length, ends.cells.length);
  const cells = Array.from({ length: width }, (_, column): Cell => {
    const [start = '', end = ''] = [starts.cells[column], ends.cells[column]];
    if (column === label) return '';
    return column < first ? start : bothTimes(start, end);
  });
  return { ...starts, cells };
}

/** One time alone stays as it is, and is then refused as not understood. A merged `frei` stands in both cells. */
function bothTimes(start: Cell, end: Cell): Cell {
  if (start === '' || end === '') return start === '' ? end : start;
  if (textOf(start) === textOf(end) && isFree(textOf(start))) return start;
  return `${textOf(start)} - ${textOf(end)}`;
}
