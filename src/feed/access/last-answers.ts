/** The last answers of the database, to be repeated while the database is unavailable. */

import { LRUCache } from 'lru-cache';
import type { LiveToken } from '../../store/feed-store.ts';
import type { Clock } from '../clock.ts';
import type { AccountSnapshot } from './account-snapshot.ts';
import { RESTORED_AFTER_MS, type Snapshots } from './snapshots.ts';

export interface LastAnswers {
  keep(key: string, token: LiveToken | undefined, snapshot: AccountSnapshot | undefined): void;
  /** The last answer, if it may still be repeated, with the snapshot that is held by now. */
  find(key: string): RepeatedAnswer | undefined;
  /** Whether anything can be answered now, given when the database last answered. */
  canBridge(answeredMs: number): boolean;
}

export interface RepeatedAnswer {
  readonly token: LiveToken;
  readonly snapshot: AccountSnapshot;
  readonly staleMs: number;
}

const MAX_KEPT_ANSWERS = 10_000;

export function keepLastAnswers(
  maxAgeMs: number,
  clock: Clock,
  snapshots: Pick<Snapshots, 'get'>,
): LastAnswers {
  interface LastAnswer extends Omit<RepeatedAnswer, 'staleMs'> {
    readonly atMs: number;
  }
  const answers = new LRUCache<string, LastAnswer>({ maxSize: MAX_KEPT_ANSWERS, sizeCalculation: () => 1 });
  const names = rememberNames(clock);
  return {
    keep(key, token, snapshot) {
      if (snapshot !== undefined) names.learn(snapshot);
      // Dead tokens and deleted accounts are dropped at once, so that they do not come back while the database is away.
      if (token === undefined || snapshot === undefined) answers.delete(key);
      else answers.set(key, { token, snapshot, atMs: clock() });
    },
    find(key) {
      const last = answers.get(key);
      if (last === undefined) return undefined;
      const { token, snapshot, atMs } = last;
      const staleMs = clock() - atMs;
      if (staleMs > maxAgeMs) return undefined;
      // The account has been seen under another name since, and perhaps in a newer state.
      if (names.find(snapshot.account.id) !== snapshot.account.slug) return undefined;
      const held = snapshots.get(snapshot.account.slug) ?? snapshot;
      // Another account has this name now, so the token would be refused; or another file is the database.
      if (held.account.id !== snapshot.account.id || held.history !== snapshot.history) return undefined;
      return { token, snapshot: held, staleMs };
    },
    canBridge: (answeredMs) => answers.size > 0 && clock() - answeredMs <= maxAgeMs,
  };
}

interface Names {
  learn(snapshot: AccountSnapshot): void;
  /** The newest known name of an account. */
  find(accountId: number): string | undefined;
}

/** Whenever an answer is used, so is its name. So no answer outlives the name of its account. */
function rememberNames(clock: Clock): Names {
  interface Named extends Pick<AccountSnapshot, 'history' | 'revision'> {
    readonly slug: string;
    readonly atMs: number;
  }
  const names = new LRUCache<number, Named>({ maxSize: MAX_KEPT_ANSWERS, sizeCalculation: () => 1 });
  return {
    learn({ account, history, revision }) {
      const known = names.get(account.id);
      const atMs = clock();
      // A lagging replica may have answered. After a while, it is a restored backup instead.
      const isOlder = known?.history === history && known.revision > revision;
      if (isOlder && atMs - known.atMs < RESTORED_AFTER_MS) return;
      names.set(account.id, { slug: account.slug, history, revision, atMs });
    },
    find: (accountId) => names.get(accountId)?.slug,
  };
}
