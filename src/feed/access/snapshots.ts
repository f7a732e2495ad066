/**
 * The snapshots in memory, by slug: how answers of the database update them, and how they bridge an outage.
 *
 * A snapshot is an account at one revision. It never changes, and a change of the account replaces it. So it owns what
 * is derived from it, which is its pages.
 */

import { LRUCache } from 'lru-cache';
import type { Query } from '../../listing/filter.ts';
import { MAX_MONTHS } from '../../store/account.ts';
import { StoreFailure } from '../../store/failure.ts';
import type { AccountState, FeedStore, LiveToken } from '../../store/feed-store.ts';
import { type AccountAtRevision, makePage, type Page, sizeOfPage, todayOf } from '../page.ts';
import { tooManyMonths } from '../refusal.ts';
import type { Clock } from '../waiting.ts';

export interface AccountSnapshot extends AccountAtRevision {
  /** The pages that are kept of it. */
  readonly pages: Map<Query, Page>;
  /** The same page for the same query, as long as the day stays the same. Queries that are one object are the same. */
  page(query: Query, nowMs: number): Page;
}

export type Snapshots = ReturnType<typeof holdSnapshots>;

export interface KeptState {
  /** Of this state. */
  readonly snapshot: AccountSnapshot;
  /** The one that is held by now. */
  readonly held: AccountSnapshot;
}

export interface SnapshotsOptions {
  readonly store: Pick<FeedStore, 'mayLag'>;
  readonly clock: Clock;
  readonly budgetBytes: number;
  readonly pagesBudgetBytes: number;
  /** Called when the data of an account was replaced: what is in memory of it is no longer valid. */
  readonly onReplaced: (accountId: number) => void;
}

export function holdSnapshots(options: SnapshotsOptions) {
  const { store, clock, budgetBytes, pagesBudgetBytes, onReplaced } = options;
  const pages = keepPages(pagesBudgetBytes);
  const held = new LRUCache<string, AccountSnapshot>({
    maxSize: budgetBytes,
    sizeCalculation: sizeOfSnapshot,
    dispose: pages.forget,
  });
  const lags = store.mayLag ? watchLags(clock) : undefined;
  const knownMs = new WeakMap<AccountAtRevision, number>();

  function snapshotOf(state: AccountState): AccountSnapshot {
    const snapshot = makeSnapshot(state, (page) => {
      // The pages of one that is not held would not count.
      if (held.peek(snapshot.account.slug) === snapshot) pages.keep(snapshot, page);
    });
    return snapshot;
  }

  function hold(snapshot: AccountSnapshot): AccountSnapshot {
    const present = held.peek(snapshot.account.slug);
    if (present !== undefined && !mayFollow(snapshot, present)) return present;
    held.set(snapshot.account.slug, snapshot);
    return snapshot;
  }

  /** The snapshot that was held when a question was asked, after an answer that nothing has changed since. */
  function confirm(snapshot: AccountSnapshot): AccountSnapshot {
    lags?.end(snapshot.account.slug);
    knownMs.set(snapshot, clock());
    hold(snapshot);
    return snapshot;
  }

  return {
    get: (slug: string): AccountSnapshot | undefined => held.get(slug),
    confirm,
    /** When the account was last known to be in this state. */
    knownMs: (snapshot: AccountAtRevision) => knownMs.get(snapshot) ?? Number.NEGATIVE_INFINITY,
    /** Keeps a state that a load found which began then, unless a newer one is held, or one of another history. */
    keep(state: AccountState, beganMs: number): KeptState {
      const present = held.peek(state.account.slug);
      const snapshot = present && isSameVersion(present, state) ? present : snapshotOf(state);
      // Its changes may have been lost since, with the server that had them.
      if (snapshot !== present) knownMs.set(snapshot, beganMs);
      return { snapshot, held: hold(snapshot) };
    },
    /**
     * The snapshot after an answer. `asked` is the one that was held when the question was asked. Throws when the answer
     * is older than that, because it came from a lagging replica.
     *
     * The answer is the truth, whatever is held of the account: changes that were shown may have been lost since, with
     * the server that had them, and later ones made without them.
     */
    update(slug: string, asked: AccountSnapshot | undefined, state: AccountState): AccountSnapshot {
      const present = held.peek(slug);
      // Somebody who asked at the same moment got the same answer.
      if (present !== undefined && isSameVersion(present, state)) return confirm(present);
      if (asked !== undefined && isReplaced(asked, state)) {
        if (asked.account.id === state.account.id) lags?.refuse(slug);
        held.delete(slug);
        onReplaced(asked.account.id);
        onReplaced(state.account.id);
      }
      return confirm(snapshotOf(state));
    },
  };
}

/** `keepPage` may keep a page on the snapshot. */
export function makeSnapshot(state: AccountState, keepPage: (page: Page) => void = () => undefined) {
  const { account, history, revision } = state;
  const isTooLarge = state.months.length > MAX_MONTHS;
  const months = isTooLarge ? [] : state.months;
  const snapshot: AccountSnapshot = {
    account,
    history,
    revision,
    months: months.map(({ month }) => month),
    stamps: new Map(months.map(({ month, stamp }) => [month, stamp])),
    isTooLarge,
    pages: new Map(),
    page(query, nowMs) {
      if (isTooLarge) throw tooManyMonths(account);
      const today = todayOf(account, nowMs);
      const known = snapshot.pages.get(query);
      if (known?.today === today) return known;
      const page = makePage(snapshot, query, today);
      keepPage(page);
      return page;
    },
  };
  return snapshot;
}

/** An estimate, without its pages. */
function sizeOfSnapshot({ months }: AccountSnapshot): number {
  return 1024 + 64 * months.length;
}

/** The pages of all snapshots. Beyond the budget, an account forgets all of its pages: that of the oldest page first. */
function keepPages(budgetBytes: number) {
  const owners = new Set<AccountSnapshot>();
  let bytes = 0;

  function forget(owner: AccountSnapshot): void {
    for (const page of owner.pages.values()) bytes -= sizeOfPage(page);
    owner.pages.clear();
    owners.delete(owner);
  }

  function keep(owner: AccountSnapshot, page: Page): void {
    const before = owner.pages.get(page.query);
    bytes += sizeOfPage(page) - (before === undefined ? 0 : sizeOfPage(before));
    owner.pages.set(page.query, page);
    owners.add(owner);
    for (const oldest of owners) {
      if (bytes <= budgetBytes) break;
      forget(oldest);
    }
  }

  return { keep, forget };
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

function mayFollow({ account, history, revision }: AccountSnapshot, held: AccountSnapshot): boolean {
  return held.history === history && (held.account.id !== account.id || held.revision < revision);
}

function isSameVersion(held: AccountSnapshot, { account, history, revision }: AccountState): boolean {
  return held.account.id === account.id && held.history === history && held.revision === revision;
}

/** How many tokens, accounts and lags are remembered. */
const MAX_REMEMBERED = 10_000;
/** A lagging replica catches up sooner than this. Data that is still old after it comes from a restored backup. */
const RESTORED_AFTER_MS = 10_000;

function remember<Key extends string | number, Value extends object | number>(): LRUCache<Key, Value> {
  return new LRUCache<Key, Value>({ maxSize: MAX_REMEMBERED, sizeCalculation: () => 1 });
}

/** Makes sure that nobody sees an older state after a newer one because a replica lags. */
function watchLags(clock: Clock) {
  /** Since when the database has answered with an older state than is held, by slug. */
  const since = remember<string, number>();
  return {
    /** Throws, unless the database has stayed that old for long: then it was restored from a backup. */
    refuse(slug: string): void {
      const sinceMs = since.get(slug) ?? clock();
      since.set(slug, sinceMs);
      if (clock() - sinceMs < RESTORED_AFTER_MS) throw olderThanHeld();
      since.delete(slug);
    },
    end: (slug: string) => since.delete(slug),
  };
}

/** For an answer that is older than one that was already given. */
export function olderThanHeld(): StoreFailure {
  return new StoreFailure('unavailable', 'The database answered with an older state than it did before.');
}

export type LastAnswers = ReturnType<typeof keepLastAnswers>;

export interface RepeatedAnswer {
  readonly token: LiveToken;
  readonly snapshot: AccountSnapshot;
  readonly staleMs: number;
}

/** The last answers of the database, to be repeated while the database is unavailable. */
export function keepLastAnswers(
  maxAgeMs: number,
  clock: Clock,
  snapshots: Pick<Snapshots, 'get' | 'knownMs'>,
) {
  const answers = remember<string, Omit<RepeatedAnswer, 'staleMs'> & { readonly atMs: number }>();
  const names = rememberNames(clock);
  const lastWhole = remember<number, AccountAtRevision>();

  /** Everything that is in memory of an account is of this state. */
  function whole(of: AccountAtRevision): void {
    if (of.isTooLarge) return;
    const last = lastWhole.get(of.account.id);
    if (last?.history !== of.history || last.revision < of.revision) lastWhole.set(of.account.id, of);
  }

  return {
    /** A page was shown. Nobody is shown an earlier state after it. */
    shown(page: Pick<Page, 'of' | 'months'>): void {
      const last = lastWhole.get(page.of.account.id);
      // A page that is the same in both states keeps nobody from being shown the earlier one.
      if (last !== page.of && !(last && isPageOf(last, page))) whole(page.of);
    },
    whole,
    /** The last state that was whole or shown, if it is an earlier one, and how long ago the account was known to be in it. */
    lastWhole(of: AccountAtRevision) {
      const last = lastWhole.get(of.account.id);
      if (last?.history !== of.history || last.revision >= of.revision) return undefined;
      const staleMs = clock() - snapshots.knownMs(last);
      return staleMs <= maxAgeMs ? { of: last, staleMs } : undefined;
    },
    /** The data of an account was replaced. */
    forget: (accountId: number) => void lastWhole.delete(accountId),
    keep(key: string, token: LiveToken | undefined, snapshot: AccountSnapshot | undefined): void {
      if (snapshot !== undefined) names.learn(snapshot);
      // Dead tokens and deleted accounts are dropped at once, so that they do not come back while the database is away.
      if (token === undefined || snapshot === undefined) answers.delete(key);
      else answers.set(key, { token, snapshot, atMs: clock() });
    },
    /** The last answer, if it may still be repeated, with the snapshot that is held by now. */
    find(key: string): RepeatedAnswer | undefined {
      const last = answers.get(key);
      if (last === undefined) return undefined;
      const { token, snapshot, atMs } = last;
      // The account has been seen under another name since, and perhaps in a newer state.
      if (names.find(snapshot.account.id) !== snapshot.account.slug) return undefined;
      const held = snapshots.get(snapshot.account.slug) ?? snapshot;
      // Another account has this name now, so the token would be refused; or another file is the database.
      if (held.account.id !== snapshot.account.id || held.history !== snapshot.history) return undefined;
      const staleMs = clock() - Math.min(atMs, snapshots.knownMs(held));
      return staleMs <= maxAgeMs ? { token, snapshot: held, staleMs } : undefined;
    },
    /** Whether anything can be answered now, given when the database last answered. */
    canBridge: (answeredMs: number) => answers.size > 0 && clock() - answeredMs <= maxAgeMs,
  };
}

function isPageOf(state: AccountAtRevision, { of, months }: Pick<Page, 'of' | 'months'>): boolean {
  return (
    state.history === of.history &&
    state.account.timeZone === of.account.timeZone &&
    months.every(({ month, stamp }) => state.stamps.get(month) === stamp)
  );
}

/** Whenever an answer is used, so is its name. So no answer outlives the name of its account. */
function rememberNames(clock: Clock) {
  interface Named extends Pick<AccountAtRevision, 'history' | 'revision'> {
    readonly slug: string;
    readonly atMs: number;
  }
  const names = remember<number, Named>();
  return {
    learn({ account, history, revision }: AccountAtRevision): void {
      const known = names.get(account.id);
      const atMs = clock();
      // A lagging replica may have answered. After a while, it is a restored backup instead.
      const isOlder = known?.history === history && known.revision > revision;
      if (isOlder && atMs - known.atMs < RESTORED_AFTER_MS) return;
      names.set(account.id, { slug: account.slug, history, revision, atMs });
    },
    /** The newest known name of an account. */
    find: (accountId: number) => names.get(accountId)?.slug,
  };
}
