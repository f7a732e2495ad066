/**
 * The stage of an import in PostgreSQL: temporary tables of its transaction. Each table is created when it is first
 * needed, because most imports need few.
 */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { AccountTransaction } from '../import-store.ts';
import type { Table } from '../records.ts';
import type { RecordRow } from '../rows.ts';
import type { Dialect } from '../staging/dialect.ts';
import { STAGED_COLUMNS, type StagedValue } from '../staging/row.ts';
import type { StageDatabase } from '../staging/stage.ts';
import type { TableDefinition } from '../staging/statements.ts';
import { accountTransaction, findAccountVersion } from './account.ts';

const DIALECT: Dialect = {
  temporary: 'pg_temp',
  main: 'shiftfeed',
  types: { position: 'bigint', integer: 'bigint', text: 'text', date: 'date', boolean: 'boolean' },
  parameter: (number) => `$${number}`,
  dayAfter: (date) => `${date} + 1`,
  asText: (date) => `(${date})::text`,
  joinExisting: (table, accountId) =>
    `LEFT JOIN shiftfeed.${table} AS existing ON existing.account_id = ${accountId} AND existing.id = given.id`,
  existing: (_table, name) => `existing.${name}`,
  // Unlike IN, this is fast for any number of ids.
  isAmong: (id, queries) =>
    `(${queries.map((query) => `EXISTS (SELECT 1 FROM (${query}) AS ids WHERE ids.id = ${id})`).join(' OR ') || 'false'})`,
  writesInOrder: false,
  // Triggers run once per statement, so one statement writes everything.
  partOf: () => 'true',
};

/** How many rows are read at a time. */
const READ_AT_ONCE = 10_000;

export class PostgresStage implements StageDatabase {
  readonly dialect = DIALECT;
  readonly #client: PoolClient;
  readonly #made = new Set<string>();
  #cursors = 0;
  #hasMerged = false;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  get hasMerged(): boolean {
    return this.#hasMerged;
  }

  findAccount(slug: string) {
    return findAccountVersion(this.#client, slug);
  }

  async make({ name, columns }: TableDefinition) {
    const isThere = this.#made.has(name);
    await this.#client.query(
      isThere ? `TRUNCATE pg_temp.${name}` : `CREATE TEMP TABLE ${name} (${columns}) ON COMMIT DROP`,
    );
    this.#made.add(name);
  }

  async insert(table: Table, rows: readonly StagedValue[][]) {
    const target = `pg_temp.${table}_given (${STAGED_COLUMNS[table].join(', ')})`;
    await pipeline(Readable.from(batches(rows)), this.#client.query(copyFrom(`COPY ${target} FROM STDIN`)));
  }

  async indexIds(table: Table) {
    await this.#client.query(
      `CREATE INDEX IF NOT EXISTS ${table}_given_by_id ON pg_temp.${table}_given (id)`,
    );
  }

  async analyze(name: string) {
    await this.#client.query(`ANALYZE pg_temp.${name}`);
  }

  async run(statement: string, values: readonly string[] = []) {
    return (await this.#client.query(statement, [...values])).rowCount ?? 0;
  }

  async row(query: string, values: readonly string[] = []): Promise<RecordRow | undefined> {
    return (await this.#client.query(query, [...values])).rows[0];
  }

  async *rows(query: string): AsyncGenerator<readonly RecordRow[]> {
    const cursor = `rows_${++this.#cursors}`;
    await this.#client.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${query}`);
    for (let isEnd = false; !isEnd; ) {
      const { rows } = await this.#client.query(`FETCH ${READ_AT_ONCE} FROM ${cursor}`);
      if (rows.length > 0) yield rows;
      isEnd = rows.length < READ_AT_ONCE;
    }
    await this.#client.query(`CLOSE ${cursor}`);
  }

  async runInParts(statement: string, _lastRow: number, onProgress?: (done: number) => void) {
    const written = await this.run(statement);
    onProgress?.(written);
  }

  /** The triggers report it themselves, and the failed transaction accepts no further queries. */
  isReferenceMissing(): boolean {
    return false;
  }

  async merge(work: (transaction: AccountTransaction) => Promise<void>) {
    await work(accountTransaction(this.#client));
    this.#hasMerged = true;
  }
}

/** Formats rows for COPY, the fastest way to insert, and joins them into pieces that fill a packet. */
function* batches(rows: readonly StagedValue[][]): Generator<string> {
  let batch = '';
  for (const row of rows) {
    batch += `${row.map(copyText).join('\t')}\n`;
    if (batch.length > 64 * 1024) {
      yield batch;
      batch = '';
    }
  }
  yield batch;
}

const NULL = '\\N';
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function copyText(value: StagedValue): string {
  if (value === null) return NULL;
  if (typeof value !== 'string') return String(value);
  return value.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] as string);
}
