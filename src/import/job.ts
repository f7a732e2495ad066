/** What an import is asked to do, and what it knows while it does it. */

import type { DateRange, Stage } from '../store/import-store.ts';
import type { Table } from '../store/records.ts';
import type { ChangeTeller } from './changes.ts';
import type { GivenAccount } from './fields.ts';
import type { NameBook } from './names.ts';
import type { ProblemTeller } from './problems.ts';

export interface ImportOptions {
  /** Also remove what the document does not have. */
  readonly replace: boolean;
  /** Also remove the shifts of these days that the document does not have, and nothing else. */
  readonly replaceShifts?: DateRange | undefined;
  /** Refuse a document without shifts that would remove some: whatever wrote it has probably failed. */
  readonly refuseEmpty?: boolean | undefined;
  /** Refuse to remove most of what the removal covers: the document was probably cut off. */
  readonly refuseRemovals?: boolean | undefined;
  /** The current date in a time zone. Without it, there are no warnings that depend on the date. */
  readonly today?: ((timeZone: string) => string) | undefined;
  /** Also count the shifts that are not listed. */
  readonly countsUnlisted?: boolean | undefined;
  /** Do everything but the writing. */
  readonly dryRun: boolean;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** In a dry run without problems, gets what would change, some records at a time. */
  readonly onChanges?: ChangeTeller | undefined;
  /** Gets the problems as they are found. Without it, the first ones are thrown. */
  readonly onProblems?: ProblemTeller | undefined;
}

/** How many shifts are done. The number may fall: an import that lets another writer go first starts over. */
export interface Progress {
  readonly step: 'read' | 'compared' | 'written';
  readonly done: number;
  /** The total, once it is known. */
  readonly total?: number | undefined;
}

/** What is known about the document when all its records are staged. */
export interface StagedDocument {
  /** undefined: the account could not be read. */
  readonly account: GivenAccount | undefined;
  /** undefined: it is not a sheet, and its records have ids. */
  readonly names: NameBook | undefined;
  /** How many there are. */
  readonly shifts: number;
  /** The days on which the shifts of this sheet begin, if it is one of several: it says nothing about other days. */
  readonly onlyDays: DateRange | undefined;
  /** The tables in the order of the document. */
  readonly tables: readonly Table[];
  /** Tables of which some or all records could not be read. */
  readonly unknown: ReadonlySet<Table | 'account'>;
}

export interface Job {
  readonly stage: Stage;
  readonly document: StagedDocument;
  readonly options: ImportOptions;
}
