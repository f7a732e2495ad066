import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { ExportStore } from '../export-store.ts';
import { COLUMN_NAMES, COLUMNS, type RecordOf, type Table } from '../records.ts';
import { findAccount } from './account.ts';

/** The connection does nothing else during an export. Its transaction does not block writers. */
export function exportStore(database: DatabaseSync): ExportStore {
  return {
    async readAccount(slug, work) {
      database.exec('BEGIN');
      try {
        const account = findAccount(database, slug);
        if (account === undefined) return undefined;
        return await work({ account, records: (table) => recordsById(database, table, account.id) });
      } finally {
        if (database.isTransaction) database.exec('COMMIT');
      }
    },
  };
}

/** How many records are read at a time. */
const READ_AT_ONCE = 1_000;

/** The records of an account, sorted by id, in batches. */
async function* recordsById<T extends Table>(
  database: DatabaseSync,
  table: T,
  accountId: number,
): AsyncGenerator<readonly RecordOf<T>[]> {
  const select = database.prepare(`
    SELECT ${COLUMN_NAMES[table].join(', ')} FROM main.${table} WHERE account_id = ? AND id > ?
    ORDER BY id LIMIT ${READ_AT_ONCE}`);
  select.setReturnArrays(true);
  for (let last = 0; ; ) {
    const rows = select.all(accountId, last) as unknown as SQLOutputValue[][];
    if (rows.length === 0) return;
    const records = rows.map((row) => recordFrom(table, row));
    yield records;
    last = records.at(-1)?.id ?? last;
  }
}

/** Reading rows as arrays is faster than reading them as objects. */
function recordFrom<T extends Table>(table: T, values: readonly SQLOutputValue[]): RecordOf<T> {
  const types: Readonly<Record<string, string>> = COLUMNS[table];
  const record: Record<string, unknown> = {};
  COLUMN_NAMES[table].forEach((name, i) => {
    const value = values[i];
    // Flags are 0 and 1 in SQLite.
    record[name] = types[name] === 'boolean' ? value === 1 : value;
  });
  return record as unknown as RecordOf<T>;
}
