/**
 * What an import needs of a database, and what changes the settings of an account.
 */

import type { Account, AccountSettings } from './account.ts';
import type { Flaw, RecordOf, StagedRecord, Table } from './records.ts';

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
  /** Notes the time, by the clock of the database, as that of the account's last import. Moves no revision. */
  noteImport(accountId: number): Promise<void>;
}

export interface AccountVersion extends Account {
  /** While the revision is the same, so are the shifts of the account. */
  readonly revision: number;
}

/**
 * Temporary tables for the records of a document. Nobody else sees them. They take any number of records in bounded
 * memory, and nothing is locked before `merge`.
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
  findAccount(slug: string): Promise<AccountVersion | undefined>;
  /** Whether an account has shifts with ids as they were derived earlier (see derived-ids.ts). */
  hasOlderIds(accountId: number | undefined): Promise<boolean>;
  /** What the database has in a table, by id, some records at a time. */
  records<T extends Table>(table: T, accountId: number | undefined): AsyncIterable<readonly RecordOf<T>[]>;
  /**
   * Compares what was added to a table with what the account has. A later comparison of the same table takes the place
   * of this one.
   */
  compare<T extends Table>(table: T, options: CompareOptions): Promise<Comparison<T>>;
  /**
   * Runs `work` in one transaction, and commits it when `work` ends. To let somebody else write, the transaction may be
   * rolled back in the middle; `work` then runs again.
   */
  merge(work: (transaction: MergeTransaction) => Promise<void>): Promise<void>;
}

export interface CompareOptions {
  /** undefined: the account is new, or could not be read. */
  readonly accountId: number | undefined;
  /** Of what some records or all could not be read, so that nobody can say what is missing there. */
  readonly unknown: ReadonlySet<Table | 'account'>;
  /** The records to remove if they were not added; undefined: none. */
  readonly removal: { readonly days: DateRange | undefined } | undefined;
  /** Whether groups, locations and people are removed that were not added: then no shift may refer to them. */
  readonly removesReferred: boolean;
  /**
   * By what a sheet refers to groups, locations and people. Two may have the same name: a shift that has the one is not
   * moved to the other. undefined: by id.
   */
  readonly namedBy: 'name' | 'name and address' | undefined;
}

/** The first and the last date that there may be. */
export const FIRST_DATE = '1000-01-01';
export const LAST_DATE = '9999-12-31';

/** Dates YYYY-MM-DD, both included. Without one of them, the range has no beginning or no end. */
export interface DateRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const ODD_KINDS = ['long', 'far', 'equal'] as const;
export type OddKind = (typeof ODD_KINDS)[number];
export type Oddities = Readonly<Record<OddKind, Odd>>;

/** What shifts usually are like. Those on other days are `far`, those of so many minutes or more `long`. */
export interface Usual {
  readonly longMinutes: number;
  readonly firstDate: string;
  readonly lastDate: string;
}

export interface Odd {
  readonly count: number;
  readonly first: readonly OddShift[];
}

export interface OddShift extends Pick<RecordOf<'shifts'>, 'date' | 'start_time' | 'end_time'> {
  readonly position: number;
  /** Where the first row is that says the same. */
  readonly equalPosition: number | undefined;
}

export interface Unlisted {
  /** How many are not published yet, and when the first and the last of them are. */
  readonly early: number;
  readonly firstDate: string;
  readonly lastDate: string;
  /** How many others belong to groups that are not active. */
  readonly inactive: number;
}

/** What a merge would do to a table. Only a comparison without flawed records can be written. */
export interface Comparison<T extends Table = Table> {
  readonly table: T;
  readonly tally: Tally;
  /** How many records of the account a removal may concern, those that were added included. */
  covered(): Promise<number>;
  /** Of shifts that would be written: which are odd, the first ones and how many. */
  oddities(usual: Usual, most: number): Promise<Oddities>;
  /** Of all shifts that were added: how many are not listed on that day. */
  unlisted(today: string): Promise<Unlisted>;
  /** The records with problems, in the order of the document, some at a time. */
  flawed(): AsyncIterable<readonly FlawedRecord<T>[]>;
  /** The records that would be written, in the order of the document, then those removed, by id; some at a time. */
  changes(): AsyncIterable<readonly RecordChange<T>[]>;
}

/** One of each table. */
export type Comparisons = { readonly [T in Table]: Comparison<T> };

export interface Tally {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly unchanged: number;
}

export interface FlawedRecord<T extends Table> {
  /** In the list of the document, from 0 on, unless it was added with another. */
  readonly position: number;
  /** Where the first record of the same id is, if this is a later one. */
  readonly firstPosition: number | undefined;
  readonly id: number | undefined;
  /** The flaws with which it was added. */
  readonly flaws: readonly Flaw[];
  /** Whether it is a row of a sheet whose id the account does not have, and a spreadsheet may have changed. */
  readonly hasUnknownLongId: boolean;
  /** What it would need as a new record. */
  readonly lacking: readonly string[];
  readonly end: 'too early' | 'too late' | undefined;
  /** The fields that refer to a record which is nowhere, or is about to be removed. */
  readonly missing: readonly { readonly field: string; readonly why: 'nowhere' | 'removed' }[];
  /** The record as it would be, as far as that is known. */
  readonly after: Partial<RecordOf<T>>;
}

/** Without a `before`, the record would be added; without an `after`, removed. */
export interface RecordChange<T extends Table> {
  readonly before: RecordOf<T> | undefined;
  readonly after: RecordOf<T> | undefined;
}

export interface MergeTransaction extends AccountTransaction {
  /** Writes what is new or changed. What it refers to must be there. */
  write(comparison: Comparison, accountId: number, onProgress?: (done: number) => void): Promise<void>;
  /** Removes what the comparison found to be removed. */
  remove(comparison: Comparison, accountId: number): Promise<void>;
}
