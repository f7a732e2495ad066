/**
 * What an import needs of a database, and what changes the settings of an account.
 */

import type { Account, AccountSettings } from './account.ts';
import type { RecordOf, StagedRecord, Table } from './records.ts';
import type { References } from './whole-shifts.ts';

export interface ImportStore {
  /**
   * Runs `work` in one transaction. It is committed when `work` returns true, and rolled back when `work` returns false
   * or throws, or when the process dies.
   */
  write(work: (transaction: AccountTransaction) => Promise<boolean>): Promise<void>;
  /** Runs `work` with an empty stage, which is gone afterwards. */
  stage<Result>(work: (stage: Stage) => Promise<Result>): Promise<Result>;
}

export interface AccountTransaction {
  /**
   * Finds the account, and locks its name until the transaction ends: nobody else can change it or make one of that
   * name.
   */
  lockAccount(slug: string): Promise<AccountVersion | undefined>;
  /** Adds the account, or gives the one of that slug these settings. Returns its id. */
  saveAccount(settings: AccountSettings): Promise<number>;
}

export interface AccountVersion extends Account {
  /** While the revision is the same, so are the shifts of the account. */
  readonly revision: number;
}

/**
 * Temporary tables for the records of a document and for the changes that they lead to. Nobody else sees them. They
 * take any number of records in bounded memory, and nothing is locked before `merge`.
 */
export interface Stage {
  /**
   * Adds records of the document, in its order. `positions` says where they are, unless they follow each other from 0
   * on.
   */
  add<T extends Table>(
    table: T,
    records: readonly StagedRecord<T>[],
    positions?: readonly number[],
  ): Promise<void>;
  /** Gives shifts that share a derived id ids of their own, which follow from their order (see derived-ids.ts). */
  separate(): Promise<void>;
  /**
   * To be called when all records are added: finds those whose id an earlier record has. Returns whether there are any.
   */
  findRepeated(table: Table): Promise<boolean>;
  findAccount(slug: string): Promise<AccountVersion | undefined>;
  /** What the database has in a table, by id, some records at a time. */
  records<T extends Table>(table: T, accountId: number | undefined): AsyncIterable<readonly RecordOf<T>[]>;
  /**
   * Pairs what was added with what the database has under the same ids, in order, some records at a time. Leaves out
   * whole shifts if compareWholeShifts takes care of them.
   */
  compare<T extends Table>(
    table: T,
    accountId: number | undefined,
    withoutWholeShifts?: boolean,
  ): AsyncIterable<readonly ComparedRecord<T>[]>;
  /** Compares all whole shifts at once, marks those to be written that are new or changed, and counts them. */
  compareWholeShifts(accountId: number | undefined): Promise<WholeShiftCounts>;
  /** Of the whole shifts that were added. */
  readonly references: References;
  /** Which of these ids were added, and which are in the database. */
  lookUp(table: Table, accountId: number | undefined, ids: readonly number[]): Promise<WhereIdsAre>;
  /** Unmarks what was to be written to a table and removed from it. */
  forget(table: Table): Promise<void>;
  /** Marks records to be written. */
  keep<T extends Table>(table: T, changes: readonly RecordChange<T>[]): Promise<void>;
  /** Marks every record that was not added for removal, or only shifts of some days. Returns how many there are. */
  keepAbsent(table: Table, accountId: number | undefined, days?: DateRange): Promise<number>;
  /** The records that are marked for removal, by id, some at a time. */
  absent<T extends Table>(table: T, accountId: number | undefined): AsyncIterable<readonly RecordOf<T>[]>;
  /**
   * Runs `work` in one transaction, and commits it when `work` ends. To let somebody else write, the transaction may be
   * rolled back in the middle; `work` then runs again.
   */
  merge(work: (transaction: MergeTransaction) => Promise<void>): Promise<void>;
}

/** The first and the last date that there may be. */
export const FIRST_DATE = '1000-01-01';
export const LAST_DATE = '9999-12-31';

/** Dates YYYY-MM-DD, both included. Without one of them, the range has no beginning or no end. */
export interface DateRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface WholeShiftCounts {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
}

export interface ComparedRecord<T extends Table> {
  /** In the list of the document, from 0 on, unless it was added with another. */
  readonly position: number;
  /** Where the first record of the same id is, if this is a later one. */
  readonly firstPosition: number | undefined;
  readonly given: StagedRecord<T>;
  readonly existing: RecordOf<T> | undefined;
}

export interface WhereIdsAre {
  readonly added: ReadonlySet<number>;
  readonly inDatabase: ReadonlySet<number>;
}

export interface RecordChange<T extends Table> {
  readonly before: RecordOf<T> | undefined;
  readonly after: RecordOf<T>;
}

export interface MergeTransaction extends AccountTransaction {
  /** Writes the marked records. What they refer to must be there. */
  save(table: Table, accountId: number, onProgress?: (done: number) => void): Promise<void>;
  /** Removes the records that are marked for removal. */
  remove(table: Table, accountId: number): Promise<void>;
  /** Notes the time, by the clock of the database, as that of the account's last import. Moves no revision. */
  noteImport(accountId: number): Promise<void>;
}
