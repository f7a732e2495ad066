/**
 * The snapshots in memory, by slug, and how answers of the database update them.
 */

import { LRUCache } from 'lru-cache';
import { StoreFailure } from '../../store/failure.ts';
import type { AccountState, FeedStore } from '../../store/feed-store.ts';
import type { Clock } from '../clock.ts';
import { type AccountSnapshot, sizeOfSnapshot, snapshotOf } from './account-snapshot.ts';

export interface Snapshots {
  get(slug: string): AccountSnapshot | undefined;
  /**
   * The snapshot after an answer. `asked` is the one that was held when the question was asked. Throws when the answer
   * is older than that, because it came from a lagging replica.
   *
   * The answer is the truth, whatever is held of the account: changes that were shown may have been lost since, with
   * the server that had them, and later ones made without them.
   */
  update(slug: string, asked: AccountSnapshot | undefined, state: AccountState): AccountSnapshot;
  /** The same for an answer that nothing has changed since. */
  confirm(asked: AccountSnapshot): AccountSnapshot;
  /** Keeps a snapshot, unless a newer one is held, or one of another history. Returns the one that is held then. */
  keep(snapshot: AccountSnapshot): AccountSnapshot;
}

export interface SnapshotsOptions {
  readonly store: Pick<FeedStore, 'mayLag'>;
  readonly clock: Clock;
  readonly budgetBytes: number;
  /** Called when the data of an account was replaced: what is in memory of it is no longer valid. */
  readonly onReplaced: (accountId: number) => void;
}

export function holdSnapshots({ store, clock, budgetBytes, onReplaced }: SnapshotsOptions): Snapshots {
  const held = new LRUCache<string, AccountSnapshot>({
    maxSize: budgetBytes,
    sizeCalculation: sizeOfSnapshot,
  });
  const lags = store.mayLag ? watchLags(clock) : undefined;

  function keep(snapshot: AccountSnapshot): AccountSnapshot {
    const { slug, id } = snapshot.account;
    const present = held.peek(slug);
    if (present !== undefined) {
      if (present.history !== snapshot.history) return present;
      if (present.account.id === id && present.revision >= snapshot.revision) return present;
    }
    held.set(slug, snapshot);
    return snapshot;
  }

  function confirm(snapshot: AccountSnapshot): AccountSnapshot {
    lags?.end(snapshot.account.slug);
    keep(snapshot);
    return snapshot;
  }

  return {
    get: (slug) => held.get(slug),
    keep,
    confirm,
    update(slug, asked, state) {
      const present = held.peek(slug);
      // Somebody who asked at the same moment got the same answer.
      if (present !== undefined && isSameVersion(present, state)) return confirm(present);
      if (asked !== undefined && isReplaced(asked, state)) {
        if (asked.account.id === state.account.id) lags?.refuse(slug);
        held.delete(slug);
        onReplaced(asked.account.id);
        onReplaced(state.account.id);
      } else lags?.end(slug);
      const snapshot = snapshotOf(state);
      keep(snapshot);
      return snapshot;
    },
  };
}

/**
 * Whether a state does not follow the snapshot that was held when asking for it. Revisions only grow, so a lower one,
 * another account of the same name or another history means that the data was replaced, for instance by a restored
 * backup.
 */
function isReplaced(held: AccountSnapshot, state: AccountState): boolean {
  return (
    held.history !== state.history || held.account.id !== state.account.id || state.revision < held.revision
  );
}

function isSameVersion(held: AccountSnapshot, { account, history, revision }: AccountState): boolean {
  return held.account.id === account.id && held.history === history && held.revision === revision;
}

const MAX_LAGS = 10_000;
/** A lagging replica catches up sooner than this. Data that is still old after it comes from a restored backup. */
export const RESTORED_AFTER_MS = 10_000;

interface Lags {
  /** Throws, unless the database has stayed that old for long: then it was restored from a backup. */
  refuse(slug: string): void;
  end(slug: string): void;
}

/** Makes sure that nobody sees an older state after a newer one because a replica lags. */
function watchLags(clock: Clock): Lags {
  /** Since when the database has answered with an older state than is held, by slug. */
  const since = new LRUCache<string, number>({ maxSize: MAX_LAGS, sizeCalculation: () => 1 });
  return {
    refuse(slug) {
      const sinceMs = since.get(slug) ?? clock();
      since.set(slug, sinceMs);
      if (clock() - sinceMs < RESTORED_AFTER_MS) throw olderThanHeld();
      since.delete(slug);
    },
    end(slug) {
      since.delete(slug);
    },
  };
}

/** For an answer that is older than one that was already given. */
export function olderThanHeld(): StoreFailure {
  return new StoreFailure('unavailable', 'The database answered with an older state than it did before.');
}
