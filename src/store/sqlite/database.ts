/** SQLite as the statements see it that are written once for both databases. */

import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Database, Dialect, Queries, RecordRow, Transaction, Value } from '../database.ts';
import { oneAtATime, oneState, writing } from './connection.ts';
import { explain, explainErrors } from './explain.ts';
import { goFirst } from './right-of-way.ts';

export const DIALECT: Dialect = {
  temporary: 'temp',
  main: 'main',
  types: {
    position: 'INTEGER PRIMARY KEY',
    integer: 'INTEGER',
    text: 'TEXT',
    date: 'TEXT',
    boolean: 'INTEGER',
  },
  dayAfter: (date) => `date(${date}, '+1 day')`,
  monthOf: (date) => `substr(${date}, 1, 7)`,
  asText: (date) => date,
  nowMs: "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)",
  bytewise: 'BINARY',
  locked: (query) => query,
  lockSlug: undefined,
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
  partOf: (rows) => `${rows}.rowid BETWEEN $1 AND $2`,
};

/** How many rows are read at a time. */
const READ_AT_ONCE = 1_000;

/** The transaction of the connection, which the caller begins and ends. */
export function transactionOn(database: DatabaseSync): Transaction {
  return {
    dialect: DIALECT,
    async all<Row>(statement: string, values?: readonly Value[]) {
      return allOf<Row>(prepare(database, statement), values);
    },
    async *batches(query) {
      let some: RecordRow[] = [];
      for (const row of database.prepare(query).iterate()) {
        some.push(row);
        if (some.length < READ_AT_ONCE) continue;
        yield some;
        some = [];
      }
      if (some.length > 0) yield some;
    },
  };
}

/** With parameters as SQLite writes them. */
export function prepare(database: DatabaseSync, statement: string) {
  return database.prepare(statement.replaceAll(/\$(\d+)/g, '?$1'));
}

function allOf<Row>(prepared: StatementSync, values?: readonly Value[]): Row[] {
  // Rows have no prototype, unlike objects elsewhere.
  return prepared.all(...bound(values)).map((row) => ({ ...row })) as Row[];
}

/** After so many rows, or so long, everybody else has a turn: a process that serves many has one thread. */
const ROWS_IN_A_STEP = 200;
const STEP_MS = 3;

async function allInSteps<Row>(prepared: StatementSync, values?: readonly Value[]): Promise<Row[]> {
  const rows: Row[] = [];
  let startMs = performance.now();
  for (const row of prepared.iterate(...bound(values))) {
    rows.push({ ...row } as Row);
    if (rows.length % ROWS_IN_A_STEP > 0 && performance.now() - startMs < STEP_MS) continue;
    await turn();
    startMs = performance.now();
  }
  // Many short queries are a long one.
  await turn();
  return rows;
}

/** SQLite has no booleans. */
export function bound(values: readonly Value[] = []): (number | string | Uint8Array | null)[] {
  return values.map((value) => (typeof value === 'boolean' ? Number(value) : (value ?? null)));
}

/** Writes go before a long import. */
export function databaseOn(database: DatabaseSync, path: string): Database {
  const transaction = transactionOn(database);
  const inOrder = oneAtATime();
  const port: Omit<Database, 'dialect'> = {
    async all<Row>(statement: string, values?: readonly Value[]) {
      const prepared = prepare(database, statement);
      // Within a transaction of somebody else, it would be rolled back with that.
      return inOrder((leave) =>
        statement.startsWith('SELECT')
          ? allInSteps<Row>(prepared, values)
          : goFirst(database, path, () => allOf<Row>(prepared, values), leave),
      );
    },
    reading: (read) =>
      inOrder(async () => {
        using _reading = oneState(database);
        return await read(transaction);
      }),
    writing: (work, isKept) =>
      inOrder((leave) =>
        writing(
          database,
          () => work(transaction),
          isKept,
          () => goFirst(database, path, () => database.exec('BEGIN IMMEDIATE'), leave),
        ),
      ),
  };
  return { dialect: DIALECT, ...explainErrors(path, port) };
}

/**
 * For a server. Opens the file anew, because it may have been replaced, and never creates it. The request thread is
 * blocked meanwhile, so this waits neither for locks nor, as a rule, for the disk: a power cut may lose the write.
 */
export async function once<T>(
  path: string,
  mode: 'ro' | 'rw',
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  const url = pathToFileURL(path);
  url.searchParams.set('mode', mode);
  try {
    using database = new DatabaseSync(url, { timeout: 0 });
    database.exec('PRAGMA synchronous = NORMAL');
    return await work(transactionOn(database));
  } catch (error) {
    throw explain(path, error);
  }
}
