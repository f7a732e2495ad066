/**
 * The contract between Shiftfeed and its databases. Each part is written for the room that uses it: the
 * feed reads, the import writes, the command line administers. The comments here are the contract;
 * implementations are checked against it by one shared suite.
 */

import type { Day, Month } from '../listing/calendar.ts';
import type { DayMask } from '../listing/day-mask.ts';
import type { RowFilter } from '../listing/filter.ts';
import type { Shift, SortOrder } from '../listing/shift.ts';
import type { RecordOf, StagedRecord, Table } from './records.ts';

export type Store = FeedStore & ImportStore & AdminStore & { close(): Promise<void> };

// What a request needs.

export interface FeedStore {
  /** Whether a later answer may be of an earlier state, because another copy of the database gave it. */
  readonly mayLag: boolean;

  /**
   * Answers many requests at once, in their order and from one state of the data, which includes
   * everything committed before the call. `nowMs` decides which tokens have expired.
   */
  freshness(questions: readonly Question[], nowMs: number): Promise<readonly Answer[]>;

  /**
   * One consistent read of an account, step by step. Returns the state that was read, or undefined when there is no
   * account of that name. With a history, which a freshness answer gave, it fails unless the database is still that one.
   */
  read(slug: string, steps: ReadSteps, history?: string): Promise<AccountState | undefined>;
}

export interface ReadSteps {
  /** Says what to count, by what the account is like. */
  count(state: AccountState): readonly DayQuestion[];
  /** Says which shifts to read, by what was counted, in the order of the questions. */
  choose(state: AccountState, counts: readonly DayCounts[]): readonly DayRange[];
  /** Is given the shifts of the active groups that start in each of these ranges, by date, in any order within a day. */
  take(range: DayRange, shifts: Iterable<Shift>): void;
}

/** How many shifts of active groups does each day of a month have that pass a filter today? */
export interface DayQuestion {
  readonly month: Month;
  readonly rows: RowFilter;
  readonly today: Day;
}

export interface DayCounts {
  /** By day; 31 of them, whatever the month. */
  readonly matching: Uint32Array<ArrayBuffer>;
  /** How many shifts of active groups there are in all the month, whether they pass the filter or not. */
  readonly rows: number;
}

/** Days of a month; whatever lies between the first and the last of them is read, too. */
export interface DayRange {
  readonly month: Month;
  readonly days: DayMask;
}

export interface Question {
  /** The hexadecimal SHA-256 of the token. */
  readonly tokenHash: string;
  readonly slug: string;
  /** What the asker holds of the account already. */
  readonly known: Known | undefined;
}

export interface Known {
  readonly accountId: number;
  readonly history: string;
  readonly revision: number;
}

export interface Answer {
  /** undefined: the token is not live. A live one is known, not revoked, not expired, and its account is premium. */
  readonly token: TokenFacts | undefined;
  /**
   * undefined: the token is not live, or there is no account of that name. An account is looked up for live tokens only:
   * else the time that an answer takes would tell everybody which accounts exist.
   */
  readonly account: AccountChanges | undefined;
}

export interface TokenFacts {
  readonly id: number;
  readonly accountId: number;
  readonly expiresAtMs: number | null;
}

/** Nobody holds the months of an account that has shifts in more of them, which is those of 200 years. */
export const MAX_HELD_MONTHS = 2_400;

/**
 * `changed` are the months that changed after revision `since`, or as many of them as show that there are more than
 * anybody holds. `since` is the revision that the asker knew, or 0 (and `changed` every month) when it knew nothing of this
 * account's present history.
 */
export interface AccountChanges {
  readonly account: Account;
  /**
   * Names what the revision counts the changes of. It is another one after the database was replaced: then nothing that was known
   * holds any more, whatever the revisions are.
   */
  readonly history: string;
  readonly revision: number;
  readonly since: number;
  readonly changed: readonly MonthStamp[];
}

/** A month and the account's revision at which its listing last changed. */
export interface MonthStamp {
  readonly month: Month;
  readonly stamp: number;
}

export interface AccountState {
  readonly account: Account;
  readonly history: string;
  readonly revision: number;
  /** Every month that ever had a shift, in ascending order. */
  readonly months: readonly MonthStamp[];
}

// What an import needs.

export interface ImportStore {
  /**
   * Runs `work` in one transaction: all of it is kept when `work` returns true, none of it when
   * it returns false or throws, or when the process dies.
   */
  write(work: (transaction: AccountTransaction) => Promise<boolean>): Promise<void>;
  /** Runs `work` with an empty stage, which is gone afterwards. */
  stage<Result>(work: (stage: Stage) => Promise<Result>): Promise<Result>;
}

export interface AccountTransaction {
  /** From here on, nobody else changes the account or makes one of that name. */
  findAccount(slug: string): Promise<AccountVersion | undefined>;
  /** Adds the account, or gives the one of that slug these settings. Returns its id. */
  saveAccount(settings: AccountSettings): Promise<number>;
}

export interface AccountVersion extends Account {
  /** As long as it is the same, so are the shifts of the account. */
  readonly revision: number;
}

/**
 * A place for the records of a document, and for what is to become of them, that nobody else sees. It takes records in
 * any number without much memory, and until `merge` it keeps nobody from writing.
 */
export interface Stage {
  /** Adds records of the document, in its order. */
  add<T extends Table>(table: T, records: readonly StagedRecord<T>[]): Promise<void>;
  /** Ends the adding, and finds the records whose id an earlier one has. */
  findRepeated(table: Table): Promise<void>;
  findAccount(slug: string): Promise<AccountVersion | undefined>;
  /** What was added, beside what the database has under the same ids, in order and some records at a time. */
  compare<T extends Table>(
    table: T,
    accountId: number | undefined,
  ): AsyncIterable<readonly ComparedRecord<T>[]>;
  /** Which of these ids were added, and which are in the database. */
  lookUp(table: Table, accountId: number | undefined, ids: readonly number[]): Promise<WhereIdsAre>;
  /** Forgets what was to be written to a table and removed from it. */
  forget(table: Table): Promise<void>;
  /** Keeps records to be written. */
  keep<T extends Table>(table: T, changes: readonly RecordChange<T>[]): Promise<void>;
  /** Keeps every record that was not added to be removed, and returns how many there are. */
  keepAbsent(table: Table, accountId: number | undefined): Promise<number>;
  /**
   * Runs `work` in one transaction, as `write` does, and keeps what it did when it ends. May have to begin anew, in
   * order to let somebody else write: `work` then runs again, and what it had done is undone.
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
  /** Writes what was kept. What a record refers to must be there. */
  save(table: Table, accountId: number, onProgress?: (done: number) => void): Promise<void>;
  /** Removes what was kept to be removed. */
  remove(table: Table, accountId: number): Promise<void>;
}

export interface AccountSettings {
  readonly slug: string;
  readonly name: string;
  readonly premium: boolean;
  /** An IANA time zone name. */
  readonly timeZone: string;
  readonly sort: SortOrder;
}

export interface Account extends AccountSettings {
  readonly id: number;
}

// What the command line needs besides.

export interface AdminStore {
  accounts(): Promise<readonly Account[]>;
  findAccount(slug: string): Promise<Account | undefined>;
  describeAccount(accountId: number): Promise<AccountContents>;
  addToken(token: NewToken): Promise<Token>;
  tokens(accountId: number): Promise<readonly Token[]>;
  /** False when there is no such token. A token that is revoked already keeps its first instant. */
  revokeToken(id: number, atMs: number): Promise<boolean>;
}

export interface AccountContents {
  readonly revision: number;
  readonly groups: number;
  readonly locations: number;
  readonly people: number;
  readonly shifts: number;
  readonly firstDate: string | null;
  readonly lastDate: string | null;
}

export interface NewToken {
  readonly accountId: number;
  readonly hash: string;
  readonly label: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
}

export interface Token extends Omit<NewToken, 'hash'> {
  readonly id: number;
  readonly revokedAtMs: number | null;
}
