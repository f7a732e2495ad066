/**
 * Loads pages that are not in memory. Requests for one account that wait at the same moment share a load. Months that
 * were not loaded as a whole are backfilled, so that the next request finds them. Nothing is kept of a huge account.
 */

import type { Month } from '../../listing/calendar.ts';
import type { Query } from '../../listing/filter.ts';
import { bufferOf } from '../../listing/month.ts';
import { StoreFailure } from '../../store/failure.ts';
import { type AccountSnapshot, snapshotOf } from '../access/account-snapshot.ts';
import { batchByAccount } from '../access/batch.ts';
import { olderThanHeld } from '../access/snapshots.ts';
import { type CachedMonth, type MonthCache, type MonthUpdate, merge } from '../cache/month-cache.ts';
import { EVENT_LOOP, type Timers } from '../clock.ts';
import { withDeadline } from '../deadline.ts';
import { monthViews, type PageRequest, type PreparedPage, type PreparePage } from '../pages/prepare.ts';
import type { Resolve } from '../pages/resolved-query.ts';
import { goneAccount } from '../refusal.ts';
import { makeBackfill } from './backfill.ts';
import type { HeldDayStarts, HeldDays, LoadedPages, PagesToLoad, PageToLoad } from './load-pages.ts';
import type { Loader } from './loader.ts';

/** Reading a large account for the first time may take some seconds, and a batch may wait for another. */
const DEADLINE_MS = 60_000;
/** One account may be backfilled up to this share of the cache. */
const BACKFILL_SHARE_OF_BUDGET = 1 / 2;
/** If more pages of a huge account are requested at the same moment, the rest is refused. */
const MAX_PAGES_OF_HUGE = 8;

export interface LoadMissingOptions {
  readonly load: Loader['load'];
  readonly cache: MonthCache;
  readonly resolve: Resolve;
  readonly prepare: PreparePage;
  readonly budgetBytes: number;
  /** Below this many missing rows, load whole months; above it, only the days that the pages cover. */
  readonly eagerRows: number;
  /** Keeps a snapshot, unless a newer one is held, or one of another history. Returns the one that is held then. */
  readonly keepSnapshot: (snapshot: AccountSnapshot) => AccountSnapshot;
  readonly onLoaded: (blocks: number) => void;
  readonly timers?: Timers | undefined;
}

/** The page may be of a newer snapshot than the requested one. */
export function makeLoadMissing(
  options: LoadMissingOptions,
): (request: PageRequest) => Promise<PreparedPage> {
  const { cache, budgetBytes, eagerRows, timers = EVENT_LOOP } = options;
  // One that never ends would keep huge accounts from their turn, and the backfill from going on.
  const load: Loader['load'] = (request) => withDeadline(options.load(request), DEADLINE_MS, timers);
  const loadInBatch = batchByAccount(loadAll, { deadlineMs: DEADLINE_MS, timers });
  const inTurn = oneAtATime(DEADLINE_MS);
  const backfill = makeBackfill({
    budgetBytes: budgetBytes * BACKFILL_SHARE_OF_BUDGET,
    async loadMonth({ account, history }, month) {
      const loaded = await load({
        slug: account.slug,
        history,
        isHuge: false,
        nowMs: 0,
        pages: [],
        wholeMonths: [month],
        held: heldDays(cache.peek(account.id, [month])),
        eagerRows,
      });
      if (loaded?.state.account.id !== account.id) return undefined;
      keepLoaded(options, snapshotOf(loaded.state), loaded, new Map());
      return loaded.blocks.reduce((bytes, block) => bytes + bufferOf(block).byteLength, 0);
    },
  });

  async function loadAll(requests: readonly PageRequest[]): Promise<LoadedBatch> {
    // All of them are still waiting, so the latest snapshot and time are right for each.
    const { snapshot: known, nowMs } = requests.at(-1) as PageRequest;
    const { account, isHuge } = known;
    const distinct = [...new Set(requests.map(({ query }) => query))];
    const queries = isHuge ? distinct.slice(0, MAX_PAGES_OF_HUGE) : distinct;
    // Keeps months reachable that the cache evicts during the load.
    const cached = cache.peek(account.id, known.months);
    const request = pagesToLoad(options, known, queries, nowMs, cached);
    const loaded = await (isHuge ? inTurn(() => load(request)) : load(request));
    if (loaded?.state.account.id !== account.id) throw goneAccount(account);
    const snapshot = snapshotOf(loaded.state);
    if (requests.some((asked) => isOlder(snapshot, asked.snapshot))) throw olderThanHeld();
    const present = keepLoaded(options, snapshot, loaded, cached);
    // After the answers: those that need not be compressed first are sent in this turn of the event loop.
    timers.soon(() => backfill(snapshot, loaded.incomplete));
    return { snapshot, pages: preparedPages(options, snapshot, queries, nowMs, loaded, present) };
  }

  return async (request) => {
    const { account, history } = request.snapshot;
    const { snapshot, pages } = await loadInBatch(account.id, request);
    if (snapshot.history !== history) throw olderThanHeld();
    const page = pages.get(request.query);
    if (page === undefined) throw tooMany();
    return page;
  };
}

interface LoadedBatch {
  readonly snapshot: AccountSnapshot;
  readonly pages: ReadonlyMap<Query, PreparedPage>;
}

function pagesToLoad(
  { cache, resolve, eagerRows }: LoadMissingOptions,
  snapshot: AccountSnapshot,
  queries: readonly Query[],
  nowMs: number,
  cached: ReadonlyMap<Month, CachedMonth>,
): PagesToLoad {
  /** A page with the day starts that are in memory, for the months that it is likely to touch. */
  const pageOf = (query: Query): PageToLoad => {
    const resolved = resolve(snapshot, query, nowMs);
    const views = monthViews(cache, { snapshot, query, nowMs }, resolved);
    const held = new Map<Month, HeldDayStarts>();
    for (const { month } of resolved.months) {
      const found = cached.get(month);
      const dayStarts = found && views.dayStartsOf(found);
      // A copy, because those of a whole month are part of its buffer, which would be copied to the other thread as a
      // whole.
      if (found && dayStarts) held.set(month, { stamp: found.stamp, dayStarts: dayStarts.slice() });
    }
    return { ...query, viewKey: resolved.viewKey, dayStarts: held };
  };
  const { account, history, isHuge } = snapshot;
  return {
    slug: account.slug,
    history,
    isHuge,
    nowMs,
    pages: queries.map(pageOf),
    wholeMonths: [],
    held: heldDays(cached),
    eagerRows,
  };
}

function heldDays(cached: ReadonlyMap<Month, CachedMonth>): ReadonlyMap<Month, HeldDays> {
  return new Map(
    Array.from(cached, ([month, { stamp, block }]) => [month, { stamp, days: block?.days ?? 0 }]),
  );
}

/**
 * Caches what was loaded, and returns everything that is in memory of the snapshot's months. A month is cached if the
 * held snapshot has its stamp: only then will it be looked for. That need not be the largest stamp, because changes may
 * be lost with the server that had them, and loads arrive in any order.
 */
function keepLoaded(
  { cache, keepSnapshot, onLoaded }: LoadMissingOptions,
  snapshot: AccountSnapshot,
  loaded: LoadedPages,
  cached: ReadonlyMap<Month, CachedMonth>,
): ReadonlyMap<Month, CachedMonth> {
  const held = keepSnapshot(snapshot);
  const isHeld = ({ month, stamp }: MonthUpdate) =>
    held.history === snapshot.history && held.stamps.get(month) === stamp;
  const present = new Map([...cached].filter(([month, { stamp }]) => stamp === snapshot.stamps.get(month)));
  for (const update of updatesOf(snapshot, loaded)) {
    if (isHeld(update)) cache.put(snapshot.account.id, update);
    present.set(update.month, merge(present.get(update.month), update));
  }
  onLoaded(loaded.blocks.length);
  return present;
}

function updatesOf({ stamps, revision }: AccountSnapshot, { blocks, counted }: LoadedPages): MonthUpdate[] {
  // The stamps of a huge account are not held.
  const stampOf = (month: Month) => stamps.get(month) ?? revision;
  return [
    ...counted.map(({ month, viewKey, dayStarts }) => ({
      month,
      stamp: stampOf(month),
      dayStarts: new Map([[viewKey, dayStarts]]),
    })),
    ...blocks.map((block) => ({ month: block.month, stamp: stampOf(block.month), block })),
  ];
}

function preparedPages(
  { prepare }: LoadMissingOptions,
  snapshot: AccountSnapshot,
  queries: readonly Query[],
  nowMs: number,
  { layouts }: LoadedPages,
  present: ReadonlyMap<Month, CachedMonth>,
): ReadonlyMap<Query, PreparedPage> {
  const pages = new Map<Query, PreparedPage>();
  queries.forEach((query, i) => {
    const page = prepare({ snapshot, query, nowMs }, (month) => present.get(month), layouts[i]);
    if (page === undefined) throw new Error('A load left out what a page needs.');
    pages.set(query, page);
  });
  return pages;
}

function isOlder(loaded: AccountSnapshot, asked: AccountSnapshot): boolean {
  return asked.history === loaded.history && asked.revision > loaded.revision;
}

/**
 * Runs loads of huge accounts one after the other, and skips those that nobody waits for any more: each may take a
 * second, and the other thread stays free for everybody else.
 */
function oneAtATime(deadlineMs: number): <T>(load: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (load) => {
    const endMs = performance.now() + deadlineMs;
    const turn = last.then(() => {
      if (performance.now() > endMs) throw tooMany();
      return load();
    });
    last = turn.catch(() => undefined);
    return turn;
  };
}

function tooMany(): StoreFailure {
  return new StoreFailure('busy', 'Too many pages of accounts with very many months are asked for.');
}
