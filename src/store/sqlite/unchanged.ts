/**
 * Repeats answers for as long as nobody writes to the database: whether somebody did, SQLite tells several times faster
 * than it answers. It does not count what a connection writes itself, so this is for connections that only read.
 */

import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { Answer, Question } from '../store.ts';
import { reading } from './connection.ts';

const MAX_KEPT_ANSWERS = 1_000;

export function repeatUnchanged(
  database: DatabaseSync,
  answer: (question: Question) => Answer,
): (questions: readonly Question[]) => readonly Answer[] {
  const dataVersion = database.prepare('PRAGMA data_version');
  dataVersion.setReturnArrays(true);
  const kept = new LRUCache<string, Answer>({ max: MAX_KEPT_ANSWERS });
  let version: number | undefined;

  function forgetIfChanged(): void {
    const [now] = dataVersion.get() as unknown as [number];
    if (now !== version) kept.clear();
    version = now;
  }

  const find = (question: Question) => kept.get(keyOf(question));

  function answerAndKeep(question: Question): Answer {
    const answered = answer(question);
    kept.set(keyOf(question), answered);
    return answered;
  }

  return (questions) => {
    forgetIfChanged();
    const known = questions.map(find);
    if (known.every((one) => one !== undefined)) return known;
    return reading(database, () => {
      // Somebody may have written since: all answers are to be of the state that is read now.
      forgetIfChanged();
      return questions.map((question) => find(question) ?? answerAndKeep(question));
    });
  };
}

function keyOf({ tokenHash, slug, known }: Question): string {
  return `${tokenHash}/${known?.accountId}/${known?.revision}/${slug}`;
}
