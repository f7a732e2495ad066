/** What an operator says of a sheet. All of it is plain data, because it goes from thread to thread. */

import type { GivenAccount } from '../fields.ts';
import type { TableColumn } from './words/headings.ts';

/** Reads all sheets that hold shifts. A sheet of that name comes first. */
export const ALL_SHEETS = 'all';

export interface SheetOptions {
  /** Whose shifts these are, and what is to be said of it. */
  readonly account: GivenAccount;
  /** What the sheet calls columns, by our names. */
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
  /** Columns whose empty cells stand for the last one above that is not. */
  readonly fillDown?: readonly TableColumn[] | undefined;
  /** The name of a sheet of a workbook, its number from 1 on, or ALL_SHEETS. */
  readonly sheet?: string | undefined;
  /** For dates that lack it. */
  readonly year?: number | undefined;
  /** What stands in the cells of a roster in place of times; empty for no shift. */
  readonly codes?: ReadonlyMap<string, string> | undefined;
}
