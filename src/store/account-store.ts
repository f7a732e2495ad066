/**
 * What the command line needs of a database to find accounts, to look into one, and to rename or remove it.
 */

import type { Account } from './account.ts';

export interface AccountStore {
  /** All accounts, sorted by slug. */
  accounts(): Promise<readonly Account[]>;
  findAccount(slug: string): Promise<Account | undefined>;
  /**
   * Reads everything from one state of the data. Without `today`, the date in the account's time zone, the number of
   * unpublished shifts is unknown.
   */
  describeAccount(accountId: number, today?: string): Promise<AccountContents>;
  /** The slug must not belong to another account. */
  renameAccount(accountId: number, slug: string): Promise<void>;
  /** Removes the account with everything that belongs to it. */
  removeAccount(accountId: number): Promise<void>;
}

export interface AccountContents {
  readonly revision: number;
  readonly groups: number;
  readonly inactiveGroups: number;
  readonly locations: number;
  readonly people: number;
  readonly tokens: number;
  readonly shifts: number;
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  /** When the last import succeeded; null if there was none. */
  readonly lastImportedAtMs: number | null;
  /** The months that have shifts, in ascending order. */
  readonly months: readonly MonthContents[];
}

export interface MonthContents {
  /** YYYY-MM */
  readonly month: string;
  readonly shifts: number;
  /** Shifts without a person. */
  readonly open: number;
  readonly unpublished: number | null;
  /** Shifts that the API never lists, because their group is not active. */
  readonly unlisted: number;
}
