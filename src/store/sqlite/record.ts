/** Rows of SQLite → records. */

import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { COLUMN_NAMES, COLUMNS, type RecordOf, type Table } from '../records.ts';

export function recordOf<T extends Table>(
  table: T,
  row: Readonly<Record<string, SQLOutputValue>>,
): RecordOf<T> {
  return recordFrom(
    table,
    COLUMN_NAMES[table].map((name) => row[name] as SQLOutputValue),
    0,
  );
}

/** From the values of a row that begin there: rows of values are read faster than rows by name. */
export function recordFrom<T extends Table>(
  table: T,
  values: readonly SQLOutputValue[],
  start: number,
): RecordOf<T> {
  const types: Readonly<Record<string, string>> = COLUMNS[table];
  const record: Record<string, unknown> = {};
  COLUMN_NAMES[table].forEach((name, i) => {
    const value = values[start + i];
    // Flags are 0 and 1 in SQLite.
    record[name] = types[name] === 'boolean' ? value === 1 : value;
  });
  return record as unknown as RecordOf<T>;
}

/** How many records are read at a time. */
const READ_AT_ONCE = 1_000;

/** Those of an account by id, some at a time. The condition begins with AND. */
export function* recordsById<T extends Table>(
  database: DatabaseSync,
  table: T,
  accountId: number,
  condition = '',
): Generator<readonly RecordOf<T>[]> {
  const select = database.prepare(`
    SELECT ${COLUMN_NAMES[table].join(', ')} FROM main.${table} WHERE account_id = ? AND id > ? ${condition}
    ORDER BY id LIMIT ${READ_AT_ONCE}`);
  select.setReturnArrays(true);
  for (let last = 0; ; ) {
    const rows = select.all(accountId, last) as unknown as SQLOutputValue[][];
    if (rows.length === 0) return;
    const records = rows.map((row) => recordFrom(table, row, 0));
    yield records;
    last = records.at(-1)?.id ?? last;
  }
}
