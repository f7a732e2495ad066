/** Columns that are filled only in the first row of each block. */

import { type Cell, type GridRow, isEmptyRow, textOf } from '../cell.ts';
import type { SheetOptions } from '../options.ts';
import type { Reason } from '../reason.ts';
import type { TableColumn } from '../words/headings.ts';
import type { Header } from './columns.ts';

/** Fills the empty cells of the columns in --fill-down with the value above them. */
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

export interface BlockWatcher {
  look(cells: readonly Cell[]): void;
  /** The message for an empty cell: its column may be one that is filled only in the first row of each block. */
  whyEmpty(column: TableColumn): string | Reason;
}

/**
 * If equal cells follow each other, the column repeats its values, so an empty cell is a mistake and not a repetition.
 */
export function watchBlocks({ places }: Header, empty: string): BlockWatcher {
  const columns = (['date', 'group'] as const).flatMap((name) => {
    const place = places[name];
    return place === undefined ? [] : { name, place, last: '', repeats: false };
  });
  return {
    look(cells) {
      for (const column of columns) {
        const text = textOf(cells[column.place]);
        if (text === '') continue;
        column.repeats ||= text === column.last;
        column.last = text;
      }
    },
    whyEmpty(name) {
      const column = columns.find((one) => one.name === name);
      if (column === undefined || column.repeats || column.last === '') return empty;
      return {
        message: `${empty}; if it is as the one above, say --fill-down ${name}`,
        fix: ['--fill-down', name],
      };
    },
  };
}
