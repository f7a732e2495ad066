/**
 * Keeps a snapshot of each account up to date. The freshness question asks the database: is this token live, which
 * account is this, and if it is no longer at the held revision, what is it like now?
 */

import { SLUG } from '../../store/account.ts';
import { isAway, type StoreFailure } from '../../store/failure.ts';
import type { FeedStore, FreshnessAnswer, LiveToken } from '../../store/feed-store.ts';
import { batch, type Timers } from '../waiting.ts';
import {
  type AccountSnapshot,
  holdSnapshots,
  keepLastAnswers,
  type LastAnswers,
  type Snapshots,
  type SnapshotsOptions,
} from './snapshots.ts';

export interface FreshnessCheck
  extends Pick<Snapshots, 'keep'>,
    Partial<Pick<LastAnswers, 'shown' | 'whole' | 'lastWhole'>> {
  /** Asks the database, in one query with all other waiting requests. */
  check(tokenHash: string, slug: string): Promise<Freshness>;
  /**
   * The same for those who are in no hurry: no request waits for their query. `seen` is what they know of the account, if
   * nobody else remembers it.
   */
  checkAside(tokenHash: string, slug: string, seen?: AccountSnapshot): Promise<Freshness>;
  /** Throws when no listing can be answered at the moment, with or without the database. */
  checkHealth(): Promise<void>;
  /** How many batches of questions the database was asked so far, and how many of them failed. */
  counts(): { queries: number; failures: number };
}

export interface Freshness {
  readonly token: LiveToken | undefined;
  readonly snapshot: AccountSnapshot | undefined;
  /** How old the answer is, when the database could not be asked. */
  readonly staleMs: number | undefined;
}

/** Proof that a live token of the account was shown, with the account's state at that moment. */
export interface Access {
  /** Both identify the token without revealing it; operators know it by its id. */
  readonly tokenHash: string;
  readonly tokenId: number;
  readonly expiresAtMs: number | null;
  readonly snapshot: AccountSnapshot;
  /** The age of the snapshot, if the database could not be asked. */
  readonly staleMs: number | undefined;
  readonly nowMs: number;
}

export interface FreshnessCheckOptions extends SnapshotsOptions {
  readonly store: FeedStore;
  /** For how long an answer may be repeated while the database cannot be asked. */
  readonly staleIfErrorMs: number;
  /** Called with the state after a change, if it may have to be repeated. */
  readonly onChanged?: ((snapshot: AccountSnapshot) => void) | undefined;
  /** Called with the reason for which an answer is repeated, and without one whenever the database has answered. */
  readonly onBridging?: ((reason: StoreFailure | undefined) => void) | undefined;
  /** How long a question waits at most. */
  readonly deadlineMs: number;
  readonly timers?: Timers | undefined;
}

export function makeFreshnessCheck(options: FreshnessCheckOptions): FreshnessCheck {
  const { clock, staleIfErrorMs } = options;
  const snapshots = holdSnapshots({
    ...options,
    onReplaced(accountId) {
      lastAnswers?.forget(accountId);
      options.onReplaced(accountId);
    },
  });
  const lastAnswers = staleIfErrorMs > 0 ? keepLastAnswers(staleIfErrorMs, clock, snapshots) : undefined;
  const asking = askTogether(options);
  const askingAside = askTogether(options);

  async function check(
    tokenHash: string,
    path: string,
    { ask } = asking,
    seen?: AccountSnapshot,
  ): Promise<Freshness> {
    // A text that cannot be a slug names no account, so the database need not see it.
    const slug = SLUG.test(path) ? path : '';
    const held = snapshots.get(slug) ?? seen;
    try {
      const question: Question = { tokenHash, slug, held, place: 0 };
      const answers = await ask(question);
      const answer = answers[question.place];
      const snapshot = snapshotAfter(slug, held, answer?.account);
      lastAnswers?.keep(`${tokenHash}/${slug}`, answer?.token, snapshot);
      options.onBridging?.(undefined);
      return { token: answer?.token, snapshot, staleMs: undefined };
    } catch (error) {
      if (!isAway(error)) throw error;
      const last = lastAnswers?.find(`${tokenHash}/${slug}`);
      if (last === undefined) throw error;
      options.onBridging?.(error);
      return last;
    }
  }

  function snapshotAfter(
    slug: string,
    held: AccountSnapshot | undefined,
    account: FreshnessAnswer['account'],
  ): AccountSnapshot | undefined {
    if (account === 'unchanged') return held && snapshots.confirm(held);
    const snapshot = account && snapshots.update(slug, held, account);
    if (lastAnswers && held && snapshot && follows(snapshot, held)) options.onChanged?.(snapshot);
    return snapshot;
  }

  async function checkHealth(): Promise<void> {
    try {
      await check('', '');
    } catch (error) {
      if (!isAway(error) || !lastAnswers?.canBridge(asking.answeredMs())) throw error;
    }
  }

  return {
    ...lastAnswers,
    check,
    checkAside: (tokenHash, path, seen) => check(tokenHash, path, askingAside, seen),
    checkHealth,
    keep: snapshots.keep,
    counts() {
      const [{ queries, failures }, aside] = [asking.counts(), askingAside.counts()];
      return { queries: queries + aside.queries, failures: failures + aside.failures };
    },
  };
}

function follows(after: AccountSnapshot, before: AccountSnapshot): boolean {
  return (
    after.history === before.history &&
    after.account.id === before.account.id &&
    after.revision > before.revision
  );
}

interface Question {
  readonly tokenHash: string;
  readonly slug: string;
  readonly held: AccountSnapshot | undefined;
  /** Where its answer is among those of its batch. Set when the batch is asked. */
  place: number;
}

/** Callers with the same question at the same moment share it, and all questions of a moment share a query. */
function askTogether({ store, clock, deadlineMs, timers }: FreshnessCheckOptions) {
  let queries = 0;
  let failures = 0;
  let answeredMs = Number.NEGATIVE_INFINITY;

  const ask = batch(
    async (questions: readonly Question[]) => {
      queries++;
      const asked = placeAll(questions).map(({ tokenHash, slug, held }) => ({
        tokenHash,
        slug,
        held: held && { accountId: held.account.id, history: held.history, revision: held.revision },
      }));
      const answers = await store.freshness(asked, clock()).catch((error: unknown) => {
        failures++;
        throw error;
      });
      answeredMs = clock();
      return answers;
    },
    { deadlineMs, timers },
  );

  return { ask, answeredMs: () => answeredMs, counts: () => ({ queries, failures }) };
}

/** Gives the same place to the same questions. Returns one of each. */
function placeAll(questions: readonly Question[]): Question[] {
  const distinct: Question[] = [];
  const byToken = new Map<string, Map<string, Question>>();
  for (const question of questions) {
    const { tokenHash, slug, held } = question;
    const bySlug = byToken.get(tokenHash) ?? new Map<string, Question>();
    const earlier = bySlug.get(slug);
    if (earlier !== undefined && earlier.held === held) {
      question.place = earlier.place;
      continue;
    }
    question.place = distinct.push(question) - 1;
    byToken.set(tokenHash, bySlug.set(slug, question));
  }
  return distinct;
}
