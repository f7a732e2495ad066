/**
 * Lets callers who wait at the same moment share one question. A question is asked only after it was
 * handed in and never answered from an earlier round: that keeps answers fresh. While one round is
 * under way the next gathers, so at any load there is at most one round at a time.
 *
 * When answers stay out, nobody waits without end and no queue grows without end: a round has a deadline,
 * it takes a limited number of questions, and after a failure there is a breath before the next.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { StoreFailure } from '../store/failure.ts';

const MAX_QUESTIONS_PER_ROUND = 10_000;
const PAUSE_AFTER_FAILURE_MS = 50;
/** Past this number, accounts that ask at the same moment may have more than one round under way. */
const MAX_SHARING_ACCOUNTS = 1_000;

export interface ShareOptions {
  /** How long a question waits at most, the round before its own included. */
  readonly deadlineMs: number;
  readonly pauseAfterFailureMs?: number;
}

export function share<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<Answer>,
  { deadlineMs, pauseAfterFailureMs = PAUSE_AFTER_FAILURE_MS }: ShareOptions,
): (question: Question) => Promise<Answer> {
  let gathering: Round<Question, Answer> | undefined;
  let underWay = false;

  async function askRounds(): Promise<void> {
    while (gathering !== undefined) {
      const round = gathering;
      gathering = undefined;
      // A question that is never answered must not hold up the ones after it: the round ends with its deadline.
      Promise.try(ask, round.questions).then(round.resolve, round.reject);
      const succeeded = await round.promise.then(
        () => true,
        () => false,
      );
      clearTimeout(round.deadline);
      if (!succeeded) await pause(pauseAfterFailureMs, undefined, { ref: false });
    }
    underWay = false;
  }

  function newRound(): Round<Question, Answer> {
    // Requests that arrive together are read in one turn of the event loop: wait for its end.
    if (!underWay) setImmediate(askRounds);
    underWay = true;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const deadline = setTimeout(() => {
      if (gathering?.promise === promise) gathering = undefined;
      reject(tooSlow());
    }, deadlineMs);
    return { questions: [], promise, resolve, reject, deadline };
  }

  return async (question) => {
    gathering ??= newRound();
    if (gathering.questions.length >= MAX_QUESTIONS_PER_ROUND) throw tooMany();
    gathering.questions.push(question);
    return gathering.promise;
  };
}

/** The same for each account by itself: a slow one does not hold up another. */
export function shareByAccount<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<Answer>,
  options: ShareOptions,
): (accountId: number, question: Question) => Promise<Answer> {
  const shares = new LRUCache<number, (question: Question) => Promise<Answer>>({ max: MAX_SHARING_ACCOUNTS });
  return (accountId, question) => {
    const known = shares.get(accountId);
    if (known !== undefined) return known(question);
    const shared = share(ask, options);
    shares.set(accountId, shared);
    return shared(question);
  };
}

interface Round<Question, Answer> extends PromiseWithResolvers<Answer> {
  readonly questions: Question[];
  readonly deadline: NodeJS.Timeout;
}

function tooSlow(): StoreFailure {
  return new StoreFailure('unavailable', 'The database took too long to answer.');
}

function tooMany(): StoreFailure {
  return new StoreFailure('unavailable', 'Too many requests wait for the database.');
}
