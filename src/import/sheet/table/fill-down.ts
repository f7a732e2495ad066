import { type Cell, type GridRow, isEmptyRow } from '../cell.ts';
import type { SheetOptions } from '../options.ts';
import type { Header } from './columns.ts';

/** Gives empty cells of the columns that --fill-down names what stands above them. */
export function filling({ places }: Header, { fillDown = [] }: SheetOptions): (row: GridRow) => GridRow {
  const columns = fillDown.flatMap((column) => places[column] ?? []);
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
