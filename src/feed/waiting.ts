/** How the feed waits. Every wait has a deadline, and those who wait for the same share the work. */

import { LRUCache } from 'lru-cache';
import { StoreFailure } from '../store/failure.ts';

/** Milliseconds since 1970. Always passed in, so that tests decide what time it is. */
export type Clock = () => number;

/** Runs functions later. A simulation passes its own, to decide the order. */
export interface Timers {
  /** Runs at the end of this turn of the event loop. */
  soon(run: () => void): void;
  /** Runs after a delay, unless the returned function is called before. */
  after(delayMs: number, run: () => void): () => void;
}

export const EVENT_LOOP: Timers = {
  soon: (run) => void setImmediate(run),
  after(delayMs, run) {
    const timeout = setTimeout(run, delayMs);
    return () => clearTimeout(timeout);
  },
};

/** Fails once the deadline has passed. What comes of the work later is dropped. */
export function withDeadline<T>(work: Promise<T>, deadlineMs: number, timers = EVENT_LOOP): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const forgetDeadline = timers.after(deadlineMs, () => reject(tooSlow()));
  work.finally(forgetDeadline).then(resolve, reject);
  return promise;
}

function tooSlow(): StoreFailure {
  return new StoreFailure('unavailable', 'The database took too long to answer.');
}

const MAX_QUESTIONS_PER_BATCH = 10_000;
const PAUSE_AFTER_FAILURE_MS = 50;
/** Beyond this number of accounts at the same moment, an account may have more than one running batch. */
const MAX_BATCHED_ACCOUNTS = 1_000;

export interface BatchOptions {
  /** How long a question may wait, including the time for the batch before its own. */
  readonly deadlineMs: number;
  readonly pauseAfterFailureMs?: number;
  readonly timers?: Timers | undefined;
}

/**
 * Batches questions: callers who wait at the same moment share one query. An answer is always as fresh as if each had
 * asked alone, because a question is never answered by a batch that began before it was asked. One batch runs at a
 * time, and the next one gathers meanwhile, and for a turn of the event loop longer: who was just answered often asks
 * again at once. Without that turn, 16 such clients would fall into two groups that never share a batch.
 *
 * Every caller has a deadline and every batch a limited size. After a failure there is a pause before the next batch.
 */
export function batch<Question, Answer>(
  askAll: (questions: readonly Question[]) => Promise<Answer>,
  { deadlineMs, pauseAfterFailureMs = PAUSE_AFTER_FAILURE_MS, timers = EVENT_LOOP }: BatchOptions,
): (question: Question) => Promise<Answer> {
  let gathering: Batch<Question, Answer> | undefined;
  let isRunning = false;

  async function runBatches(): Promise<void> {
    while (gathering !== undefined) {
      const current = gathering;
      gathering = undefined;
      // A batch that is never answered ends at its deadline, so that the next one can run.
      Promise.try(askAll, current.questions).then(current.resolve, current.reject);
      const succeeded = await current.promise.then(
        () => true,
        () => false,
      );
      current.forgetDeadline();
      if (!succeeded) await new Promise<void>((resume) => timers.after(pauseAfterFailureMs, resume));
      else if (gathering !== undefined) await nextTurn();
    }
    isRunning = false;
  }

  function nextTurn(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    timers.soon(() => timers.soon(resolve));
    return promise;
  }

  function startGathering(): Batch<Question, Answer> {
    // Requests that arrive together are read in one turn of the event loop, so wait for the end of that turn.
    if (!isRunning) timers.soon(runBatches);
    isRunning = true;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const forgetDeadline = timers.after(deadlineMs, () => {
      if (gathering?.promise === promise) gathering = undefined;
      reject(tooSlow());
    });
    return { questions: [], promise, resolve, reject, forgetDeadline };
  }

  return (question) => {
    gathering ??= startGathering();
    if (gathering.questions.length >= MAX_QUESTIONS_PER_BATCH) return Promise.reject(tooMany());
    gathering.questions.push(question);
    return gathering.promise;
  };
}

/** The same, separately for each account: a slow account does not delay another. */
export function batchByAccount<Question, Answer>(
  askAll: (questions: readonly Question[]) => Promise<Answer>,
  options: BatchOptions,
): (accountId: number, question: Question) => Promise<Answer> {
  const batches = new LRUCache<number, (question: Question) => Promise<Answer>>({
    max: MAX_BATCHED_ACCOUNTS,
  });
  return (accountId, question) => {
    const present = batches.get(accountId);
    if (present !== undefined) return present(question);
    const ask = batch(askAll, options);
    batches.set(accountId, ask);
    return ask(question);
  };
}

interface Batch<Question, Answer> extends PromiseWithResolvers<Answer> {
  readonly questions: Question[];
  forgetDeadline(): void;
}

function tooMany(): StoreFailure {
  return new StoreFailure('unavailable', 'Too many requests wait for the database.');
}
