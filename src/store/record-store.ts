/**
 * What the command line needs of a database to list the groups, locations and people of an account, and to change or
 * remove one of them.
 */

import { COLUMN_NAMES, REFERENCES, type RecordOf, type Table } from './records.ts';

export interface RecordStore {
  /** Sorted by id, with the number of shifts of each record. */
  list<T extends ListedTable>(table: T, accountId: number): Promise<readonly Listed<T>[]>;
  /** Returns the changed record, or undefined when the account has none with that id. */
  change<T extends ListedTable>(
    table: T,
    accountId: number,
    id: number,
    changes: Changes<T>,
  ): Promise<RecordOf<T> | undefined>;
  /**
   * Removes a location or a person; its shifts stay, without it. A group is removed only if it has no shifts. Returns
   * undefined when the account has no record with that id.
   */
  remove(table: ListedTable, accountId: number, id: number): Promise<Removal | undefined>;
}

export type ListedTable = Exclude<Table, 'shifts'>;
export type Listed<T extends ListedTable> = RecordOf<T> & { readonly shifts: number };

/** Fields that are left out stay unchanged. */
export type Changes<T extends ListedTable> = Partial<Omit<RecordOf<T>, 'id'>>;

export interface Removal {
  readonly isRemoved: boolean;
  /** How many shifts lost their location or person; for a group, how many shifts it has. */
  readonly shifts: number;
}

/** The column of a shift that refers to a table. */
export function referenceTo(table: ListedTable): string {
  return REFERENCES.find(([, referred]) => referred === table)?.[0] as string;
}

/** The new value of each column except the id, or undefined if it stays unchanged. */
export function valuesByColumn<T extends ListedTable>(
  table: T,
  changes: Changes<T>,
): readonly (readonly [column: string, value: string | boolean | undefined])[] {
  const values = changes as Readonly<Record<string, string | boolean | undefined>>;
  return COLUMN_NAMES[table].filter((name) => name !== 'id').map((name) => [name, values[name]]);
}
