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

export interface LoadMissingOptions {
  readonly load: Loader['load'];
  readonly cache: MonthCache;
  readonly budgetBytes: number;
  /** Below this many missing rows, load whole months; above it, only the days that the pages cover. */
  readonly eagerRows: number;
  readonly keepState: Snapshots['keep'];
  readonly clock: Clock;
  readonly onLoaded: (blocks: number) => void;
  readonly timers?: Timers | undefined;
}

export interface LoadMissing {
  /** The result may be the same page of a newer snapshot. */
  load(page: Page, nowMs: number): Promise<CutPage>;
  /** Loads in the background what is in memory of the account, and has changed since. */
  renew(of: AccountAtRevision): void;
}

export function makeLoadMissing(options: LoadMissingOptions): LoadMissing {
  const { cache, budgetBytes, eagerRows, keepState, clock, timers = EVENT_LOOP } = options;
  // One that never ends would keep the backfill from going on.
  const load: Loader['load'] = (request) => withDeadline(options.load(request), DEADLINE_MS, timers);
  const loadInBatch = batchByAccount(loadAll, { deadlineMs: DEADLINE_MS, timers });
  const backfill = makeBackfill(loadMonth, budgetBytes * BACKFILL_SHARE_OF_BUDGET);

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

  /** Returns how many bytes the month takes; undefined when the account is gone. */
  async function loadMonth(of: AccountAtRevision, month: Month): Promise<number | undefined> {
    const cached = cache.peek(of.account.id, [month]);
    const beganMs = clock();
    const loaded = await load({ ...requestFor(of, cached, eagerRows), wholeMonths: [month] });
    if (loaded?.state.account.id !== of.account.id) return undefined;
    keepLoaded(options, keepState(loaded.state, beganMs), loaded, new Map());
    return loaded.blocks.reduce((bytes, block) => bytes + bufferOf(block).byteLength, 0);
  }

  async function loadPage(page: Page, nowMs: number): Promise<CutPage> {
    const loaded = await loadInBatch(page.of.account.id, { page, nowMs });
    if (loaded.snapshot.history !== page.of.history) throw olderThanHeld();
    const found = loaded.snapshot
      .page(page.query, loaded.nowMs)
      .cut((month) => loaded.present.get(month), cache);
    if (found === undefined) throw new Error('A load left out what a page needs.');
    return found;
  }

  return {
    load: loadPage,
    renew(of) {
      const cached = cache.peek(of.account.id, of.months);
      const isOld = (month: Month) => cached.has(month) && cached.get(month)?.stamp !== of.stamps.get(month);
      backfill(of, of.months.filter(isOld));
    },
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
 * may be lost with the server that had them, and loads arrive in any order.
 */
function keepLoaded(
  { cache, onLoaded }: LoadMissingOptions,
  { snapshot, held }: KeptState,
  loaded: LoadedPages,
  cached: ReadonlyMap<Month, CachedMonth>,
): ReadonlyMap<Month, CachedMonth> {
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
 * Loads whole months in the background, one after the other, so that they occupy one thread at most. An account that
 * would evict most others from the cache, and then itself, is not backfilled: its pages are loaded day by day.
 */
function makeBackfill(
  loadMonth: (of: AccountAtRevision, month: Month) => Promise<number | undefined>,
  budgetBytes: number,
): Backfill {
  const waiting = new Map<number, { readonly of: AccountAtRevision; readonly months: Set<Month> }>();
  /** The average size of an account's months when some of them were last loaded. */
  const bytesPerMonth = new LRUCache<number, number>({ max: MAX_MEASURED_ACCOUNTS });
  let isRunning = false;

  const fits = (accountId: number, count: number) =>
    (bytesPerMonth.get(accountId) ?? 0) * count <= budgetBytes;

  async function fillAccount(of: AccountAtRevision, months: ReadonlySet<Month>): Promise<void> {
    const { id } = of.account;
    let bytes = 0;
    let done = 0;
    for (const month of months) {
      if (!fits(id, months.size)) return;
      const loadedBytes = await loadMonth(of, month);
      if (loadedBytes === undefined) return;
      bytes += loadedBytes;
      done++;
      bytesPerMonth.set(id, bytes / done);
    }
  }

  async function fillAll(): Promise<void> {
    isRunning = true;
    for (const [id, { of, months }] of waiting) {
      waiting.delete(id);
      await fillAccount(of, months).catch(() => undefined);
    }
    isRunning = false;
  }

  return (of, months) => {
    if (months.length === 0) return;
    const { id } = of.account;
    const queued = waiting.get(id)?.months ?? new Set<Month>();
    for (const month of months) queued.add(month);
    waiting.set(id, { of, months: queued });
    if (!isRunning) fillAll();
  };
}
