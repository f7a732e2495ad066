/** PostgreSQL as the statements see it that are written once for both databases. */

import { type CustomTypesConfig, type PoolClient, types } from 'pg';
import type { Database, Dialect, Transaction, Value } from '../database.ts';
import type { Ask, Connection } from './connection.ts';

export const DIALECT: Dialect = {
  temporary: 'pg_temp',
  main: 'shiftfeed',
  types: { position: 'bigint', integer: 'bigint', text: 'text', date: 'date', boolean: 'boolean' },
  dayAfter: (date) => `${date} + 1`,
  monthOf: (date) => `to_char(${date}, 'YYYY-MM')`,
  asText: (date) => `(${date})::text`,
  // Not now(), which is the start of the transaction: that also covers reading the document.
  nowMs: 'floor(extract(epoch FROM clock_timestamp()) * 1000)',
  bytewise: '"C"',
  locked: (query, strength) => `${query} FOR ${strength}`,
  lockSlug: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
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
const READ_AT_ONCE = 5_000;

export function databaseOn(connection: Connection): Database {
  return {
    dialect: DIALECT,
    all: (text, values = []) => connection.ask({ text, values: [...values], types: WITH_NUMBERS }),
    reading: (read) => connection.reading((ask) => read(transactionBy(ask))),
    writing: (work, isKept) => connection.writing((client) => work(transactionOn(client)), isKept),
  };
}

/** Where single questions may take as long as a transaction, once the server has shown that it does not hang. */
export function patientDatabaseOn(connection: Connection): Database {
  const database = databaseOn(connection);
  return { ...database, all: (text, values) => database.writing(({ all }) => all(text, values)) };
}

/** The transaction of the client, which the caller begins and ends. */
export function transactionOn(client: PoolClient): Transaction {
  return transactionBy(
    async <Row>(question: Parameters<Ask>[0]) => (await client.query(question)).rows as Row[],
  );
}

function transactionBy(ask: Ask): Transaction {
  let cursors = 0;
  return {
    dialect: DIALECT,
    all: <Row>(text: string, values: readonly Value[] = []) =>
      ask<Row>({ text, values: [...values], types: WITH_NUMBERS }),
    async *batches(query) {
      const cursor = `rows_${++cursors}`;
      await ask({ text: `DECLARE ${cursor} NO SCROLL CURSOR FOR ${query}` });
      for (let isEnd = false; !isEnd; ) {
        const rows = await ask<Record<string, unknown>>({
          text: `FETCH ${READ_AT_ONCE} FROM ${cursor}`,
          types: WITH_NUMBERS,
        });
        if (rows.length > 0) yield rows;
        isEnd = rows.length < READ_AT_ONCE;
      }
      await ask({ text: `CLOSE ${cursor}` });
    },
  };
}

/** The driver turns big integers into text. Ours are all in the safe range. */
const WITH_NUMBERS: CustomTypesConfig = {
  getTypeParser: ((id: number, format: 'text') =>
    id === types.builtins.INT8 ? Number : types.getTypeParser(id, format)) as typeof types.getTypeParser,
};
