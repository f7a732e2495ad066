/**
 * What an import needs of a database, and what commands need to change the settings of an account.
 */

import type { Account, AccountSettings } from './account.ts';
import type { Flaw, RecordOf, StagedRecord, Table } from './records.ts';

export interface ImportStore {
  /**
   * Runs `work` in one transaction. It is committed when `work` returns true, and rolled back when `work` returns false
   * or throws, or when the process dies.
   */
  write(work: (transaction: AccountTransaction) => Promise<boolean>): Promise<void>;
  /** Runs `work` with an empty stage, which is discarded afterwards. */
  stage<Result>(work: (stage: Stage) => Promise<Result>): Promise<Result>;
}

export interface AccountTransaction {
  /**
   * Finds the account, and locks its slug until the transaction ends: nobody else can change the account or create one
   * with that slug.
   */
  lockAccount(slug: string): Promise<AccountVersion | undefined>;
  /** Creates the account, or updates the settings of the one with that slug. Returns its id. */
  saveAccount(settings: AccountSettings): Promise<number>;
  /** Records the time of the account's last import, by the clock of the database. Does not change the revision. */
  noteImport(accountId: number): Promise<void>;
}

export interface AccountVersion extends Account {
  /** As long as the revision is the same, so are the shifts of the account. */
  readonly revision: number;
}

/**
 * Temporary tables for the records of a document, invisible to others. They take any number of records in bounded
 * memory, and nothing is locked before `merge`.
 */
export interface Stage {
  /**
   * Adds records in the order of the document. `positions` gives their positions; by default they are counted from 0.
   */
  add<T extends Table>(
    table: T,
    records: readonly StagedRecord<T>[],
    positions?: readonly number[],
  ): Promise<void>;
  findAccount(slug: string): Promise<AccountVersion | undefined>;
  /** Whether the account has shifts with ids of the older kind (see derived-ids.ts). */
  hasOlderIds(accountId: number | undefined): Promise<boolean>;
  /** The months YYYY-MM in which the account has or had shifts. */
  months(accountId: number | undefined): Promise<readonly string[]>;
  /** The records that the database has in a table, sorted by id, in batches. */
  records<T extends Table>(table: T, accountId: number | undefined): AsyncIterable<readonly RecordOf<T>[]>;
  /**
   * Compares the records that were added to a table with those of the account. Replaces an earlier comparison of the
   * same table.
   */
  compare<T extends Table>(table: T, options: CompareOptions): Promise<Comparison<T>>;
  /**
   * Runs `work` in one transaction, and commits it when `work` ends. The transaction may be rolled back in the middle
   * to let another writer go first; `work` then runs again.
   */
  merge(work: (transaction: MergeTransaction) => Promise<void>): Promise<void>;
}

export interface CompareOptions {
  /** undefined: the account is new, or could not be read. */
  readonly accountId: number | undefined;
  /** Tables of which some or all records could not be read, so nobody knows which records are missing there. */
  readonly unknown: ReadonlySet<Table | 'account'>;
  /** Which records to remove if they were not added; undefined for none. */
  readonly removal: { readonly days: DateRange | undefined } | undefined;
  /** Whether groups, locations and people that were not added are removed. No shift may then refer to them. */
  readonly removesReferred: boolean;
  /**
   * How a sheet refers to groups, locations and people; undefined means by id. Two records may have the same name: a
   * shift that refers to one of them is not moved to the other.
   */
  readonly namedBy: 'name' | 'name and address' | undefined;
}

/** The first and the last date that shifts may have. */
export const FIRST_DATE = '1000-01-01';
export const LAST_DATE = '9999-12-31';

/** Dates YYYY-MM-DD, both included. If one is missing, the range is open on that side. */
export interface DateRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const ODD_KINDS = ['long', 'far', 'equal'] as const;
export type OddKind = (typeof ODD_KINDS)[number];
export type Oddities = Readonly<Record<OddKind, Odd>>;

/** What is usual for shifts. Those on other days are `far`, and those of this many minutes or more are `long`. */
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
  /** The position of the first row with the same content. */
  readonly equalPosition: number | undefined;
}

export interface Unlisted {
  /** The number of shifts that are not published yet, and the first and the last of their publish dates. */
  readonly early: number;
  readonly firstDate: string;
  readonly lastDate: string;
  /** The number of other shifts that belong to inactive groups. */
  readonly inactive: number;
}

/** What a merge would do to a table. A comparison with flawed records cannot be written. */
export interface Comparison<T extends Table = Table> {
  readonly table: T;
  readonly tally: Tally;
  /** How many records of the account a removal may affect, including those that were added. */
  covered(): Promise<number>;
  /** Odd shifts among those that would be written: the first `most` of them, and the counts. */
  oddities(usual: Usual, most: number): Promise<Oddities>;
  /** How many of all added shifts are not listed on that day. */
  unlisted(today: string): Promise<Unlisted>;
  /** The records with problems, in the order of the document, in batches. */
  flawed(): AsyncIterable<readonly FlawedRecord<T>[]>;
  /** The records that would be written, in the order of the document, then those to remove, by id; in batches. */
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
  /** The index in the list of the document, from 0 on, unless `add` was given another position. */
  readonly position: number;
  /** The position of the first record with the same id, if this is a later one. */
  readonly firstPosition: number | undefined;
  readonly id: number | undefined;
  /** The flaws with which it was added. */
  readonly flaws: readonly Flaw[];
  /**
   * Whether it is a row of a sheet with an id that the account does not have and that a spreadsheet may have changed.
   */
  readonly hasUnknownLongId: boolean;
  /** The required fields that it lacks, if it is a new record. */
  readonly lacking: readonly string[];
  readonly end: 'too early' | 'too late' | undefined;
  /** The fields that refer to a record that does not exist or is about to be removed. */
  readonly missing: readonly { readonly field: string; readonly why: 'nowhere' | 'removed' }[];
  /** The record as it would be after the import, as far as that is known. */
  readonly after: Partial<RecordOf<T>>;
}

/** Without a `before`, the record would be added; without an `after`, removed. */
export interface RecordChange<T extends Table> {
  readonly before: RecordOf<T> | undefined;
  readonly after: RecordOf<T> | undefined;
}

export interface MergeTransaction extends AccountTransaction {
  /** Writes new and changed records. The records that they refer to must already exist. */
  write(comparison: Comparison, accountId: number, onProgress?: (done: number) => void): Promise<void>;
  /** Removes the records that the comparison found absent. */
  remove(comparison: Comparison, accountId: number): Promise<void>;
}
