/** What an export needs of a database. */

import type { Account } from '../account.ts';
import { type Database, selectRecords, type Transaction } from '../database.ts';
import type { RecordOf, Table } from '../records.ts';
import { recordOf } from '../rows.ts';
import { findAccount } from './accounts.ts';
import { selectTokens, type TokenRecord, tokenOf } from './tokens.ts';

export interface AccountReading {
  readonly account: Account;
  /** All records of a table, sorted by id. They come in batches, so few are in memory at a time. */
  records<T extends Table>(table: T): AsyncIterable<readonly RecordOf<T>[]>;
  /** All tokens, the oldest first, in batches. */
  tokens(): AsyncIterable<readonly TokenRecord[]>;
}

export function exportStore(database: Database) {
  return {
    /**
     * Runs `work` on one state of an account, which does not change until `work` ends. Returns undefined when there is no
     * account with that slug.
     */
    readAccount: <Result>(slug: string, work: (reading: AccountReading) => Promise<Result>) =>
      database.reading(async (transaction) => {
        const account = await findAccount(transaction, slug);
        if (account === undefined) return undefined;
        return work({
          account,
          records: (table) => recordsOf(transaction, table, account.id),
          tokens: () => tokensOf(transaction, account.id),
        });
      }),
  };
}

/** All records of an account in a table, sorted by id, in batches. */
export async function* recordsOf<T extends Table>(
  { dialect, batches }: Transaction,
  table: T,
  accountId: number,
): AsyncGenerator<readonly RecordOf<T>[]> {
  for await (const rows of batches(selectRecords(dialect, table, accountId)))
    yield rows.map((row) => recordOf(table, row));
}

async function* tokensOf(
  { dialect, batches }: Transaction,
  accountId: number,
): AsyncGenerator<readonly TokenRecord[]> {
  for await (const rows of batches(selectTokens(dialect, accountId))) yield rows.map((row) => tokenOf(row));
}
