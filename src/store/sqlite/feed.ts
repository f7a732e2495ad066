/**
 * The embedded database as a server uses it: read-only, with one connection on the request thread for freshness, and
 * one on each loading thread for reading months.
 */

import type { DatabaseSync } from 'node:sqlite';
import { parseMonth } from '@shiftfeed/common/days';
import { LRUCache } from 'lru-cache';
import { MAX_MONTHS } from '../account.ts';
import { StoreFailure } from '../failure.ts';
import type {
  AccountState,
  FeedStore,
  FreshnessAnswer,
  FreshnessQuestion,
  MonthStamp,
} from '../feed-store.ts';
import { ACCOUNT_COLUMNS, type AccountRow, accountOf } from '../rows.ts';
import type { Store } from '../store.ts';
import { connect, reading } from './connection.ts';
import { explain, explained } from './explain.ts';
import { followFile, isSameFile } from './follow.ts';
import { readMonths } from './months.ts';
import { checkSchema } from './schema.ts';

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
  const inOrder = oneAtATime();
  const find = makeFindState(database, history);
  const answerAll = makeAnswerAll(database, find, isReader);
  const { countDays, readDays } = readMonths(database);
  return {
    async freshness(questions, nowMs) {
      return database.isTransaction
        ? inOrder(async () => answerAll(questions, nowMs))
        : answerAll(questions, nowMs);
    },

    read: (slug, work, wantedHistory = history) =>
      inOrder(async () => {
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

    close: () => inOrder(async () => database.close()),
  };
}

function replacedMeanwhile(): StoreFailure {
  return new StoreFailure('unavailable', 'The database was replaced by another file at this moment.');
}

type InOrder = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Runs asynchronous work one after the other. A connection has one transaction at a time, so no other read may start
 * while one is waiting for something.
 */
function oneAtATime(): InOrder {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const running = last.then(work);
    last = running.catch(() => undefined);
    return running;
  };
}

/** Finds what an account is like, in two steps, because the second takes longer. */
interface FindState {
  account(slug: string): Omit<AccountState, 'months'> | undefined;
  /** In ascending order, up to a limit. */
  months(accountId: number, maxMonths: number): readonly MonthStamp[];
}

function makeFindState(database: DatabaseSync, history: string): FindState {
  const account = database.prepare(`SELECT ${ACCOUNT_COLUMNS}, revision FROM accounts WHERE slug = ?`);
  const months = database.prepare(
    'SELECT month, revision FROM months WHERE account_id = ? ORDER BY month LIMIT ?',
  );
  // Reading rows as arrays takes half as long as reading them as objects.
  months.setReturnArrays(true);
  return {
    account(slug) {
      const row = account.get(slug);
      return (
        row && { account: accountOf(row as unknown as AccountRow), history, revision: Number(row.revision) }
      );
    },
    months(accountId, maxMonths) {
      const rows = months.all(accountId, maxMonths) as unknown as [month: string, revision: number][];
      return rows.map(([month, stamp]) => ({ month: parseMonth(month), stamp }));
    },
  };
}

type AnswerAll = (questions: readonly FreshnessQuestion[], nowMs: number) => readonly FreshnessAnswer[];

/** `isReader`: nothing is ever written through this connection. */
function makeAnswerAll(database: DatabaseSync, find: FindState, isReader: boolean): AnswerAll {
  const answer = makeAnswer(database, find);
  if (isReader) return repeatUnchanged(database, answer);
  return (questions, nowMs) =>
    reading(database, () => questions.map((question) => answer(question, nowMs).answer));
}

/** An answer, and the period for which it is valid; the end is exclusive. */
interface TimedAnswer {
  readonly answer: FreshnessAnswer;
  readonly fromMs: number;
  readonly untilMs: number;
}

type Answer = (question: FreshnessQuestion, nowMs: number) => TimedAnswer;

export const ALWAYS = { fromMs: Number.NEGATIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY };
const NOT_LIVE: FreshnessAnswer = { token: undefined, account: undefined };

function makeAnswer(database: DatabaseSync, find: FindState): Answer {
  // Expiry is not checked here, because answers are repeated as time goes on.
  const token = database.prepare(`
    SELECT tokens.id, tokens.account_id, tokens.expires_at FROM tokens JOIN accounts ON accounts.id = tokens.account_id
    WHERE tokens.hash = ? AND tokens.revoked_at IS NULL AND accounts.premium`);

  function accountNow({ slug, held }: FreshnessQuestion): FreshnessAnswer['account'] {
    const found = find.account(slug);
    if (found === undefined) return undefined;
    const { account, history, revision } = found;
    const isHeld = held?.accountId === account.id && held.history === history && held.revision === revision;
    return isHeld ? 'unchanged' : { ...found, months: find.months(account.id, MAX_MONTHS + 1) };
  }

  return (question, nowMs) => {
    const row = token.get(question.tokenHash);
    if (row === undefined) return { answer: NOT_LIVE, ...ALWAYS };
    const expiresAtMs = row.expires_at as number | null;
    if (expiresAtMs !== null && expiresAtMs <= nowMs)
      return { answer: NOT_LIVE, ...ALWAYS, fromMs: expiresAtMs };
    return {
      answer: {
        token: { id: Number(row.id), accountId: Number(row.account_id), expiresAtMs },
        account: accountNow(question),
      },
      ...ALWAYS,
      untilMs: expiresAtMs ?? ALWAYS.untilMs,
    };
  };
}

const MAX_KEPT_ANSWERS = 1_000;

/**
 * A read-only connection repeats its answers as long as nobody writes to the database. SQLite's `data_version` tells
 * whether somebody did, several times faster than a query. It does not count the connection's own writes. The answer
 * about a token that expires also depends on the time, so each answer has the period for which it is valid.
 */
export function repeatUnchanged(database: DatabaseSync, answer: Answer): AnswerAll {
  const dataVersion = database.prepare('PRAGMA data_version');
  dataVersion.setReturnArrays(true);
  /** The last answer about each token. */
  const kept = new LRUCache<string, TimedAnswer & { readonly question: FreshnessQuestion }>({
    max: MAX_KEPT_ANSWERS,
  });
  let version: number | undefined;

  function forgetIfChanged(): void {
    const [now] = dataVersion.get() as unknown as [number];
    if (now !== version) kept.clear();
    version = now;
  }

  function find(question: FreshnessQuestion, nowMs: number): FreshnessAnswer | undefined {
    const found = kept.get(question.tokenHash);
    if (found === undefined || found.fromMs > nowMs || nowMs >= found.untilMs) return undefined;
    return isSame(found.question, question) ? found.answer : undefined;
  }

  function answerAndKeep(question: FreshnessQuestion, nowMs: number): FreshnessAnswer {
    const answered = answer(question, nowMs);
    kept.set(question.tokenHash, { ...answered, question });
    return answered.answer;
  }

  return (questions, nowMs) => {
    forgetIfChanged();
    const known: FreshnessAnswer[] = [];
    for (const question of questions) {
      const found = find(question, nowMs);
      if (found === undefined) break;
      known.push(found);
    }
    if (known.length === questions.length) return known;
    return reading(database, () => {
      // Somebody may have written since. All answers must come from the state that is read now.
      forgetIfChanged();
      return questions.map((question) => find(question, nowMs) ?? answerAndKeep(question, nowMs));
    });
  };
}

/** Whether two questions about one token are the same. */
function isSame({ slug, held }: FreshnessQuestion, { slug: otherSlug, held: other }: FreshnessQuestion) {
  return (
    slug === otherSlug &&
    held?.accountId === other?.accountId &&
    held?.revision === other?.revision &&
    held?.history === other?.history
  );
}
