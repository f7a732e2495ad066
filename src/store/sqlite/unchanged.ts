/**
 * Repeats answers for as long as nobody writes to the database. SQLite's `data_version` tells whether somebody did,
 * several times faster than a query. It does not count the connection's own writes, so this is for connections that
 * only read. An answer about a token that expires changes with time alone, so each answer says for which time it is
 * right.
 */

import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { FreshnessAnswer, FreshnessQuestion } from '../feed-store.ts';
import { reading } from './connection.ts';

const MAX_KEPT_ANSWERS = 1_000;

/** An answer, and the time for which it is right: from one instant until just before the other. */
export interface TimedAnswer {
  readonly answer: FreshnessAnswer;
  readonly fromMs: number;
  readonly untilMs: number;
}

export const ALWAYS = { fromMs: Number.NEGATIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY };

export function repeatUnchanged(
  database: DatabaseSync,
  answer: (question: FreshnessQuestion, nowMs: number) => TimedAnswer,
): (questions: readonly FreshnessQuestion[], nowMs: number) => readonly FreshnessAnswer[] {
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
      // Somebody may have written since. All answers must be of the state that is read now.
      forgetIfChanged();
      return questions.map((question) => find(question, nowMs) ?? answerAndKeep(question, nowMs));
    });
  };
}

function keyOf({ tokenHash, slug, held }: FreshnessQuestion): string {
  return `${tokenHash}/${held?.accountId}/${held?.revision}/${held?.history}/${slug}`;
}
