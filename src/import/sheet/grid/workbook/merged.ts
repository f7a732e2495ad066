/** A cell that is merged over several rows counts for each of them. */

import type { Cell, GridRow } from '../../cell.ts';

/** Rows count from 1, columns from 0. */
export interface Merge {
  readonly column: number;
  readonly firstRow: number;
  readonly lastRow: number;
}

/** The rows must be passed in order. */
export function mergeFiller(merges: readonly Merge[]): (row: GridRow) => GridRow {
  const waiting = merges
    .filter(({ firstRow, lastRow }) => lastRow > firstRow)
    .toSorted((a, b) => b.firstRow - a.firstRow);
  let open: (Merge & { readonly cell: Cell })[] = [];
  return (row) => {
    open = open.filter(({ lastRow }) => lastRow >= row.line);
    const cells = open.length === 0 ? row.cells : filled(row.cells, open);
    for (let next = waiting.at(-1); next !== undefined && next.firstRow <= row.line; next = waiting.at(-1)) {
      waiting.pop();
      if (next.firstRow === row.line) open.push({ ...next, cell: row.cells[next.column] ?? '' });
    }
    return cells === row.cells ? row : { ...row, cells };
  };
}

function filled(
  cells: readonly Cell[],
  open: readonly { readonly column: number; readonly cell: Cell }[],
): readonly Cell[] {
  const copy = [...cells];
  for (const { column, cell } of open) {
    while (copy.length <= column) copy.push('');
    if (copy[column] === '') copy[column] = cell;
  }
  return copy;
}
