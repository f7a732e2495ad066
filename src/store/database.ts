/**
 * A database as those statements see it that are written once for both: how to run them, and the few phrases in which
 * the databases differ.
 */

import { COLUMNS, type ColumnType, type Table } from './records.ts';

export interface Queries {
  readonly dialect: Dialect;
  /**
   * Runs a statement with the values of its parameters, $1 and so on, and returns its rows. Integers are numbers; flags
   * may be 0 and 1.
   */
  all<Row = RecordRow>(statement: string, values?: readonly Value[]): Promise<readonly Row[]>;
}

export interface Transaction extends Queries {
  /** The rows of a query in batches, so that few are in memory at a time. */
  batches(query: string): AsyncIterable<readonly RecordRow[]>;
}

export interface Database extends Queries {
  /** Runs `read` on one state of the data. */
  reading<T>(read: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** Runs `work` in a transaction that is committed, unless `work` fails or its result is not to be kept. */
  writing<T>(work: (transaction: Transaction) => Promise<T>, isKept?: (result: T) => boolean): Promise<T>;
}

export type Value = number | string | boolean | Uint8Array | null | undefined;

/** Values by the names of their columns. */
export type RecordRow = Readonly<Record<string, unknown>>;

/** How databases differ. */
export interface Dialect {
  /** The schemas of temporary tables and of the database. */
  readonly temporary: string;
  readonly main: string;
  readonly types: Readonly<Record<ColumnType | 'position', string>>;
  dayAfter(date: string): string;
  /** YYYY-MM */
  monthOf(date: string): string;
  asText(date: string): string;
  /** The time in milliseconds, by the clock of the database. */
  readonly nowMs: string;
  /** The collation that compares bytes. */
  readonly bytewise: string;
  /** Locks the rows of a query until the transaction ends, unless the transaction has locked everything. */
  locked(query: string, strength: 'UPDATE' | 'NO KEY UPDATE'): string;
  /** Locks the slug that is its parameter, even if no account has it; undefined if everything is locked anyway. */
  readonly lockSlug: string | undefined;
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

/** The columns that `recordOf` in rows.ts reads, each from an expression. */
export function selectedColumns(
  dialect: Dialect,
  table: Table,
  expression: (name: string) => string = (name) => name,
  prefix = '',
): string {
  return Object.entries(COLUMNS[table])
    .map(([name, type]) => {
      const value = expression(name);
      return `${type === 'date' ? dialect.asText(value) : value} AS ${prefix}${name}`;
    })
    .join(', ');
}

/** The records of an account, sorted by id. */
export function selectRecords(dialect: Dialect, table: Table, accountId: number, condition = ''): string {
  return `SELECT ${selectedColumns(dialect, table)} FROM ${dialect.main}.${table}
    WHERE account_id = ${accountId} ${condition} ORDER BY ${table}.id`;
}
