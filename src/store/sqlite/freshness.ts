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
  type AccountChanges,
  type FreshnessAnswer,
  type FreshnessQuestion,
  MAX_HELD_MONTHS,
} from '../feed-store.ts';
import { ACCOUNT_COLUMNS, type AccountRow, accountOf } from '../rows.ts';
import { reading } from './connection.ts';

/** Finds an account, and the months that changed since the held version, up to a limit. */
export type FindChanges = (
  slug: string,
  held: FreshnessQuestion['held'],
  maxMonths: number,
) => AccountChanges | undefined;

export function makeFindChanges(database: DatabaseSync, history: string): FindChanges {
  const account = database.prepare(`SELECT ${ACCOUNT_COLUMNS}, revision FROM accounts WHERE slug = ?`);
  const changedMonths = database.prepare(
    'SELECT month, revision FROM months WHERE account_id = ? AND revision > ? ORDER BY month LIMIT ?',
  );
  const stamps = (accountId: number, since: number, maxMonths: number) =>
    changedMonths
      .all(accountId, since, maxMonths)
      .map((row) => ({ month: parseMonth(String(row.month)), stamp: Number(row.revision) }));

  return (slug, held, maxMonths) => {
    const row = account.get(slug);
    if (row === undefined) return undefined;
    const found = accountOf(row as unknown as AccountRow);
    const revision = Number(row.revision);
    const isContinued = held?.history === history && held.accountId === found.id && held.revision <= revision;
    const since = isContinued ? held.revision : 0;
    const changed = since === revision ? [] : stamps(found.id, since, maxMonths);
    return { account: found, history, revision, since, changed };
  };
}

export type AnswerAll = (
  questions: readonly FreshnessQuestion[],
  nowMs: number,
) => readonly FreshnessAnswer[];

/** `isReader`: nothing is ever written through this connection. */
export function makeAnswerAll(
  database: DatabaseSync,
  findChanges: FindChanges,
  isReader: boolean,
): AnswerAll {
  const answer = makeAnswer(database, findChanges);
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

function makeAnswer(database: DatabaseSync, findChanges: FindChanges): Answer {
  // Expiry is not checked here, because answers are repeated as time goes on.
  const token = database.prepare(`
    SELECT tokens.id, tokens.account_id, tokens.expires_at FROM tokens JOIN accounts ON accounts.id = tokens.account_id
    WHERE tokens.hash = ? AND tokens.revoked_at IS NULL AND accounts.premium`);
  return ({ tokenHash, slug, held }, nowMs) => {
    const row = token.get(tokenHash);
    if (row === undefined) return { answer: NOT_LIVE, ...ALWAYS };
    const expiresAtMs = row.expires_at as number | null;
    if (expiresAtMs !== null && expiresAtMs <= nowMs)
      return { answer: NOT_LIVE, ...ALWAYS, fromMs: expiresAtMs };
    return {
      answer: {
        token: { id: Number(row.id), accountId: Number(row.account_id), expiresAtMs },
        account: findChanges(slug, held, MAX_HELD_MONTHS + 1),
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
