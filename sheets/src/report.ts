/** What is read from a sheet: a row for each shift, and how the sheet was read, for the summary of an import. */

import type { Cell } from './cell.ts';
import type { Flaw } from './problem.ts';
import type { TableColumn } from './words/headings.ts';

/** A row that was read and checked, except for its names: only the account knows their ids. */
export interface SheetRow {
  /** Its place, as `positionOf` gives it. */
  readonly position: number;
  readonly shift: SheetShift;
  /** undefined: the sheet has none, or it cannot be read. */
  readonly group: string | undefined;
  /** null: none. */
  readonly location: { readonly name: string; readonly address: string | undefined } | null | undefined;
  readonly person: string | null | undefined;
}

/** What a row says about its shift. Columns that the sheet lacks are left out. */
export interface SheetShift {
  readonly id?: number;
  readonly date?: string;
  readonly start_time?: string;
  readonly end_time?: string;
  /** null: that of the first end after the start. */
  readonly end_date?: string | null;
  readonly publish_date?: string;
  readonly remarks?: string;
  readonly starred?: boolean;
  readonly cancelled?: boolean;
  readonly noshow?: boolean;
  /** What is wrong, and which fields are unknown because of it. */
  readonly flawed?: { readonly flaws: readonly Flaw[]; readonly unclear: readonly string[] };
}

export interface SheetReport {
  /** The sheets that were read, if the workbook has several. */
  readonly sheets: readonly string[];
  /** The sheets that were skipped although all sheets with shifts were to be read. */
  readonly leftOutSheets: readonly string[];
  /** Whether other sheets also hold shifts, but were not read. */
  readonly isOneOfSeveral: boolean;
  /** What the operator said about the sheet, and nothing in it needed. */
  readonly unused: { readonly sheet: boolean; readonly codes: readonly string[] };
  /** Headings that differ from the name of their column. */
  readonly taken: readonly { readonly heading: string; readonly column: TableColumn }[];
  /** Columns that were left out. */
  leftOut: readonly string[];
  readonly leftOutRows: LeftOutRows;
  /** Whether a column holds the groups. */
  readonly hasGroups: boolean;
  /** Columns that have cells but no heading, counted from 0. They were left out. */
  readonly unnamed: Set<number>;
  /** Cells that say that there is no shift, with some of their texts as examples. */
  readonly noShifts: { count: number; readonly words: Set<string> };
  /** Cells that say that a shift has no person, likewise. */
  readonly nobodies: { count: number; readonly words: Set<string> };
  /** How many rows were read that are hidden in the workbook. */
  hiddenRows: number;
  /** The columns that were read and are hidden, counted from 0. */
  readonly hiddenColumns: ReadonlySet<number>;
}

/** The report of a sheet of which no row has been read. `above` rows stand above its headings. */
export function newReport(
  { taken, leftOut }: Pick<SheetReport, 'taken' | 'leftOut'>,
  above: number,
  hasGroups: boolean,
): SheetReport {
  return {
    sheets: [],
    leftOutSheets: [],
    isOneOfSeveral: false,
    unused: { sheet: false, codes: [] },
    taken,
    leftOut,
    leftOutRows: { aboveHeadings: above, between: 0, totals: 0, empty: 0, titles: new Set() },
    hasGroups,
    unnamed: new Set(),
    noShifts: { count: 0, words: new Set() },
    nobodies: { count: 0, words: new Set() },
    hiddenRows: 0,
    hiddenColumns: new Set(),
  };
}

/** Joins the reports of two sheets that are read together. */
export function joinReports(one: SheetReport, other: SheetReport): SheetReport {
  const news = other.taken.filter(
    ({ heading, column }) => !one.taken.some((known) => known.heading === heading && known.column === column),
  );
  const [rows, more] = [one.leftOutRows, other.leftOutRows];
  return {
    ...one,
    hasGroups: one.hasGroups && other.hasGroups,
    sheets: [...one.sheets, ...other.sheets],
    taken: [...one.taken, ...news],
    leftOut: [...new Set([...one.leftOut, ...other.leftOut])],
    leftOutRows: {
      aboveHeadings: rows.aboveHeadings + more.aboveHeadings,
      between: rows.between + more.between,
      totals: rows.totals + more.totals,
      empty: rows.empty + more.empty,
      titles: rows.titles.union(more.titles),
    },
    unnamed: one.unnamed.union(other.unnamed),
    noShifts: joinNoted(one.noShifts, other.noShifts),
    nobodies: joinNoted(one.nobodies, other.nobodies),
    hiddenRows: one.hiddenRows + other.hiddenRows,
    hiddenColumns: one.hiddenColumns.union(other.hiddenColumns),
  };
}

/**
 * Notes filled cells without a heading, which are not read. `unnamed` has their columns, in order, and those from `width`
 * on have none either.
 */
export function noteUnnamed(
  { unnamed: noted }: SheetReport,
  cells: readonly Cell[],
  unnamed: readonly number[],
  width = cells.length,
): void {
  for (const place of unnamed) {
    // A short row has no other cells, however many columns the sheet has.
    if (place >= cells.length) break;
    if (cells[place] !== '') noted.add(place);
  }
  for (let place = width; place < cells.length; place++) if (cells[place] !== '') noted.add(place);
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

const MAX_EXAMPLES = 10;

export function noteTitle({ titles }: LeftOutRows, title: string): void {
  if (titles.size < MAX_EXAMPLES) titles.add(title);
}

type Noted = SheetReport['noShifts'];

export function noteCell(noted: Noted, text: string): void {
  noted.count++;
  if (noted.words.size < MAX_EXAMPLES) noted.words.add(text);
}

function joinNoted(one: Noted, other: Noted): Noted {
  return { count: one.count + other.count, words: one.words.union(other.words) };
}
