/**
 * What an import needs of a database, and what changes the settings of an account.
 */

import type { Account, AccountSettings } from './account.ts';
import type { RecordOf, StagedRecord, Table } from './records.ts';

export interface ImportStore {
  /**
   * Runs `work` in one transaction. It is committed when `work` returns true, and rolled back when `work` returns false or
   * throws, or when the process dies.
   */
  write(work: (transaction: AccountTransaction) => Promise<boolean>): Promise<void>;
  /** Runs `work` with an empty stage, which is gone afterwards. */
  stage<Result>(work: (stage: Stage) => Promise<Result>): Promise<Result>;
}

export interface AccountTransaction {
  /** Finds the account, and locks its name until the transaction ends: nobody else can change it or make one of that name. */
  lockAccount(slug: string): Promise<AccountVersion | undefined>;
  /** Adds the account, or gives the one of that slug these settings. Returns its id. */
  saveAccount(settings: AccountSettings): Promise<number>;
}

export interface AccountVersion extends Account {
  /** While the revision is the same, so are the shifts of the account. */
  readonly revision: number;
}

/**
 * Temporary tables for the records of a document and for the changes that they lead to. Nobody else sees them. They take any
 * number of records in bounded memory, and nothing is locked before `merge`.
 */
export interface Stage {
  /** Adds records of the document, in its order. */
  add<T extends Table>(table: T, records: readonly StagedRecord<T>[]): Promise<void>;
  /** To be called when all records are added: finds those whose id an earlier record has. */
  findRepeated(table: Table): Promise<void>;
  findAccount(slug: string): Promise<AccountVersion | undefined>;
  /** Pairs what was added with what the database has under the same ids, in order, some records at a time. */
  compare<T extends Table>(
    table: T,
    accountId: number | undefined,
  ): AsyncIterable<readonly ComparedRecord<T>[]>;
  /** Which of these ids were added, and which are in the database. */
  lookUp(table: Table, accountId: number | undefined, ids: readonly number[]): Promise<WhereIdsAre>;
  /** Unmarks what was to be written to a table and removed from it. */
  forget(table: Table): Promise<void>;
  /** Marks records to be written. */
  keep<T extends Table>(table: T, changes: readonly RecordChange<T>[]): Promise<void>;
  /** Marks every record that was not added for removal, and returns how many there are. */
  keepAbsent(table: Table, accountId: number | undefined): Promise<number>;
  /**
   * Runs `work` in one transaction, and commits it when `work` ends. To let somebody else write, the transaction may be rolled
   * back in the middle; `work` then runs again.
   */
  merge(work: (transaction: MergeTransaction) => Promise<void>): Promise<void>;
}

export interface ComparedRecord<T extends Table> {
  /** In the list of the document, from 0 on. */
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
}
