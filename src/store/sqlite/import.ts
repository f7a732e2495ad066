import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { COLUMNS, type RecordOf, type Table } from '../records.ts';
import type { AccountSettings, ImportStore, WriteTransaction } from '../store.ts';
import { findAccount } from './account.ts';
import { writing } from './connection.ts';

export function importStore(database: DatabaseSync): ImportStore {
  return {
    write: (work) => writing(database, () => work(writeTransaction(database))),
  };
}

function writeTransaction(database: DatabaseSync): WriteTransaction {
  return {
    findAccount: async (slug) => findAccount(database, slug),

    async saveAccount({ slug, name, premium, timeZone, sort }: AccountSettings) {
      const row = database
        .prepare(
          `INSERT INTO accounts (slug, name, premium, time_zone, sort) VALUES (?, ?, ?, ?, ?)
          ON CONFLICT (slug) DO UPDATE SET
            name = excluded.name, premium = excluded.premium, time_zone = excluded.time_zone, sort = excluded.sort
          RETURNING id`,
        )
        .get(slug, name, premium ? 1 : 0, timeZone, sort);
      return Number(row?.id);
    },

    async find(table, accountId, ids) {
      const columns = Object.keys(COLUMNS[table]).join(', ');
      const select = database.prepare(`SELECT ${columns} FROM ${table} WHERE account_id = ? AND id = ?`);
      const found = new Map<number, RecordOf<typeof table>>();
      for (const id of ids) {
        const row = select.get(accountId, id);
        if (row !== undefined) found.set(id, recordOf(table, row));
      }
      return found;
    },

    // Rows go to a bare temporary table first and from there to their place in one statement: several
    // times faster than a statement a row, because each statement with triggers opens a journal of its own.
    async save(table, accountId, records) {
      const columns = Object.keys(COLUMNS[table]);
      stage(
        database,
        columns,
        records.map((record) => valuesOf(table, record)),
      );
      database
        .prepare(
          `INSERT INTO ${table} (account_id, ${columns.join(', ')})
          SELECT ?, * FROM temp.staged WHERE true ORDER BY ${table === 'shifts' ? 'date, id' : 'id'}
          ON CONFLICT (account_id, id) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
        )
        .run(accountId);
    },

    async removeExcept(table, accountId, keptIds) {
      stage(
        database,
        ['id'],
        keptIds.map((id) => [id]),
      );
      const { changes } = database
        .prepare(`DELETE FROM ${table} WHERE account_id = ? AND id NOT IN (SELECT id FROM temp.staged)`)
        .run(accountId);
      return Number(changes);
    },
  };
}

function stage(database: DatabaseSync, columns: readonly string[], rows: readonly SQLInputValue[][]): void {
  database.exec(`DROP TABLE IF EXISTS temp.staged; CREATE TEMP TABLE staged (${columns.join(', ')})`);
  const insert = database.prepare(`INSERT INTO temp.staged VALUES (${columns.map(() => '?').join(', ')})`);
  for (const row of rows) insert.run(...row);
}

function valuesOf<T extends Table>(table: T, record: RecordOf<T>): SQLInputValue[] {
  return Object.keys(COLUMNS[table]).map((name) => {
    const value = record[name as keyof RecordOf<T>];
    return (typeof value === 'boolean' ? Number(value) : value) as SQLInputValue;
  });
}

function recordOf<T extends Table>(table: T, row: Record<string, SQLOutputValue>): RecordOf<T> {
  const entries = Object.entries(COLUMNS[table]).map(([name, type]) => [
    name,
    type === 'boolean' ? row[name] === 1 : row[name],
  ]);
  return Object.fromEntries(entries);
}
