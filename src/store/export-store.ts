/**
 * What an export needs of a database.
 */

import type { Account } from './account.ts';
import type { RecordOf, Table } from './records.ts';

export interface ExportStore {
  /**
   * Runs `work` on one state of an account, which does not change until `work` ends. Returns undefined when there is no
   * account with that slug.
   */
  readAccount<Result>(
    slug: string,
    work: (reading: AccountReading) => Promise<Result>,
  ): Promise<Result | undefined>;
}

export interface AccountReading {
  readonly account: Account;
  /** All records of a table, sorted by id. They come in batches, so few are in memory at a time. */
  records<T extends Table>(table: T): AsyncIterable<readonly RecordOf<T>[]>;
}
