/** What a sheet of shifts consists of: one row a shift, with groups, locations and people by their names. */

import type { SHEET_COLUMNS, StagedRecord } from '../../store/records.ts';

export type SheetColumn = (typeof SHEET_COLUMNS)[number];

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
