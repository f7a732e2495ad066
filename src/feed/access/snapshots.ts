/**
 * The snapshots in memory, by slug, and how answers of the database update them.
 */

import { LRUCache } from 'lru-cache';
import { StoreFailure } from '../../store/failure.ts';
import type { AccountChanges, FeedStore } from '../../store/feed-store.ts';
import type { Clock } from '../clock.ts';
import { type AccountSnapshot, applyChanges, sizeOfSnapshot } from './account-snapshot.ts';

export interface Snapshots {
  get(slug: string): AccountSnapshot | undefined;
  /**
   * The snapshot after an answer. `asked` is the one that was held when the question was asked. Throws when the answer
   * is older than an earlier one, because it came from a lagging replica.
   */
  update(slug: string, asked: AccountSnapshot | undefined, changes: AccountChanges): AccountSnapshot;
  /** Keeps a snapshot from another source, unless a newer one is held. */
  keep(snapshot: AccountSnapshot): void;
  /** Whether a snapshot has the same history as the held one of its account, or none is held. */
  isCurrentHistory(snapshot: AccountSnapshot): boolean;
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

  function isCurrentHistory({ account, history }: AccountSnapshot): boolean {
    const present = held.peek(account.slug);
    return present === undefined || present.history === history;
  }

  function keep(snapshot: AccountSnapshot): void {
    if (!isCurrentHistory(snapshot)) return;
    const { slug, id } = snapshot.account;
    const present = held.peek(slug);
    if (present?.account.id !== id || present.revision < snapshot.revision) held.set(slug, snapshot);
  }

  function kept(snapshot: AccountSnapshot): AccountSnapshot {
    keep(snapshot);
    return snapshot;
  }

  return {
    get: (slug) => held.get(slug),
    keep,
    isCurrentHistory,
    update(slug, asked, changes) {
      if (asked !== undefined && isReplaced(asked, changes)) {
        if (asked.account.id === changes.account.id) lags?.refuse(slug);
        held.delete(slug);
        onReplaced(asked.account.id);
        onReplaced(changes.account.id);
        return kept(applyChanges(undefined, changes));
      }
      lags?.end(slug);
      if (asked !== undefined && isAsIs(asked, changes) && held.peek(slug) === asked) return asked;
      // Another answer may have arrived since: a newer snapshot includes everything that this request must see.
      const present = held.get(slug);
      return kept(applyChanges(present && continues(present, changes) ? present : asked, changes));
    },
  };
}

/**
 * Whether changes do not continue the snapshot that was held when asking for them. Revisions only grow, so a lower one,
 * another account of the same name or another history means that the data was replaced, for instance by a restored
 * backup.
 */
function isReplaced(held: AccountSnapshot, changes: AccountChanges): boolean {
  return (
    held.history !== changes.history ||
    held.account.id !== changes.account.id ||
    changes.revision < held.revision
  );
}

function isAsIs(asked: AccountSnapshot, { revision, history, account }: AccountChanges): boolean {
  return asked.revision === revision && asked.history === history && asked.account.id === account.id;
}

/**
 * Whether a snapshot has everything that the changes leave out. Its slug may have belonged to another account
 * meanwhile.
 */
function continues({ account, history, revision }: AccountSnapshot, changes: AccountChanges): boolean {
  return account.id === changes.account.id && history === changes.history && revision >= changes.since;
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
