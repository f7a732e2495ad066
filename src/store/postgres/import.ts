import type { ImportStore } from '../import-store.ts';
import { openStage } from '../staging/stage.ts';
import { accountTransaction } from './account.ts';
import type { Connection } from './connection.ts';
import { PostgresStage } from './import-stage.ts';

export function importStore(connection: Connection): ImportStore {
  return {
    write: (work) => connection.writing((client) => work(accountTransaction(client))),

    // Everything is in one transaction, because temporary tables end with it behind a pooler. It locks nothing of the
    // account before the merge.
    async stage(work) {
      let outcome: { result: Awaited<ReturnType<typeof work>> } | undefined;
      await connection.writing(async (client) => {
        await client.query(FOR_FEW_LONG_STATEMENTS);
        const tables = new PostgresStage(client);
        outcome = { result: await work(openStage(tables)) };
        return tables.hasMerged;
      });
      if (outcome === undefined) throw new Error('the work of a transaction was not done');
      return outcome.result;
    },
  };
}

/**
 * Compiling a comparison of all columns costs more time than it saves, and sorting in memory is faster than on disk.
 */
const FOR_FEW_LONG_STATEMENTS = "SET LOCAL jit = off; SET LOCAL work_mem = '32MB'";
