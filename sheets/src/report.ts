/** What is read from a sheet: a row for each shift, and how the sheet was read, for the summary of an import. */

import { type CellsRead, Ledger } from './ledger.ts';
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

/** What a sheet is the plan of, also where it has no shifts. */
export interface Coverage {
  /** The first and the last day YYYY-MM-DD; empty if there is none. */
  from: string;
  to: string;
  /** The groups that it names, as they are written. */
  readonly groups: Set<string>;
}

/** What is noted while the sheets of a file are read. */
export interface Notes {
  readonly ledger: Ledger;
  /** That of the sheet that is being read. */
  covers: Coverage;
  /** Headings that differ from the name of their column. */
  readonly taken: { readonly heading: string; readonly column: TableColumn }[];
  /** Cells that say that there is no shift, with some of their texts as examples. */
  readonly noShifts: Noted;
  /** Cells that say that a shift has no person, likewise. */
  readonly nobodies: Noted;
  /** Comments on cells, which are not read, with some of them as examples. */
  readonly comments: Noted;
  /** How many rows were read that are hidden in the workbook. */
  hiddenRows: number;
  /** The columns that were read and are hidden, counted from 0. */
  hiddenColumns: ReadonlySet<number>;
}

export interface SheetReport extends Readonly<Omit<Notes, 'ledger' | 'covers'>> {
  /** Those of the sheets that were read. */
  readonly covers: readonly Coverage[];
  /** The sheets that were read, if the workbook has several. */
  readonly sheets: readonly string[];
  /** The sheets that were skipped although all sheets with shifts were to be read. */
  readonly leftOutSheets: readonly string[];
  /** Whether other sheets also hold shifts, but were not read. */
  readonly isOneOfSeveral: boolean;
  /** What the operator said about the sheet, and nothing in it needed. */
  readonly unused: Readonly<{ sheet: boolean; codes: readonly string[]; people: readonly string[] }>;
  /** What became of all cells. */
  readonly cells: CellsRead;
}

export function newCoverage(group?: string): Coverage {
  return { from: '', to: '', groups: new Set(group === undefined ? [] : [group]) };
}

export function newNotes(): Notes {
  return {
    ledger: new Ledger(),
    covers: newCoverage(),
    taken: [],
    noShifts: { count: 0, words: new Set() },
    nobodies: { count: 0, words: new Set() },
    comments: { count: 0, words: new Set() },
    hiddenRows: 0,
    hiddenColumns: new Set(),
  };
}

/** Notes that the sheet is about this day and this group. */
export function cover(covers: Coverage, day: string | undefined, group?: string): void {
  if (day && (covers.from === '' || day < covers.from)) covers.from = day;
  if (day && day > covers.to) covers.to = day;
  if (group) covers.groups.add(group);
}

const MAX_EXAMPLES = 10;

interface Noted {
  count: number;
  readonly words: Set<string>;
}

export function noteCell(noted: Noted, text: string): void {
  noted.count++;
  if (noted.words.size < MAX_EXAMPLES) noted.words.add(text);
}
