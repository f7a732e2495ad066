/**
 * The embedded database as a server uses it: read-only, with one connection on the request thread for freshness, and
 * one on each loading thread for reading months.
 */

import type { DatabaseSync } from 'node:sqlite';
import { StoreFailure } from '../failure.ts';
import type { FeedStore } from '../feed-store.ts';
import type { Store } from '../store.ts';
import { connect } from './connection.ts';
import { explain, explained } from './explain.ts';
import { followFile, isSameFile } from './follow.ts';
import { makeAnswerAll, makeFindState } from './freshness.ts';
import { readMonths } from './months.ts';
import { checkSchema } from './schema.ts';
import { takeTurns } from './turns.ts';

/** Always reads the file that is currently at the path. */
export function openSqliteReader(path: string): FeedStore & Pick<Store, 'close'> {
  const file = explained(path, () => followFile(path, (history) => openFile(path, history)));
  return {
    mayLag: false,
    async freshness(questions, nowMs) {
      try {
        return await file.lately().freshness(questions, nowMs);
      } catch (error) {
        throw explain(path, error);
      }
    },
    async read(slug, work, history) {
      try {
        return await file.now().read(slug, work, history);
      } catch (error) {
        throw explain(path, error);
      }
    },
    close: async () => file.close(),
  };
}

function openFile(path: string, history: string): Omit<FeedStore, 'mayLag'> & { close(): Promise<void> } {
  const database = connect(path, 'reader');
  try {
    checkSchema(database, path);
    return feedStore(database, { history, isReader: true });
  } catch (error) {
    database.close();
    throw explain(path, error);
  }
}

export interface FeedStoreOptions {
  readonly history: string;
  /** Whether nothing is ever written through this connection. */
  readonly isReader: boolean;
}

/** SQLite's own value. */
const NO_LIMIT = -1;

export function feedStore(
  database: DatabaseSync,
  { history, isReader }: FeedStoreOptions,
): Omit<FeedStore, 'mayLag'> & { close(): Promise<void> } {
  const inTurn = takeTurns();
  const find = makeFindState(database, history);
  const answerAll = makeAnswerAll(database, find, isReader);
  const { countDays, readDays } = readMonths(database);
  return {
    async freshness(questions, nowMs) {
      return database.isTransaction
        ? inTurn(async () => answerAll(questions, nowMs))
        : answerAll(questions, nowMs);
    },

    read: (slug, work, wantedHistory = history) =>
      inTurn(async () => {
        if (!isSameFile(wantedHistory, history)) throw replacedMeanwhile();
        database.exec('BEGIN');
        try {
          const found = find.account(slug);
          if (found === undefined) return undefined;
          const { account } = found;
          return await work({
            state: { ...found, history: wantedHistory, months: find.months(account.id, NO_LIMIT) },
            countDays: async (queries) => countDays(account.id, queries),
            shifts: async (range) => readDays(account.id, range),
          });
        } finally {
          // SQLite ends the transaction by itself after some errors.
          if (database.isTransaction) database.exec('COMMIT');
        }
      }),

    close: () => inTurn(async () => database.close()),
  };
}

function replacedMeanwhile(): StoreFailure {
  return new StoreFailure('unavailable', 'The database was replaced by another file at this moment.');
}
