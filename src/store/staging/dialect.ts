/** The inputs to the statements of an import: how databases differ, and what is known beforehand. */

import type { CompareOptions } from '../import-store.ts';
import type { ColumnType, Table } from '../records.ts';

/** How databases differ. */
export interface Dialect {
  /** The schemas of temporary tables and of the database. */
  readonly temporary: string;
  readonly main: string;
  readonly types: Readonly<Record<ColumnType | 'position', string>>;
  /** The placeholder of the parameter with this number, from 1 on. */
  parameter(number: number): string;
  dayAfter(date: string): string;
  asText(date: string): string;
  /** Joins the records of the account to those of the document. */
  joinExisting(table: Table, accountId: number): string;
  /** A column of an existing record, or NULL if there is none. */
  existing(table: Table, name: string): string;
  /** Whether an id is in the result of at least one of the queries. */
  isAmong(id: string, queries: readonly string[]): string;
  /** Whether rows are written faster in the order of their table. */
  readonly writesInOrder: boolean;
  /** The condition that limits a statement to one part of the rows. */
  partOf(rows: string): string;
}

/** What is known before a table is compared. */
export interface Situation {
  readonly table: Table;
  readonly options: CompareOptions;
  /** undefined: the account has no such records. */
  readonly accountId: number | undefined;
  /** The tables to which records were added. */
  readonly added: ReadonlySet<Table>;
  /** Whether all records are to be written, in the order in which they were added, so that none needs a mark. */
  readonly isWrittenAsGiven: boolean;
}
