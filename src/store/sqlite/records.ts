import type { DatabaseSync } from 'node:sqlite';
import {
  type Changes,
  type ListedTable,
  type RecordStore,
  type Removal,
  referenceTo,
  valuesByColumn,
} from '../record-store.ts';
import { recordOf } from '../rows.ts';
import { writing } from './connection.ts';
import { goFirst } from './right-of-way.ts';

export function recordStore(database: DatabaseSync, path: string): RecordStore {
  return {
    async list(table, accountId) {
      const select = database.prepare(`
        SELECT *, (SELECT count(*) FROM shifts WHERE account_id = record.account_id AND ${referenceTo(table)} = record.id) AS shifts
        FROM ${table} AS record WHERE account_id = ? ORDER BY id`);
      return select.all(accountId).map((row) => ({ ...recordOf(table, row), shifts: Number(row.shifts) }));
    },

    async change<T extends ListedTable>(table: T, accountId: number, id: number, changes: Changes<T>) {
      const columns = valuesByColumn(table, changes);
      const update = database.prepare(`
        UPDATE ${table} SET ${columns.map(([name]) => `${name} = coalesce(?, ${name})`).join(', ')}
        WHERE account_id = ? AND id = ? RETURNING *`);
      const values = columns.map(([, value]) =>
        typeof value === 'boolean' ? Number(value) : (value ?? null),
      );
      const row = goFirst(database, path, () => update.get(...values, accountId, id));
      return row && recordOf(table, row);
    },

    async remove(table, accountId, id) {
      let removal: Removal | undefined;
      await writing(
        database,
        async () => {
          removal = removeRecord(database, table, [accountId, id]);
          return removal?.isRemoved ?? false;
        },
        () => goFirst(database, path, () => database.exec('BEGIN IMMEDIATE')),
      );
      return removal;
    },
  };
}

function removeRecord(
  database: DatabaseSync,
  table: ListedTable,
  key: readonly [accountId: number, id: number],
): Removal | undefined {
  const isRecord = 'WHERE account_id = ? AND id = ?';
  if (database.prepare(`SELECT 1 FROM ${table} ${isRecord}`).get(...key) === undefined) return undefined;
  const ofShifts = `WHERE account_id = ? AND ${referenceTo(table)} = ?`;
  if (table === 'groups') {
    const row = database.prepare(`SELECT count(*) AS shifts FROM shifts ${ofShifts}`).get(...key);
    if (Number(row?.shifts) > 0) return { isRemoved: false, shifts: Number(row?.shifts) };
  }
  const shifts =
    table === 'groups'
      ? 0
      : database.prepare(`UPDATE shifts SET ${referenceTo(table)} = NULL ${ofShifts}`).run(...key).changes;
  database.prepare(`DELETE FROM ${table} ${isRecord}`).run(...key);
  return { isRemoved: true, shifts: Number(shifts) };
}
