import type { SQLOutputValue } from 'node:sqlite';
import { COLUMNS, type RecordOf, type Table } from '../records.ts';

/** Flags are 0 and 1 in SQLite. */
export function recordOf<T extends Table>(
  table: T,
  row: Readonly<Record<string, SQLOutputValue>>,
): RecordOf<T> {
  const entries = Object.entries(COLUMNS[table]).map(([name, type]) => [
    name,
    type === 'boolean' ? row[name] === 1 : row[name],
  ]);
  return Object.fromEntries(entries);
}
