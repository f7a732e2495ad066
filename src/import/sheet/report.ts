/** What was made of a sheet: told at the end of an import. */

import type { TableColumn } from './words/headings.ts';

export interface SheetReport {
  /** The sheet of a workbook that was read. */
  readonly sheet?: string | undefined;
  /** Headings that are not called as the column is. */
  readonly taken: readonly { readonly heading: string; readonly column: TableColumn }[];
  /** Columns that were left out. */
  readonly leftOut: readonly string[];
  readonly leftOutRows: LeftOutRows;
  /** Columns with cells and without a heading, from 0 on. They were left out. */
  readonly unnamed: Set<number>;
  readonly noShifts: NoShifts;
  /** How many rows were read that are hidden in the workbook. */
  hiddenRows: number;
}

/** Cells that say that there is no shift. */
export interface NoShifts {
  count: number;
  /** Some of what they say. */
  readonly words: Set<string>;
}

/** Rows that hold no shift, by why. */
export interface LeftOutRows {
  aboveHeadings: number;
  between: number;
  totals: number;
  empty: number;
}
