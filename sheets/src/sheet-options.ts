/** What an operator says about a sheet. It is plain data, because it is passed between threads. */

import type { TableColumn } from './words/headings.ts';
import type { StatusMeaning } from './words/status.ts';

/** Reads all sheets that hold shifts. A sheet with this very name takes precedence. */
export const ALL_SHEETS = 'all';

/** In place of a column whose empty cells are filled: those that may be are meant to be empty. */
export const KEEP_EMPTY = 'none';

export interface SheetOptions {
  /** Of the account, if it is known. */
  readonly timeZone?: string | undefined;
  /** The headings of the sheet, by our names of the columns. */
  readonly columnNames: ReadonlyMap<TableColumn, string>;
  /** Columns of the sheet that are not read. */
  readonly ignoredColumns: readonly string[];
  /** A pattern that parseDateFormat takes. */
  readonly dateFormat?: string | undefined;
  /** For rows that do not say when they are published. */
  readonly publishedFrom?: string | undefined;
  /** For rows that do not say whose they are. */
  readonly group?: string | undefined;
  /** A label of the Encoding Standard. */
  readonly encoding?: string | undefined;
  /** Columns in which an empty cell repeats the last filled cell above it. */
  readonly fillDown?: readonly (TableColumn | typeof KEEP_EMPTY)[] | undefined;
  /** The name of a sheet of a workbook, its number from 1 on, or ALL_SHEETS. */
  readonly sheet?: string | undefined;
  /** For dates without a year. */
  readonly year?: number | undefined;
  /** Codes that a roster uses in place of times. An empty value means no shift. */
  readonly codes?: ReadonlyMap<string, string> | undefined;
  /** What words of a column such as `Status` mean. */
  readonly statuses?: ReadonlyMap<string, StatusMeaning> | undefined;
  /** What stands between the names of several people in a cell, as `parseSeparators` gives it. */
  readonly peopleSeparators?: readonly string[] | undefined;
  /** The names that texts in cells of people stand for, none for nobody. The texts are folded. */
  readonly people?: ReadonlyMap<string, readonly string[]> | undefined;
  /** What the names of sheets are, if several are read. */
  readonly tabs?: TabMeaning | undefined;
  /** The name of the sheet that is read, if it may be such a name. */
  readonly tab?: string | undefined;
  /** What names are that stand alone above rows, or above columns that share a day. */
  readonly sections?: SectionMeaning | undefined;
  /** For times without am and pm. */
  readonly clock?: 12 | 24 | undefined;
}

export const TAB_MEANINGS = ['person', 'group', 'location', 'nothing'] as const;
type TabMeaning = (typeof TAB_MEANINGS)[number];
export const SECTION_MEANINGS = ['group', 'location', 'nothing'] as const;
export type SectionMeaning = (typeof SECTION_MEANINGS)[number];

/** How what is given to an account is checked, which is not for a sheet to know. */
export interface SheetFields {
  readonly groups: { readonly name: FieldRule<string> };
  readonly locations: { readonly address: FieldRule<string> };
  readonly shifts: Readonly<Record<PlainField, FieldRule<unknown>>>;
}

/** The fields of a shift that are a cell each. */
export type PlainField = Extract<
  TableColumn,
  'id' | 'publish_date' | 'remarks' | 'starred' | 'cancelled' | 'noshow'
>;

interface FieldRule<Value> {
  /** As the end of a sentence. */
  readonly expected: string;
  /** undefined: it is not accepted. */
  read(value: unknown): Value | undefined;
}

/** Whether there is such an encoding. */
export function isEncoding(label: string): boolean {
  try {
    new TextDecoder(label);
    return true;
  } catch {
    return false;
  }
}
