/** What the statements of an import are made from: in what databases differ, and what is known beforehand. */

import type { CompareOptions } from '../import-store.ts';
import type { ColumnType, Table } from '../records.ts';

/** In what databases differ. */
export interface Dialect {
  /** The schemas of temporary tables and of the database. */
  readonly temporary: string;
  readonly main: string;
  readonly types: Readonly<Record<ColumnType | 'position', string>>;
  /** The value of this number, from 1 on. */
  parameter(number: number): string;
  dayAfter(date: string): string;
  asText(date: string): string;
  /** Joins what the account has to what was given. */
  joinExisting(table: Table, accountId: number): string;
  /** A column of an existing record. All are NULL where there is none. */
  existing(table: Table, name: string): string;
  /** Whether an id is among those that the queries select, one of them at least. */
  isAmong(id: string, queries: readonly string[]): string;
  /** Whether rows are written faster in the order of their table. */
  readonly writesInOrder: boolean;
  /** The condition for the part of the rows that a statement is run for. */
  partOf(rows: string): string;
}

/** What is known before a table is compared. */
export interface Situation {
  readonly table: Table;
  readonly options: CompareOptions;
  /** undefined: the account has no such records. */
  readonly accountId: number | undefined;
  /** The tables of which records were added. */
  readonly added: ReadonlySet<Table>;
  /** Whether all records are to be written, in the order in which they were added. Then none is marked. */
  readonly isWrittenAsGiven: boolean;
}
