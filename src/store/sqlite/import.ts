import type { DatabaseSync } from 'node:sqlite';
import type { ImportStore } from '../import-store.ts';
import { openStage } from '../staging/stage.ts';
import { accountTransaction } from './account.ts';
import { writing } from './connection.ts';
import { SqliteStage } from './import-stage.ts';
import { goFirst } from './right-of-way.ts';

export function importStore(database: DatabaseSync, path: string): ImportStore {
  return {
    write: (work) =>
      writing(
        database,
        () => work(accountTransaction(database)),
        () => goFirst(database, path, () => database.exec('BEGIN IMMEDIATE')),
      ),

    async stage(work) {
      const tables = new SqliteStage(database, path);
      try {
        return await work(openStage(tables));
      } finally {
        tables.close();
      }
    },
  };
}
