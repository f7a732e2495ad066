/**
 * The stage of an import: temporary tables of its transaction. Each table has up to three: what the document has, what is to be
 * written, and the ids to be removed. Each is made when it is first needed, because most imports need few.
 */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PoolClient, QueryResultRow } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { AccountTransaction, MergeTransaction, Stage } from '../import-store.ts';
import { COLUMN_NAMES, COLUMNS, type RecordOf, type StagedRecord, type Table } from '../records.ts';
import { ACCOUNT_COLUMNS, type AccountRow, accountOf } from '../rows.ts';

/** How many records are compared at a time. */
const CHUNK_SIZE = 10_000;

export function openStage(
  client: PoolClient,
  accounts: AccountTransaction,
): Stage & { hasMerged(): boolean } {
  /** The temporary tables that there are. */
  const made = new Set<string>();
  const countsOfGiven = new Map<Table, number>();
  let isMerged = false;

  async function make(name: string, definition: string): Promise<void> {
    if (made.has(name)) return;
    await client.query(`CREATE TEMP TABLE ${name} ${definition}`);
    made.add(name);
  }

  const transaction: MergeTransaction = {
    ...accounts,

    async save(table, accountId, onProgress) {
      if (!made.has(`${table}_to_write`)) return;
      const columns = COLUMN_NAMES[table];
      await client.query(`ANALYZE pg_temp.${table}_to_write`);
      const { rowCount } = await client.query(
        `INSERT INTO shiftfeed.${table} (account_id, ${columns.join(', ')})
        SELECT $1, ${columns.join(', ')} FROM pg_temp.${table}_to_write
        ON CONFLICT (account_id, id) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
        [accountId],
      );
      onProgress?.(rowCount ?? 0);
    },

    async remove(table, accountId) {
      if (!made.has(`${table}_to_remove`)) return;
      await client.query(
        `DELETE FROM shiftfeed.${table} WHERE account_id = $1 AND id IN (SELECT id FROM pg_temp.${table}_to_remove)`,
        [accountId],
      );
    },
  };

  return {
    async add(table, records) {
      await make(
        `${table}_given`,
        '(position bigint NOT NULL, id bigint, record text NOT NULL, first_position bigint) ON COMMIT DROP',
      );
      const start = countsOfGiven.get(table) ?? 0;
      await copy(
        client,
        `${table}_given`,
        records.map((record, i) => [start + i, record.id ?? null, JSON.stringify(record), null]),
      );
      countsOfGiven.set(table, start + records.length);
    },

    async findRepeated(table) {
      if (!made.has(`${table}_given`)) return;
      // There are many shifts, and they are never looked up by id.
      if (table !== 'shifts') await client.query(`CREATE INDEX ON pg_temp.${table}_given (id)`);
      await client.query(`ANALYZE pg_temp.${table}_given`);
      await client.query(
        `UPDATE pg_temp.${table}_given AS given SET first_position = first_one.position
        FROM (SELECT id, min(position) AS position FROM pg_temp.${table}_given GROUP BY id HAVING count(*) > 1) AS first_one
        WHERE given.id = first_one.id AND given.position > first_one.position`,
      );
    },

    async findAccount(slug) {
      const { rows } = await client.query<AccountRow & { revision: string }>(
        `SELECT ${ACCOUNT_COLUMNS}, revision FROM shiftfeed.accounts WHERE slug = $1`,
        [slug],
      );
      return rows[0] && { ...accountOf(rows[0]), revision: Number(rows[0].revision) };
    },

    async *compare(table, accountId = 0) {
      if (!made.has(`${table}_given`)) return;
      const columns = COLUMN_NAMES[table].map((name) => `existing.${name}${isDate(name) ? '::text' : ''}`);
      await client.query(
        `DECLARE compared NO SCROLL CURSOR FOR
        SELECT given.position, given.first_position, given.record, ${columns.join(', ')} FROM pg_temp.${table}_given AS given
        LEFT JOIN shiftfeed.${table} AS existing ON existing.account_id = ${accountId} AND existing.id = given.id
        ORDER BY given.position`,
      );
      for (;;) {
        const { rows } = await client.query(`FETCH ${CHUNK_SIZE} FROM compared`);
        if (rows.length === 0) break;
        yield rows.map((row) => ({
          position: Number(row.position),
          firstPosition: row.first_position === null ? undefined : Number(row.first_position),
          given: JSON.parse(row.record) as StagedRecord<typeof table>,
          existing: row.id === null ? undefined : recordOf(table, row),
        }));
      }
      await client.query('CLOSE compared');
    },

    async lookUp(table, accountId = 0, ids) {
      const idsOf = async (text: string, values: unknown[]) =>
        new Set((await client.query<{ id: string }>(text, values)).rows.map(({ id }) => Number(id)));
      const added = made.has(`${table}_given`)
        ? await idsOf(`SELECT id FROM pg_temp.${table}_given WHERE id = ANY ($1)`, [ids])
        : new Set<number>();
      const inDatabase = await idsOf(
        `SELECT id FROM shiftfeed.${table} WHERE account_id = $1 AND id = ANY ($2)`,
        [accountId, ids],
      );
      return { added, inDatabase };
    },

    async forget(table) {
      for (const name of [`${table}_to_write`, `${table}_to_remove`]) {
        if (made.has(name)) await client.query(`TRUNCATE pg_temp.${name}`);
      }
    },

    async keep(table, changes) {
      if (changes.length === 0) return;
      await make(
        `${table}_to_write`,
        `ON COMMIT DROP AS SELECT ${COLUMN_NAMES[table].join(', ')} FROM shiftfeed.${table} LIMIT 0`,
      );
      await copy(
        client,
        `${table}_to_write`,
        changes.map(({ after }) => valuesOf(table, after)),
      );
    },

    async keepAbsent(table, accountId = 0) {
      await make(`${table}_to_remove`, '(id bigint NOT NULL) ON COMMIT DROP');
      const isAbsent = made.has(`${table}_given`)
        ? `NOT EXISTS (SELECT 1 FROM pg_temp.${table}_given AS given WHERE given.id = existing.id)`
        : 'true';
      const { rowCount } = await client.query(
        `INSERT INTO pg_temp.${table}_to_remove SELECT id FROM shiftfeed.${table} AS existing WHERE account_id = $1 AND ${isAbsent}`,
        [accountId],
      );
      return rowCount ?? 0;
    },

    async merge(work) {
      await work(transaction);
      isMerged = true;
    },

    hasMerged: () => isMerged,
  };
}

/** Fills a temporary table by COPY: the fastest way in. */
async function copy(client: PoolClient, name: string, rows: readonly (readonly unknown[])[]): Promise<void> {
  const lines = rows.values().map((row) => `${row.map(copyText).join('\t')}\n`);
  await pipeline(Readable.from(batches(lines)), client.query(copyFrom(`COPY pg_temp.${name} FROM STDIN`)));
}

/** Joins lines into pieces that fill a packet. */
function* batches(lines: Iterable<string>): Generator<string> {
  let batch = '';
  for (const line of lines) {
    batch += line;
    if (batch.length > 64 * 1024) {
      yield batch;
      batch = '';
    }
  }
  yield batch;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A value in COPY's text format. */
function copyText(value: unknown): string {
  return value === null
    ? '\\N'
    : String(value).replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] as string);
}

function valuesOf<T extends Table>(table: T, record: RecordOf<T>): unknown[] {
  return COLUMN_NAMES[table].map((name) => record[name]);
}

function recordOf<T extends Table>(table: T, row: QueryResultRow): RecordOf<T> {
  const entries = Object.entries(COLUMNS[table]).map(([name, type]) => {
    const value = row[name];
    return [name, type === 'integer' && value !== null ? Number(value) : value];
  });
  return Object.fromEntries(entries);
}

function isDate(column: string): boolean {
  return column === 'date' || column.endsWith('_date');
}
