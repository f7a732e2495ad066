/**
 * What the feed holds of each account, kept current by the freshness question: is this token live, which
 * account is this, and which months changed since the revision held here?
 */

import { LRUCache } from 'lru-cache';
import { StoreFailure } from '../store/failure.ts';
import { SLUG } from '../store/slug.ts';
import type { AccountChanges, Answer, FeedStore, TokenFacts } from '../store/store.ts';
import { advance, type Holding, isRestarted, sizeOfHolding } from './holding.ts';
import { share } from './share.ts';
import type { Clock } from './today.ts';

export interface Accounts {
  /** Asks the database, together with every other request that waits. */
  ask(tokenHash: string, slug: string): Promise<FreshAnswer>;
  /** Throws when no listing could be answered now, with the database or without it. */
  check(): Promise<void>;
  /** Takes note of a state that was read in another way. */
  note(holding: Holding): Holding;
  /** Whether nothing is held of its account, or of the same history. */
  isPresent(holding: Holding): boolean;
  /** How many questions the database was asked so far, and how many of them failed. */
  counts(): { queries: number; failures: number };
}

export interface FreshAnswer {
  readonly token: TokenFacts | undefined;
  readonly holding: Holding | undefined;
  /** How old the answer is, when the database could not be asked. */
  readonly staleMs: number | undefined;
}

export interface AccountsOptions {
  readonly store: FeedStore;
  readonly clock: Clock;
  readonly budgetBytes: number;
  /** For how long an answer may be repeated while the database cannot be asked. */
  readonly staleIfErrorMs: number;
  /** Called when an account's history is no longer the one that was held. */
  readonly onRestart: (accountId: number) => void;
}

interface FreshQuestion {
  readonly key: string;
  readonly tokenHash: string;
  readonly slug: string;
  readonly held: Holding | undefined;
}

interface LastAnswer {
  readonly token: TokenFacts;
  readonly holding: Holding;
  readonly atMs: number;
}

/** Requests are answered within two seconds, also when the database is not. */
const DEADLINE_MS = 1_800;
const MAX_REMEMBERED_ANSWERS = 10_000;
/** A copy that lags behind catches up sooner than this; what is still old by then is a backup that was restored. */
const RESTORED_AFTER_MS = 10_000;

export function keepAccounts(options: AccountsOptions): Accounts {
  const { store, clock, budgetBytes, staleIfErrorMs, onRestart } = options;
  const holdings = new LRUCache<string, Holding>({ maxSize: budgetBytes, sizeCalculation: sizeOfHolding });
  const lastAnswers = new LRUCache<string, LastAnswer>({ max: MAX_REMEMBERED_ANSWERS });
  /** Since when the database has answered with less than is known already, by slug. */
  const oldSince = new LRUCache<string, number>({ max: MAX_REMEMBERED_ANSWERS });
  let queries = 0;
  let failures = 0;
  /** When the database answered last. */
  let answeredMs = Number.NEGATIVE_INFINITY;

  const askTogether = share(
    async (questions: readonly FreshQuestion[]) => {
      queries++;
      const distinct = [...new Map(questions.map((question) => [question.key, question])).values()];
      const asked = distinct.map(({ tokenHash, slug, held }) => ({
        tokenHash,
        slug,
        known: held && { accountId: held.account.id, history: held.history, revision: held.revision },
      }));
      const answers = await store.freshness(asked, clock()).catch((error: unknown) => {
        failures++;
        throw error;
      });
      answeredMs = clock();
      return new Map(distinct.map((question, i) => [question.key, answers[i] as Answer]));
    },
    { deadlineMs: DEADLINE_MS },
  );

  async function check(): Promise<void> {
    try {
      await ask('', '');
    } catch (error) {
      const isBridged = isPassing(error) && clock() - answeredMs <= staleIfErrorMs;
      if (!isBridged || lastAnswers.size === 0) throw error;
    }
  }

  async function ask(tokenHash: string, path: string): Promise<FreshAnswer> {
    // What cannot be a slug names no account; databases need not see it.
    const slug = SLUG.test(path) ? path : '';
    const held = holdings.get(slug);
    const place = `${tokenHash}/${slug}`;
    const key = `${place}/${held?.account.id}/${held?.revision}/${held?.history}`;
    try {
      const answer = (await askTogether({ key, tokenHash, slug, held })).get(key);
      const holding = answer?.account && hold(slug, held, answer.account);
      if (staleIfErrorMs > 0) remember(place, answer?.token, holding);
      return { token: answer?.token, holding, staleMs: undefined };
    } catch (error) {
      return repeatAnswer(place, error);
    }
  }

  /** What is no longer there is forgotten at once, so that it does not come back while the database is away. */
  function remember(place: string, token: TokenFacts | undefined, holding: Holding | undefined): void {
    if (token === undefined || holding === undefined) lastAnswers.delete(place);
    else lastAnswers.set(place, { token, holding, atMs: clock() });
  }

  /** The last answer, if it may still be repeated, with what others have learnt of the account since; else what went wrong. */
  function repeatAnswer(place: string, error: unknown): FreshAnswer {
    const last = lastAnswers.get(place);
    if (last === undefined || !isPassing(error)) throw error;
    const staleMs = clock() - last.atMs;
    if (staleMs > staleIfErrorMs) throw error;
    if (!isPresent(last.holding)) throw error;
    const held = holdings.peek(last.holding.account.slug);
    const isNewer = held?.account.id === last.holding.account.id && held.revision > last.holding.revision;
    return { token: last.token, holding: isNewer ? held : last.holding, staleMs };
  }

  function hold(slug: string, asked: Holding | undefined, changes: AccountChanges): Holding {
    if (asked !== undefined && isRestarted(asked, changes)) {
      if (asked.account.id === changes.account.id) refuseOldAnswer(slug);
      holdings.delete(slug);
      onRestart(asked.account.id);
      onRestart(changes.account.id);
      return note(advance(undefined, changes));
    }
    oldSince.delete(slug);
    // Another answer may have come in since: a newer state includes all that this request must see.
    const present = holdings.get(slug);
    const isNewer = present?.history === changes.history && present.revision >= changes.since;
    return note(advance(isNewer ? present : asked, changes));
  }

  /**
   * Where a copy of the database may answer, an old answer says little: after a newer one was shown, nobody is to be shown the
   * past again. Only when it stays is it the present.
   */
  function refuseOldAnswer(slug: string): void {
    const nowMs = clock();
    const sinceMs = oldSince.get(slug) ?? nowMs;
    if (!store.mayLag || nowMs - sinceMs >= RESTORED_AFTER_MS) {
      oldSince.delete(slug);
      return;
    }
    oldSince.set(slug, sinceMs);
    throw olderThanKnown();
  }

  function isPresent({ account, history }: Holding): boolean {
    const held = holdings.peek(account.slug);
    return held === undefined || held.history === history;
  }

  function note(holding: Holding): Holding {
    if (!isPresent(holding)) return holding;
    const { slug } = holding.account;
    const held = holdings.peek(slug);
    if (held?.account.id !== holding.account.id || held.revision < holding.revision)
      holdings.set(slug, holding);
    return holding;
  }

  return { ask, check, note, isPresent, counts: () => ({ queries, failures }) };
}

/** Whether what went wrong may be over soon: a database that is not there, or not ours, is not bridged. */
function isPassing(error: unknown): boolean {
  return error instanceof StoreFailure && (error.kind === 'unavailable' || error.kind === 'busy');
}

/** For an answer that lacks what was seen already. */
export function olderThanKnown(): StoreFailure {
  return new StoreFailure('unavailable', 'The database answered with an older state than it did before.');
}
