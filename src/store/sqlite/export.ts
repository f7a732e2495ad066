import type { DatabaseSync } from 'node:sqlite';
import type { ExportStore } from '../export-store.ts';
import { COLUMN_NAMES, type RecordOf, type Table } from '../records.ts';
import { findAccount } from './account.ts';
import { recordOf } from './record.ts';

const READ_AT_ONCE = 1_000;

/** The connection does nothing else meanwhile. Its transaction keeps nobody from writing. */
export function exportStore(database: DatabaseSync): ExportStore {
  async function* records<T extends Table>(
    table: T,
    accountId: number,
  ): AsyncGenerator<readonly RecordOf<T>[]> {
    const select = database.prepare(
      `SELECT ${COLUMN_NAMES[table].join(', ')} FROM ${table}
      WHERE account_id = ? AND id > ? ORDER BY id LIMIT ${READ_AT_ONCE}`,
    );
    for (let lastId = 0; ; ) {
      const found = select.all(accountId, lastId).map((row) => recordOf(table, row));
      if (found.length === 0) return;
      yield found;
      lastId = found.at(-1)?.id ?? lastId;
    }
  }

  return {
    async readAccount(slug, work) {
      database.exec('BEGIN');
      try {
        const account = findAccount(database, slug);
        if (account === undefined) return undefined;
        return await work({ account, records: (table) => records(table, account.id) });
      } finally {
        if (database.isTransaction) database.exec('COMMIT');
      }
    },
  };
}
