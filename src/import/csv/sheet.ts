/** What a sheet of shifts consists of: one row a shift, with groups, locations and people by their names. */

import type { SHEET_COLUMNS, StagedRecord } from '../../store/records.ts';

export type SheetColumn = (typeof SHEET_COLUMNS)[number];

/** What is said of a file that is a spreadsheet, as the end of a sentence. */
export const IS_A_SPREADSHEET =
  'is a spreadsheet and not CSV: open it in your spreadsheet program, save the sheet as "CSV UTF-8 (comma delimited)", and import that file';

/** A row that was read and checked, but for its names, which stand for ids that only the account can tell. */
export interface SheetRow {
  /** The line of the file on which it begins, from 1 on. */
  readonly line: number;
  readonly shift: StagedRecord<'shifts'>;
  /** undefined: the sheet does not say, or not in a way that can be read. */
  readonly group: string | undefined;
  /** null: none. */
  readonly location: { readonly name: string; readonly address: string | undefined } | null | undefined;
  readonly person: string | null | undefined;
}
