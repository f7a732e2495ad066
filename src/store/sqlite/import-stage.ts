/**
 * The stage of an import in SQLite: temporary tables of its connection, in a separate file that takes no lock on the
 * database. A connection keeps them for the next import, because creating and dropping them takes longer than a small
 * import.
 */

import type { DatabaseSync } from 'node:sqlite';
import type { AccountTransaction } from '../import-store.ts';
import type { Table } from '../records.ts';
import type { RecordRow } from '../rows.ts';
import type { Dialect } from '../staging/dialect.ts';
import { STAGED_COLUMNS, type StagedValue } from '../staging/row.ts';
import type { StageDatabase } from '../staging/stage.ts';
import type { TableDefinition } from '../staging/statements.ts';
import { findAccountVersion } from './account.ts';
import { MergeInParts } from './import-merge.ts';
import { giveBackLog } from './log.ts';

const DIALECT: Dialect = {
  temporary: 'temp',
  main: 'main',
  types: {
    position: 'INTEGER PRIMARY KEY',
    integer: 'INTEGER',
    text: 'TEXT',
    date: 'TEXT',
    boolean: 'INTEGER',
  },
  parameter: (number) => `?${number}`,
  dayAfter: (date) => `date(${date}, '+1 day')`,
  asText: (date) => date,
  // Most shifts stay on their date, so looking them up by date and id takes one search. Looking them up by id takes
  // two.
  joinExisting: (table, accountId) =>
    table === 'shifts'
      ? `LEFT JOIN main.shifts AS existing
          ON existing.account_id = ${accountId} AND existing.date = given.date AND existing.id = given.id
        LEFT JOIN main.shifts AS moved
          ON moved.account_id = ${accountId} AND moved.id = CASE WHEN existing.id IS NULL THEN given.id END`
      : `LEFT JOIN main.${table} AS existing ON existing.account_id = ${accountId} AND existing.id = given.id`,
  existing: (table, name) =>
    table === 'shifts' ? `coalesce(existing.${name}, moved.${name})` : `existing.${name}`,
  isAmong: (id, queries) => (queries.length === 0 ? 'false' : `(${id} IN (${queries.join(' UNION ')}))`),
  writesInOrder: true,
  partOf: (rows) => `${rows}.rowid BETWEEN ?1 AND ?2`,
};

/** How many rows are read at a time. */
const READ_AT_ONCE = 1_000;
/** With more rows, dropping a temporary table is faster than emptying it, and frees its space. */
const FEW_ROWS = 5_000;
/** SQLite's code for a row that breaks a foreign key. */
const FOREIGN_KEY_BROKEN = 787;

export class SqliteStage implements StageDatabase {
  readonly dialect = DIALECT;
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #merging: MergeInParts;
  #rows = 0;

  constructor(database: DatabaseSync, path: string) {
    this.#database = database;
    this.#path = path;
    this.#merging = new MergeInParts(database, path);
  }

  async findAccount(slug: string) {
    return findAccountVersion(this.#database, slug);
  }

  async make({ name, columns }: TableDefinition) {
    this.#database.exec(`CREATE TEMP TABLE IF NOT EXISTS ${name} (${columns}); DELETE FROM temp.${name}`);
  }

  async insert(table: Table, rows: readonly StagedValue[][]) {
    const columns = STAGED_COLUMNS[table];
    const insert = this.#database.prepare(
      `INSERT INTO temp.${table}_given (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    );
    this.#together(() => {
      for (const row of rows) insert.run(...row);
    });
    this.#rows += rows.length;
  }

  async indexIds(table: Table) {
    this.#database.exec(`CREATE INDEX IF NOT EXISTS temp.${table}_given_by_id ON ${table}_given (id)`);
  }

  /** Not needed: the statements leave SQLite's planner no choice. */
  async analyze() {}

  async run(statement: string, values: readonly string[] = []) {
    this.#merging.giveWayIfAsked();
    return Number(this.#database.prepare(statement).run(...values).changes);
  }

  async row(query: string, values: readonly string[] = []): Promise<RecordRow | undefined> {
    return this.#database.prepare(query).get(...values);
  }

  async *rows(query: string): AsyncGenerator<readonly RecordRow[]> {
    let some: RecordRow[] = [];
    for (const row of this.#database.prepare(query).iterate()) {
      some.push(row);
      if (some.length < READ_AT_ONCE) continue;
      yield some;
      some = [];
    }
    if (some.length > 0) yield some;
  }

  async runInParts(statement: string, lastRow: number, onProgress?: (done: number) => void) {
    this.#merging.runInParts(statement, lastRow, onProgress);
  }

  isReferenceMissing(error: unknown): boolean {
    return (error as { errcode?: number }).errcode === FOREIGN_KEY_BROKEN;
  }

  merge(work: (transaction: AccountTransaction) => Promise<void>, rows: number): Promise<void> {
    return this.#merging.merge(work, rows);
  }

  close(): void {
    const tables = this.#database.prepare("SELECT name FROM temp.sqlite_schema WHERE type = 'table'").all();
    const empty = this.#rows > FEW_ROWS ? 'DROP TABLE' : 'DELETE FROM';
    this.#together(() => {
      for (const { name } of tables) this.#database.exec(`${empty} temp.${name}`);
    });
    if (this.#merging.hasBegun) giveBackLog(this.#database, this.#path);
  }

  /**
   * Runs `work` in one transaction, unless there is one already. One transaction per row would take longer than the row
   * itself.
   */
  #together(work: () => void): void {
    const isWithin = this.#database.isTransaction;
    if (!isWithin) this.#database.exec('BEGIN');
    try {
      work();
      if (!isWithin) this.#database.exec('COMMIT');
    } finally {
      if (!isWithin && this.#database.isTransaction) this.#database.exec('ROLLBACK');
    }
  }
}
