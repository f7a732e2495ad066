/**
 * Rows that are made of the cells of a wider table, one for each shift, hold only the columns that are read. With the
 * others, a table with many columns would take the square of its size.
 */

import type { Cell, GridRow } from '../cell.ts';
import { noteUnnamed, type SheetReport } from '../report.ts';
import type { ColumnPlaces, Header } from './columns.ts';

export interface Narrowed {
  readonly header: Header;
  /** The cells of a row: those of the wide row that are read, and those that were added after them. */
  make(cells: readonly Cell[], ...added: readonly Cell[]): GridRow['cells'];
  /** Notes the cells of a wide row that have no heading. */
  note(cells: readonly Cell[]): void;
}

/** From column `width` on, `wide` is about the cells that are added to each row. */
export function narrowed(wide: Header, width: number, report: SheetReport): Narrowed {
  const kept = [...new Set(Object.values(wide.places))];
  const places = Object.fromEntries(
    Object.entries(wide.places).map(([column, place]) => [column, kept.indexOf(place)]),
  ) as ColumnPlaces;
  return {
    header: { ...wide, places, width: kept.length, unnamed: [] },
    make: (cells, ...added) =>
      kept.map((place) => (place < width ? cells[place] : added[place - width]) ?? ''),
    note: (cells) => noteUnnamed(report, cells, wide.unnamed),
  };
}
