/**
 * What a request needs of a database.
 */

import type { Day, Month } from '@shiftfeed/common/days';
import type { DayMask } from '../listing/day-mask.ts';
import type { RowFilter } from '../listing/filter.ts';
import type { Shift } from '../listing/shift.ts';
import type { Account } from './account.ts';

export interface FeedStore {
  /** Whether a later answer may show an earlier state, because it came from another copy of the database. */
  readonly mayLag: boolean;

  /**
   * Answers many requests at once, in their order and from one state of the data, which includes everything committed
   * before the call. `nowMs` decides which tokens have expired.
   */
  freshness(questions: readonly FreshnessQuestion[], nowMs: number): Promise<readonly FreshnessAnswer[]>;

  /**
   * Runs `work` on one consistent state of an account. Returns undefined when there is no account with that slug. With
   * the `history` of a freshness answer, it fails if the database has been replaced since.
   */
  read<Result>(
    slug: string,
    work: (transaction: ReadTransaction) => Promise<Result>,
    history?: string,
  ): Promise<Result | undefined>;
}

/** One that is opened for requests. */
export interface FeedReader extends FeedStore {
  /** Left out for a database without a pool. */
  readonly poolCounts?: () => PoolCounts;
  close(): Promise<void>;
}

/** The connections of a pool, and how many callers wait for one. */
export interface PoolCounts {
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

export const NO_CONNECTIONS: PoolCounts = { used: 0, idle: 0, waiting: 0 };

/** Usable until `work` ends. */
export interface ReadTransaction {
  readonly state: AccountState;
  /** Answers in the order of the queries. */
  countDays(queries: readonly DayCountQuery[]): Promise<readonly DayCounts[]>;
  /**
   * The shifts of active groups that start in a range, sorted by date but not within a day. Iterate over them before
   * the next call.
   */
  shifts(range: DayRange): Promise<Iterable<Shift>>;
}

/** Asks how many shifts of active groups pass a filter on each day of a month. */
export interface DayCountQuery {
  readonly month: Month;
  readonly rows: RowFilter;
  readonly today: Day;
}

export interface DayCounts {
  /** Indexed by day. There are always 31 entries. */
  readonly matching: Uint32Array<ArrayBuffer>;
  /** The number of shifts of active groups in the month, including those that do not pass the filter. */
  readonly rows: number;
}

/** Days of a month. The days between the first and the last of them are read as well. */
export interface DayRange {
  readonly month: Month;
  readonly days: DayMask;
}

export interface FreshnessQuestion {
  /** The hexadecimal SHA-256 of the token. */
  readonly tokenHash: string;
  readonly slug: string;
  /** The version of the account that the caller holds. */
  readonly held: HeldVersion | undefined;
}

export interface HeldVersion {
  readonly accountId: number;
  readonly history: string;
  readonly revision: number;
}

export interface FreshnessAnswer {
  /**
   * undefined: the token is not live. A live token exists, is neither revoked nor expired, and its account is premium.
   */
  readonly token: LiveToken | undefined;
  /**
   * undefined: the token is not live, or there is no account of that name. Accounts are looked up for live tokens only,
   * because the time that a look-up takes would tell strangers which accounts exist.
   *
   * 'unchanged': the account is at the version that the caller holds. Otherwise it is told as a whole, because the
   * version that is held may be of a past that the database no longer has. At most `MAX_MONTHS + 1` months are told,
   * enough to see that there are too many.
   */
  readonly account: AccountState | 'unchanged' | undefined;
}

export interface LiveToken {
  readonly id: number;
  readonly accountId: number;
  readonly expiresAtMs: number | null;
}

/** A month and the account's revision at which its listing last changed. */
export interface MonthStamp {
  readonly month: Month;
  readonly stamp: number;
}

export interface AccountState {
  readonly account: Account;
  /** Changes when the database is replaced by another one. Revisions can only be compared within one history. */
  readonly history: string;
  readonly revision: number;
  /** Every month that ever had a shift, in ascending order. */
  readonly months: readonly MonthStamp[];
}
