import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PoolClient, QueryResultRow } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { COLUMNS, type RecordOf, type Table } from '../records.ts';
import type { AccountSettings, ImportStore, WriteTransaction } from '../store.ts';
import { ACCOUNT_COLUMNS, type AccountRow, accountOf } from './account.ts';
import type { Connection } from './connection.ts';

export function importStore(connection: Connection): ImportStore {
  return {
    write: (work) => connection.writing((client) => work(writeTransaction(client))),
  };
}

function writeTransaction(client: PoolClient): WriteTransaction {
  return {
    async findAccount(slug) {
      // One at a time, also for an account that is yet to be made: two imports must not complete their records
      // from the same past.
      await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [slug]);
      const { rows } = await client.query<AccountRow>(
        `SELECT ${ACCOUNT_COLUMNS} FROM shiftfeed.accounts WHERE slug = $1 FOR NO KEY UPDATE`,
        [slug],
      );
      return rows[0] && accountOf(rows[0]);
    },

    async saveAccount({ slug, name, premium, timeZone, sort }: AccountSettings) {
      const { rows } = await client.query<{ id: string }>(
        `INSERT INTO shiftfeed.accounts (slug, name, premium, time_zone, sort) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (slug) DO UPDATE SET
          name = excluded.name, premium = excluded.premium, time_zone = excluded.time_zone, sort = excluded.sort
        RETURNING id`,
        [slug, name, premium, timeZone, sort],
      );
      return Number(rows[0]?.id);
    },

    async find(table, accountId, ids) {
      const columns = Object.keys(COLUMNS[table]).map((name) => (isDate(name) ? `${name}::text` : name));
      const { rows } = await client.query(
        `SELECT ${columns.join(', ')} FROM shiftfeed.${table} WHERE account_id = $1 AND id = ANY ($2)`,
        [accountId, ids],
      );
      return new Map(rows.map((row) => [Number(row.id), recordOf(table, row)]));
    },

    async save(table, accountId, records) {
      if (records.length === 0) return;
      const columns = Object.keys(COLUMNS[table]);
      const names = columns.join(', ');
      await stage(
        client,
        `SELECT ${names} FROM shiftfeed.${table}`,
        records.map((record) => Object.values(inOrder(table, record))),
      );
      await client.query(
        `INSERT INTO shiftfeed.${table} (account_id, ${names}) SELECT $1, ${names} FROM pg_temp.staged
        ON CONFLICT (account_id, id) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
        [accountId],
      );
    },

    async removeExcept(table, accountId, keptIds) {
      await stage(
        client,
        `SELECT id FROM shiftfeed.${table}`,
        keptIds.map((id) => [id]),
      );
      const { rowCount } = await client.query(
        `DELETE FROM shiftfeed.${table} WHERE account_id = $1 AND NOT EXISTS (SELECT 1 FROM pg_temp.staged WHERE staged.id = ${table}.id)`,
        [accountId],
      );
      return rowCount ?? 0;
    },
  };
}

/** Fills a temporary table, shaped like `columns`, by COPY: the fastest way in. */
async function stage(
  client: PoolClient,
  columns: string,
  rows: readonly (readonly unknown[])[],
): Promise<void> {
  await client.query(
    `DROP TABLE IF EXISTS pg_temp.staged; CREATE TEMP TABLE staged ON COMMIT DROP AS ${columns} LIMIT 0`,
  );
  const lines = rows.values().map((row) => `${row.map(copyText).join('\t')}\n`);
  await pipeline(Readable.from(batches(lines)), client.query(copyFrom('COPY pg_temp.staged FROM STDIN')));
  await client.query('ANALYZE pg_temp.staged');
}

/** Lines joined to pieces that are worth a packet. */
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

function inOrder<T extends Table>(table: T, record: RecordOf<T>): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(COLUMNS[table]).map((name) => [name, record[name as keyof RecordOf<T>]]),
  );
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
