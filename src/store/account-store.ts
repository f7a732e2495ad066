/**
 * What the command line needs of a database to look into an account and to change it.
 */

import type { GroupRecord, RecordOf, Table } from './records.ts';

export interface AccountStore {
  /** All of one state. Without the account's date of today, nobody knows what is unpublished. */
  describeAccount(accountId: number, today?: string): Promise<AccountContents>;
  /** By id, with the number of shifts of each. */
  list<T extends ListedTable>(table: T, accountId: number): Promise<readonly Listed<T>[]>;
  /** Returns the group as it is then, or undefined when the account has none of that id. */
  changeGroup(accountId: number, id: number, changes: GroupChanges): Promise<GroupRecord | undefined>;
  /** Nobody else may have that slug. */
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
  /** Those that have shifts, in ascending order. */
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

export type ListedTable = Exclude<Table, 'shifts'>;
export type Listed<T extends ListedTable> = RecordOf<T> & { readonly shifts: number };

/** What is left out stays. */
export type GroupChanges = Partial<Omit<GroupRecord, 'id'>>;

/** The column of a shift that refers to each table. */
export const REFERENCES = {
  groups: 'group_id',
  locations: 'location_id',
  people: 'person_id',
} as const satisfies Record<ListedTable, string>;
