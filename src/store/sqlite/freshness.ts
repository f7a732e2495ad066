/**
 * Answers whether tokens are live, and what changed in their accounts.
 *
 * A read-only connection repeats its answers as long as nobody writes to the database. SQLite's `data_version` tells
 * whether somebody did, several times faster than a query. It does not count the connection's own writes. The answer
 * about a token that expires also depends on the time, so each answer has the period for which it is valid.
 */

import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { parseMonth } from '../../listing/calendar.ts';
import {
  type AccountState,
  type FreshnessAnswer,
  type FreshnessQuestion,
  MAX_HELD_MONTHS,
  type MonthStamp,
} from '../feed-store.ts';
import { ACCOUNT_COLUMNS, type AccountRow, accountOf } from '../rows.ts';
import { reading } from './connection.ts';

/** Finds what an account is like, in two steps, because the second takes longer. */
export interface FindState {
  account(slug: string): Omit<AccountState, 'months'> | undefined;
  /** In ascending order, up to a limit. */
  months(accountId: number, maxMonths: number): readonly MonthStamp[];
}

export function makeFindState(database: DatabaseSync, history: string): FindState {
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

export type AnswerAll = (
  questions: readonly FreshnessQuestion[],
  nowMs: number,
) => readonly FreshnessAnswer[];

/** `isReader`: nothing is ever written through this connection. */
export function makeAnswerAll(database: DatabaseSync, find: FindState, isReader: boolean): AnswerAll {
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
    return isHeld ? 'unchanged' : { ...found, months: find.months(account.id, MAX_HELD_MONTHS + 1) };
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

export function repeatUnchanged(database: DatabaseSync, answer: Answer): AnswerAll {
  const dataVersion = database.prepare('PRAGMA data_version');
  dataVersion.setReturnArrays(true);
  const kept = new LRUCache<string, TimedAnswer>({ max: MAX_KEPT_ANSWERS });
  let version: number | undefined;

  function forgetIfChanged(): void {
    const [now] = dataVersion.get() as unknown as [number];
    if (now !== version) kept.clear();
    version = now;
  }

  function find(question: FreshnessQuestion, nowMs: number): FreshnessAnswer | undefined {
    const found = kept.get(keyOf(question));
    return found && found.fromMs <= nowMs && nowMs < found.untilMs ? found.answer : undefined;
  }

  function answerAndKeep(question: FreshnessQuestion, nowMs: number): FreshnessAnswer {
    const answered = answer(question, nowMs);
    kept.set(keyOf(question), answered);
    return answered.answer;
  }

  return (questions, nowMs) => {
    forgetIfChanged();
    const known = questions.map((question) => find(question, nowMs));
    if (known.every((one) => one !== undefined)) return known;
    return reading(database, () => {
      // Somebody may have written since. All answers must come from the state that is read now.
      forgetIfChanged();
      return questions.map((question) => find(question, nowMs) ?? answerAndKeep(question, nowMs));
    });
  };
}

function keyOf({ tokenHash, slug, held }: FreshnessQuestion): string {
  return `${tokenHash}/${held?.accountId}/${held?.revision}/${held?.history}/${slug}`;
}
