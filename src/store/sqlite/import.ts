import type { DatabaseSync } from 'node:sqlite';
import type { ImportStore } from '../import-store.ts';
import { accountTransaction } from './account.ts';
import { writing } from './connection.ts';
import { goFirst } from './right-of-way.ts';
import { openStage } from './stage.ts';

export function importStore(database: DatabaseSync, path: string): ImportStore {
  return {
    write: (work) =>
      writing(
        database,
        () => work(accountTransaction(database)),
        () => goFirst(database, path, () => database.exec('BEGIN IMMEDIATE')),
      ),

    async stage(work) {
      const stage = openStage(database, path);
      try {
        return await work(stage);
      } finally {
        stage.close();
      }
    },
  };
}
