/** An import document as a stream of parts, so that it never has to be in memory as a whole. */

import type { SheetRows } from '@shiftfeed/sheets';
import type { StagedRecord, Table } from '../store/records.ts';
import type { GivenAccount } from './fields.ts';
import type { ImportProblem } from './problems.ts';

export type DocumentPart = JsonPart | SheetPart;

/** Records of a kind follow each other in the order of the document. */
export type JsonPart =
  | { readonly account: GivenAccount }
  | { [T in Table]: { readonly table: T; readonly records: readonly StagedRecord<T>[] } }[Table]
  | DocumentProblem;

/** The account comes first. */
export type SheetPart = { readonly account: GivenAccount } | SheetRows | DocumentProblem;

/** A problem of the document itself or of its account. */
export interface DocumentProblem {
  readonly problem: ImportProblem;
  /** Tables with records that could not be read. A reference to one of these tables is never reported as missing. */
  readonly hides: readonly (Table | 'account')[];
}
