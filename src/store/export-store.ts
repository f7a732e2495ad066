/**
 * What an export needs of a database.
 */

import type { Account } from './account.ts';
import type { RecordOf, Table } from './records.ts';

export interface ExportStore {
  /**
   * Runs `work` on one state of an account, which stays the same for as long as it takes. Returns undefined when there
   * is no account of that name.
   */
  readAccount<Result>(
    slug: string,
    work: (reading: AccountReading) => Promise<Result>,
  ): Promise<Result | undefined>;
}

export interface AccountReading {
  readonly account: Account;
  /** All records of a table by id, some at a time: however many there are, few are in memory. */
  records<T extends Table>(table: T): AsyncIterable<readonly RecordOf<T>[]>;
}
