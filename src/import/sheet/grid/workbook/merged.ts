/** A cell that is merged over several rows counts for each of them. */

import type { Cell, GridRow } from '../../cell.ts';

/** Rows count from 1, columns from 0. */
export interface Merge {
  readonly column: number;
  readonly lastRow: number;
}

/** Fills the rows of a sheet, which must be passed in order. */
export class MergedCells {
  /** The filled cells that are merged with rows still to come, by column. */
  readonly #open = new Map<number, { readonly lastRow: number; readonly cell: Cell }>();

  /** `merges` are those that begin in this row. */
  fill(row: GridRow, merges: readonly Merge[]): GridRow {
    const cells = this.#open.size === 0 ? row.cells : this.#filled(row);
    for (const { column, lastRow } of merges) {
      const cell = row.cells[column] ?? '';
      if (cell !== '' && lastRow > row.line) this.#open.set(column, { lastRow, cell });
    }
    return cells === row.cells ? row : { ...row, cells };
  }

  #filled({ cells, line }: GridRow): readonly Cell[] {
    const copy = [...cells];
    for (const [column, { lastRow, cell }] of this.#open) {
      if (lastRow < line) {
        this.#open.delete(column);
        continue;
      }
      while (copy.length <= column) copy.push('');
      if (copy[column] === '') copy[column] = cell;
    }
    return copy;
  }
}
