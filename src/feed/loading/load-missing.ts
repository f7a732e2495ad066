/**
 * Loads pages that are not in memory. Requests for one account that wait at the same moment share a load. Months that
 * were not loaded as a whole are backfilled, so that the next request finds them.
 */

import type { Month } from '@shiftfeed/common/days';
import { LRUCache } from 'lru-cache';
import { bufferOf } from '../../listing/month.ts';
import { type AccountSnapshot, type KeptState, olderThanHeld, type Snapshots } from '../access/snapshots.ts';
import { type CachedMonth, type MonthCache, type MonthUpdate, merge } from '../months.ts';
import type { AccountAtRevision, CutPage, Page } from '../page.ts';
import { goneAccount } from '../refusal.ts';
import { batchByAccount, type Clock, EVENT_LOOP, type Timers, withDeadline } from '../waiting.ts';
import type { HeldDayStarts, HeldDays, LoadedPages, PagesToLoad, PageToLoad } from './load-pages.ts';
import type { Loader } from './loader.ts';

/** Reading a large account for the first time may take some seconds, and a batch may wait for another. */
const DEADLINE_MS = 60_000;
/** One account may be backfilled up to this share of the cache. */
const BACKFILL_SHARE_OF_BUDGET = 1 / 2;
/** So much may be renewed at once: until it is loaded, the old months are in memory beside it. */
const RENEWED_SHARE_OF_BUDGET = 1 / 8;

export interface LoadMissingOptions {
  readonly load: Loader['load'];
  readonly cache: MonthCache;
  readonly budgetBytes: number;
  /** Below this many missing rows, load whole months; above it, only the days that the pages cover. */
  readonly eagerRows: number;
  readonly keepState: Snapshots['keep'];
  readonly clock: Clock;
  readonly onLoaded: (blocks: number) => void;
  /** Called when everything that is in memory of an account is of this state. */
  readonly onWhole: (of: AccountAtRevision) => void;
  readonly timers?: Timers | undefined;
}

export type LoadMissing = ReturnType<typeof makeLoadMissing>;

export function makeLoadMissing(options: LoadMissingOptions) {
  const { cache, budgetBytes, eagerRows, keepState, onWhole, clock, timers = EVENT_LOOP } = options;
  // One that never ends would keep the backfill from going on.
  const load: Loader['load'] = (request) => withDeadline(options.load(request), DEADLINE_MS, timers);
  const loadInBatch = batchByAccount(loadAll, { deadlineMs: DEADLINE_MS, timers });
  const later = oneAfterTheOther();
  const backfill = makeBackfill(loadMonths, later, budgetBytes * BACKFILL_SHARE_OF_BUDGET);

  async function loadAll(requests: readonly RequestedPage[]): Promise<LoadedBatch> {
    // All of them are still waiting, so the latest account and time are right for each.
    const { page, nowMs } = requests.at(-1) as RequestedPage;
    const { account, months } = page.of;
    // Keeps months reachable that the cache evicts during the load.
    const cached = cache.peek(account.id, months);
    const pages = [...new Set(requests.map((request) => request.page))];
    const beganMs = clock();
    const loaded = await load({
      ...requestFor(page.of, cached, eagerRows),
      nowMs,
      pages: pages.map((wanted) => pageToLoad(wanted, cached, cache)),
    });
    if (loaded?.state.account.id !== account.id) throw goneAccount(account);
    const kept = keepState(loaded.state, beganMs);
    if (pages.some(({ of }) => isOlder(kept.snapshot, of))) throw olderThanHeld();
    const present = keepLoaded(options, kept, loaded, cached);
    // After the answers: those that need not be compressed first are sent in this turn of the event loop.
    timers.soon(() => backfill(kept.snapshot, loaded.incomplete));
    return { snapshot: kept.snapshot, nowMs, present };
  }

  /** Returns how many bytes the months take; undefined when the account is gone. */
  async function loadMonths(of: AccountAtRevision, months: readonly Month[]): Promise<number | undefined> {
    const cached = cache.peek(of.account.id, months);
    const beganMs = clock();
    const loaded = await load({ ...requestFor(of, cached, eagerRows), wholeMonths: months });
    if (loaded?.state.account.id !== of.account.id) return undefined;
    const kept = keepState(loaded.state, beganMs);
    keepLoaded(options, kept, loaded, new Map());
    if (oldMonths(kept.snapshot, cache).length === 0) onWhole(kept.snapshot);
    return loaded.blocks.reduce((bytes, block) => bytes + bufferOf(block).byteLength, 0);
  }

  async function renewMonths(of: AccountAtRevision): Promise<void> {
    const old = oldMonths(of, cache);
    const months = old.map(({ month }) => month);
    const bytes = old.reduce((sum, { block }) => sum + (block ? bufferOf(block).byteLength : 0), 0);
    if (months.length === 0) onWhole(of);
    // In one load, if possible, because months of two states make no page.
    else if (bytes <= budgetBytes * RENEWED_SHARE_OF_BUDGET) await loadMonths(of, months);
    else backfill(of, months);
  }

  return {
    /** The result may be the same page of a newer snapshot. */
    load: async (page: Page, nowMs: number): Promise<CutPage> =>
      cutFrom(await loadInBatch(page.of.account.id, { page, nowMs }), page, cache),
    /** Loads in the background what is in memory of the account, and has changed since. */
    renew: (of: AccountAtRevision) => later(`renew ${of.account.id}`, () => renewMonths(of)),
  };
}

interface RequestedPage {
  readonly page: Page;
  readonly nowMs: number;
}

interface LoadedBatch {
  readonly snapshot: AccountSnapshot;
  readonly nowMs: number;
  readonly present: ReadonlyMap<Month, CachedMonth>;
}

function cutFrom({ snapshot, nowMs, present }: LoadedBatch, page: Page, cache: MonthCache): CutPage {
  if (snapshot.history !== page.of.history) throw olderThanHeld();
  const found = snapshot.page(page.query, nowMs).cut((month) => present.get(month), cache);
  if (found === undefined) throw new Error('A load left out what a page needs.');
  return found;
}

/** Those that are in memory in another state. */
function oldMonths({ account, months, stamps }: AccountAtRevision, cache: MonthCache): CachedMonth[] {
  const cached = [...cache.peek(account.id, months).values()];
  return cached.filter(({ month, stamp }) => stamp !== stamps.get(month));
}

/** A page with the day starts that are in memory, for the months that it is likely to touch. */
function pageToLoad(page: Page, cached: ReadonlyMap<Month, CachedMonth>, cache: MonthCache): PageToLoad {
  const held = new Map<Month, HeldDayStarts>();
  for (const { month } of page.months) {
    const found = cached.get(month);
    const dayStarts = found && page.dayStartsOf(found, cache);
    // A copy, because those of a whole month are part of its buffer, which would be copied to the other thread as a
    // whole.
    if (found && dayStarts) held.set(month, { stamp: found.stamp, dayStarts: dayStarts.slice() });
  }
  return { ...page.query, viewKey: page.viewKey, dayStarts: held };
}

function requestFor(
  of: AccountAtRevision,
  cached: ReadonlyMap<Month, CachedMonth>,
  eagerRows: number,
): PagesToLoad {
  const { account, history } = of;
  const held = new Map<Month, HeldDays>();
  for (const [month, { stamp, block }] of cached) held.set(month, { stamp, days: block?.days ?? 0 });
  return { slug: account.slug, history, nowMs: 0, pages: [], wholeMonths: [], held, eagerRows };
}

/**
 * Caches what was loaded, and returns everything that is in memory of the snapshot's months. A month is cached if the
 * held snapshot has its stamp: only then will it be looked for. That need not be the largest stamp, because changes
 * may be lost with the server that had them, and loads arrive in any order. If what is cached of the month is not of
 * the held snapshot either, the later of the two is cached: it may have to bridge an outage.
 */
function keepLoaded(
  { cache, onLoaded }: LoadMissingOptions,
  { snapshot, held }: KeptState,
  loaded: LoadedPages,
  cached: ReadonlyMap<Month, CachedMonth>,
): ReadonlyMap<Month, CachedMonth> {
  const { id } = snapshot.account;
  const cachedBefore = cache.peek(id, snapshot.months);
  const isKept = ({ month, stamp }: MonthUpdate) => {
    const before = cachedBefore.get(month)?.stamp;
    const isLater = before !== undefined && before !== held.stamps.get(month) && before < stamp;
    return held.history === snapshot.history && (held.stamps.get(month) === stamp || isLater);
  };
  const present = new Map([...cached].filter(([month, { stamp }]) => stamp === snapshot.stamps.get(month)));
  for (const update of updatesOf(snapshot, loaded)) {
    if (isKept(update)) cache.put(id, update);
    present.set(update.month, merge(present.get(update.month), update));
  }
  onLoaded(loaded.blocks.length);
  return present;
}

function updatesOf({ stamps }: AccountSnapshot, { blocks, counted }: LoadedPages): MonthUpdate[] {
  const stampOf = (month: Month) => stamps.get(month) as number;
  return [
    ...counted.map(({ month, viewKey, dayStarts }) => ({
      month,
      stamp: stampOf(month),
      dayStarts: new Map([[viewKey, dayStarts]]),
    })),
    ...blocks.map((block) => ({ month: block.month, stamp: stampOf(block.month), block })),
  ];
}

function isOlder(loaded: AccountAtRevision, asked: AccountAtRevision): boolean {
  return asked.history === loaded.history && asked.revision > loaded.revision;
}

const MAX_MEASURED_ACCOUNTS = 1_000;

/** Returns at once. A month that fails is left to the request that needs it. */
type Backfill = (of: AccountAtRevision, months: readonly Month[]) => void;

/**
 * Loads whole months in the background, one after the other. An account that would evict most others from the cache,
 * and then itself, is not backfilled: its pages are loaded day by day.
 */
function makeBackfill(
  load: (of: AccountAtRevision, months: readonly Month[]) => Promise<number | undefined>,
  later: Later,
  budgetBytes: number,
): Backfill {
  const waiting = new Map<number, Set<Month>>();
  /** The average size of an account's months when some of them were last loaded. */
  const bytesPerMonth = new LRUCache<number, number>({ max: MAX_MEASURED_ACCOUNTS });

  const fits = (accountId: number, count: number) =>
    (bytesPerMonth.get(accountId) ?? 0) * count <= budgetBytes;

  async function fill(of: AccountAtRevision, months: ReadonlySet<Month>): Promise<void> {
    const { id } = of.account;
    let bytes = 0;
    let done = 0;
    for (const month of months) {
      if (!fits(id, months.size)) return;
      const loadedBytes = await load(of, [month]);
      if (loadedBytes === undefined) return;
      bytes += loadedBytes;
      done++;
      bytesPerMonth.set(id, bytes / done);
    }
  }

  return (of, months) => {
    if (months.length === 0) return;
    const { id } = of.account;
    const wanted = waiting.get(id) ?? new Set<Month>();
    for (const month of months) wanted.add(month);
    waiting.set(id, wanted);
    later(`fill ${id}`, () => {
      waiting.delete(id);
      return fill(of, wanted);
    });
  };
}

/** Of two works that wait under the same name, only the later one is done. */
type Later = (name: string, work: () => Promise<unknown>) => void;

/** Does one thing after the other in the background, so that all of them occupy one thread at most. */
function oneAfterTheOther(): Later {
  const waiting = new Map<string, () => Promise<unknown>>();
  let isRunning = false;

  async function doAll(): Promise<void> {
    isRunning = true;
    for (const [name, work] of waiting) {
      waiting.delete(name);
      await work().catch(() => undefined);
    }
    isRunning = false;
  }

  return (name, work) => {
    waiting.set(name, work);
    if (!isRunning) doAll();
  };
}
