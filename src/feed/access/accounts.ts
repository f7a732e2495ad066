/**
 * Keeps a snapshot of each account in memory, and keeps it current by the freshness question: is this token live, which
 * account is this, and which months changed since the revision that is held?
 */

import { LRUCache } from 'lru-cache';
import { isTemporary, StoreFailure } from '../../store/failure.ts';
import type { AccountChanges, FeedStore, FreshnessAnswer, LiveToken } from '../../store/feed-store.ts';
import { SLUG } from '../../store/slug.ts';
import type { Clock } from '../clock.ts';
import { type AccountSnapshot, applyChanges, isReplaced, sizeOfSnapshot } from './account-snapshot.ts';
import { batch } from './batch.ts';

export interface Accounts {
  /** Asks the database, together with every other request that waits. */
  checkFreshness(tokenHash: string, slug: string): Promise<Freshness>;
  /** Throws when no listing could be answered now, with the database or without it. */
  checkHealth(): Promise<void>;
  /** Keeps a snapshot that was read in another way, unless a newer one is held. */
  keep(snapshot: AccountSnapshot): void;
  /** Whether a snapshot is of the history that is held of its account, or nothing is held. */
  isCurrentHistory(snapshot: AccountSnapshot): boolean;
  /** How many batches of questions the database was asked so far, and how many of them failed. */
  counts(): { queries: number; failures: number };
}

export interface Freshness {
  readonly token: LiveToken | undefined;
  readonly snapshot: AccountSnapshot | undefined;
  /** How old the answer is, when the database could not be asked. */
  readonly staleMs: number | undefined;
}

export interface AccountsOptions {
  readonly store: FeedStore;
  readonly clock: Clock;
  readonly budgetBytes: number;
  /** For how long an answer may be repeated while the database cannot be asked. */
  readonly staleIfErrorMs: number;
  /** How long a question waits at most. */
  readonly deadlineMs: number;
  /** Called when the data of an account was replaced: nothing in memory of it holds any more. */
  readonly onReplaced: (accountId: number) => void;
}

interface Question {
  readonly key: string;
  readonly tokenHash: string;
  readonly slug: string;
  readonly held: AccountSnapshot | undefined;
}

interface LastAnswer {
  readonly token: LiveToken;
  readonly snapshot: AccountSnapshot;
  readonly atMs: number;
}

const MAX_KEPT_ANSWERS = 10_000;
/** A replica that lags catches up sooner than this. What is still old by then is a restored backup. */
const RESTORED_AFTER_MS = 10_000;

export function keepAccounts(options: AccountsOptions): Accounts {
  const { store, clock, budgetBytes, staleIfErrorMs, deadlineMs, onReplaced } = options;
  const snapshots = new LRUCache<string, AccountSnapshot>({
    maxSize: budgetBytes,
    sizeCalculation: sizeOfSnapshot,
  });
  const lastAnswers = new LRUCache<string, LastAnswer>({ max: MAX_KEPT_ANSWERS });
  /** Since when the database has answered with an older state than is held, by slug. */
  const lagsSince = new LRUCache<string, number>({ max: MAX_KEPT_ANSWERS });
  let queries = 0;
  let failures = 0;
  /** When the database answered last. */
  let answeredMs = Number.NEGATIVE_INFINITY;

  const askInBatch = batch(
    async (questions: readonly Question[]) => {
      queries++;
      const distinct = [...new Map(questions.map((question) => [question.key, question])).values()];
      const asked = distinct.map(({ tokenHash, slug, held }) => ({
        tokenHash,
        slug,
        held: held && { accountId: held.account.id, history: held.history, revision: held.revision },
      }));
      const answers = await store.freshness(asked, clock()).catch((error: unknown) => {
        failures++;
        throw error;
      });
      answeredMs = clock();
      return new Map(distinct.map((question, i) => [question.key, answers[i] as FreshnessAnswer]));
    },
    { deadlineMs },
  );

  async function checkHealth(): Promise<void> {
    try {
      await checkFreshness('', '');
    } catch (error) {
      const isBridged = isTemporary(error) && clock() - answeredMs <= staleIfErrorMs;
      if (!isBridged || lastAnswers.size === 0) throw error;
    }
  }

  async function checkFreshness(tokenHash: string, path: string): Promise<Freshness> {
    // What cannot be a slug names no account; databases need not see it.
    const slug = SLUG.test(path) ? path : '';
    const held = snapshots.get(slug);
    const answerKey = `${tokenHash}/${slug}`;
    const key = `${answerKey}/${held?.account.id}/${held?.revision}/${held?.history}`;
    try {
      const answer = (await askInBatch({ key, tokenHash, slug, held })).get(key);
      const snapshot = answer?.account && update(slug, held, answer.account);
      if (staleIfErrorMs > 0) keepAnswer(answerKey, answer?.token, snapshot);
      return { token: answer?.token, snapshot, staleMs: undefined };
    } catch (error) {
      return repeatAnswer(answerKey, error);
    }
  }

  /** What no longer exists is dropped at once, so that it does not come back while the database is away. */
  function keepAnswer(
    key: string,
    token: LiveToken | undefined,
    snapshot: AccountSnapshot | undefined,
  ): void {
    if (token === undefined || snapshot === undefined) lastAnswers.delete(key);
    else lastAnswers.set(key, { token, snapshot, atMs: clock() });
  }

  /**
   * The last answer, if it may still be repeated, with the newest snapshot that is held. Otherwise throws the error.
   */
  function repeatAnswer(key: string, error: unknown): Freshness {
    const last = lastAnswers.get(key);
    if (last === undefined || !isTemporary(error)) throw error;
    const staleMs = clock() - last.atMs;
    if (staleMs > staleIfErrorMs || !isCurrentHistory(last.snapshot)) throw error;
    const held = snapshots.peek(last.snapshot.account.slug);
    const isNewer = held?.account.id === last.snapshot.account.id && held.revision > last.snapshot.revision;
    return { token: last.token, snapshot: isNewer ? held : last.snapshot, staleMs };
  }

  /** `asked` is the snapshot that was held when the question was asked. */
  function update(
    slug: string,
    asked: AccountSnapshot | undefined,
    changes: AccountChanges,
  ): AccountSnapshot {
    const isUnchanged =
      asked?.revision === changes.revision &&
      asked.history === changes.history &&
      asked.account.id === changes.account.id;
    if (isUnchanged && snapshots.peek(slug) === asked) return asked;
    if (asked !== undefined && isReplaced(asked, changes)) {
      if (asked.account.id === changes.account.id) refuseLag(slug);
      snapshots.delete(slug);
      onReplaced(asked.account.id);
      onReplaced(changes.account.id);
      return kept(applyChanges(undefined, changes));
    }
    lagsSince.delete(slug);
    // Another answer may have come in since: a newer snapshot includes all that this request must see.
    const present = snapshots.get(slug);
    const isNewer = present?.history === changes.history && present.revision >= changes.since;
    return kept(applyChanges(isNewer ? present : asked, changes));
  }

  /**
   * Refuses an answer that is older than an earlier one, where a replica may have given it: nobody is shown the past
   * after the present. If the database stays that old, it was restored from a backup.
   */
  function refuseLag(slug: string): void {
    const nowMs = clock();
    const sinceMs = lagsSince.get(slug) ?? nowMs;
    if (!store.mayLag || nowMs - sinceMs >= RESTORED_AFTER_MS) {
      lagsSince.delete(slug);
      return;
    }
    lagsSince.set(slug, sinceMs);
    throw olderThanHeld();
  }

  function isCurrentHistory({ account, history }: AccountSnapshot): boolean {
    const held = snapshots.peek(account.slug);
    return held === undefined || held.history === history;
  }

  function keep(snapshot: AccountSnapshot): void {
    if (!isCurrentHistory(snapshot)) return;
    const { slug } = snapshot.account;
    const held = snapshots.peek(slug);
    if (held?.account.id !== snapshot.account.id || held.revision < snapshot.revision)
      snapshots.set(slug, snapshot);
  }

  function kept(snapshot: AccountSnapshot): AccountSnapshot {
    keep(snapshot);
    return snapshot;
  }

  return { checkFreshness, checkHealth, keep, isCurrentHistory, counts: () => ({ queries, failures }) };
}

/** For an answer that lacks what was seen already. */
export function olderThanHeld(): StoreFailure {
  return new StoreFailure('unavailable', 'The database answered with an older state than it did before.');
}
