import type { DatabaseSync } from 'node:sqlite';
import type { ExportStore } from '../export-store.ts';
import type { RecordOf, Table } from '../records.ts';
import { findAccount } from './account.ts';
import { recordsById } from './record.ts';

/** The connection does nothing else meanwhile. Its transaction keeps nobody from writing. */
export function exportStore(database: DatabaseSync): ExportStore {
  async function* records<T extends Table>(
    table: T,
    accountId: number,
  ): AsyncGenerator<readonly RecordOf<T>[]> {
    yield* recordsById(database, table, accountId);
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
