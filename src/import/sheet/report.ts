/** How a sheet was read, for the summary at the end of an import. */

import type { Cell } from './cell.ts';
import type { TableColumn } from './words/headings.ts';

export interface SheetReport {
  /** The sheets that were read, if the workbook has several. */
  readonly sheets: readonly string[];
  /** The sheets that were skipped although all sheets with shifts were to be read. */
  readonly leftOutSheets: readonly string[];
  /** Whether other sheets also hold shifts, but were not read. */
  readonly isOneOfSeveral: boolean;
  /** Headings that differ from the name of their column. */
  readonly taken: readonly { readonly heading: string; readonly column: TableColumn }[];
  /** Columns that were left out. */
  readonly leftOut: readonly string[];
  readonly leftOutRows: LeftOutRows;
  /** Whether a column holds the groups. */
  readonly hasGroups: boolean;
  /** Columns that have cells but no heading, counted from 0. They were left out. */
  readonly unnamed: Set<number>;
  readonly noShifts: NoShifts;
  /** How many rows were read that are hidden in the workbook. */
  hiddenRows: number;
}

/** Joins the reports of two sheets that are read together. */
export function joinReports(one: SheetReport, other: SheetReport): SheetReport {
  const news = other.taken.filter(
    ({ heading, column }) => !one.taken.some((known) => known.heading === heading && known.column === column),
  );
  const rows = [one.leftOutRows, other.leftOutRows] as const;
  const sum = (reason: Exclude<keyof LeftOutRows, 'titles'>) => rows[0][reason] + rows[1][reason];
  return {
    ...one,
    hasGroups: one.hasGroups && other.hasGroups,
    sheets: [...one.sheets, ...other.sheets],
    taken: [...one.taken, ...news],
    leftOut: [...new Set([...one.leftOut, ...other.leftOut])],
    leftOutRows: {
      aboveHeadings: sum('aboveHeadings'),
      between: sum('between'),
      totals: sum('totals'),
      empty: sum('empty'),
      titles: new Set([...rows[0].titles, ...rows[1].titles]),
    },
    unnamed: new Set([...one.unnamed, ...other.unnamed]),
    noShifts: {
      count: one.noShifts.count + other.noShifts.count,
      words: new Set([...one.noShifts.words, ...other.noShifts.words]),
    },
    hiddenRows: one.hiddenRows + other.hiddenRows,
  };
}

/** Notes filled cells without a heading, which are not read. `unnamed` has their columns, in order. */
export function noteUnnamed(
  { unnamed: noted }: SheetReport,
  cells: readonly Cell[],
  unnamed: readonly number[],
): void {
  for (const place of unnamed) {
    // A short row has no other cells, however many columns the table has.
    if (place >= cells.length) break;
    if (cells[place] !== '') noted.add(place);
  }
}

/** Cells that say that there is no shift. */
export interface NoShifts {
  count: number;
  /** Some of their texts, as examples. */
  readonly words: Set<string>;
}

/** Rows that hold no shift, by reason. */
export interface LeftOutRows {
  aboveHeadings: number;
  between: number;
  totals: number;
  empty: number;
  /** Some texts that stand alone in their row: each may be the name of a group, above its people. */
  readonly titles: Set<string>;
}

const MAX_TITLES = 10;

export function noteTitle({ titles }: LeftOutRows, title: string): void {
  if (titles.size < MAX_TITLES) titles.add(title);
}
