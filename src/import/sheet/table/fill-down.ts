/** Columns that are filled in the first row of each block only. */

import { type Cell, type GridRow, isEmptyRow, textOf } from '../cell.ts';
import type { SheetOptions } from '../options.ts';
import type { Reason } from '../reason.ts';
import type { TableColumn } from '../words/headings.ts';
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

export interface BlockWatcher {
  look(cells: readonly Cell[]): void;
  /** What is to be said of an empty cell: a column that is filled in the first row of each block only may be meant. */
  whyEmpty(column: TableColumn): string | Reason;
}

/** Where equal cells follow each other, an empty one is a hole, and stands for nothing. */
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
