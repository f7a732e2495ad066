/** A sheet of shifts has one row for each shift, with groups, locations and people by name. */

import type { SHEET_COLUMNS, StagedRecord } from '../../store/records.ts';

export type SheetColumn = (typeof SHEET_COLUMNS)[number];

/** A row that was read and checked, except for its names: only the account knows their ids. */
export interface SheetRow {
  /** The line of the file on which it begins, from 1 on. */
  readonly line: number;
  readonly shift: StagedRecord<'shifts'>;
  /** undefined: the sheet has none, or it cannot be read. */
  readonly group: string | undefined;
  /** null: none. */
  readonly location: { readonly name: string; readonly address: string | undefined } | null | undefined;
  readonly person: string | null | undefined;
}
