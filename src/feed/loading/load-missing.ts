/**
 * Loads what pages lack in memory. Requests for one account that wait at the same moment share a load. Months that it
 * did not load as a whole are backfilled, so that the next request finds them.
 */

import type { Month } from '../../listing/calendar.ts';
import { bufferOf } from '../../listing/month.ts';
import { type AccountSnapshot, snapshotOf } from '../access/account-snapshot.ts';
import { olderThanHeld } from '../access/accounts.ts';
import { batchByAccount } from '../access/batch.ts';
import { type CachedMonth, isWhole, type MonthCache, type MonthUpdate, merge } from '../cache/month-cache.ts';
import { type FindMonth, monthViews, type PageRequest } from '../pages/prepare.ts';
import type { Resolve } from '../pages/resolved-query.ts';
import { goneAccount } from '../refusal.ts';
import { type BackfilledAccount, makeBackfill } from './backfill.ts';
import type { HeldDayStarts, LoadedPages, PageToLoad } from './load-pages.ts';
import type { Loader } from './loader.ts';

/** Reading a large account for the first time may take some seconds, and a batch may wait for another. */
const DEADLINE_MS = 60_000;
/** One account may be backfilled up to this share of the cache. */
const BACKFILL_SHARE_OF_BUDGET = 1 / 2;

export interface LoadMissingOptions {
  readonly loader: Pick<Loader, 'loadPages' | 'loadMonth'>;
  readonly cache: MonthCache;
  readonly resolve: Resolve;
  readonly budgetBytes: number;
  /** Below this many missing rows, load whole months; above it, only the days that the pages cover. */
  readonly eagerRows: number;
  /** Whether a snapshot is of the history that its account has now. What was loaded of another one is not cached. */
  readonly isCurrentHistory: (snapshot: AccountSnapshot) => boolean;
  readonly onLoaded: (blocks: number) => void;
}

/**
 * A snapshot, and at least what the pages of one load need of its months. The months of a huge account are left out.
 */
export interface LoadResult {
  readonly snapshot: AccountSnapshot;
  readonly find: FindMonth;
}

export function makeLoadMissing(options: LoadMissingOptions): (request: PageRequest) => Promise<LoadResult> {
  const { loader, cache, resolve, budgetBytes, eagerRows, isCurrentHistory, onLoaded } = options;
  const loadInBatch = batchByAccount(loadAll, { deadlineMs: DEADLINE_MS });
  const backfill = makeBackfill({ loadMonth, budgetBytes: budgetBytes * BACKFILL_SHARE_OF_BUDGET });

  async function loadAll(requests: readonly PageRequest[]): Promise<LoadResult> {
    const { account, history, months } = (requests.at(-1) as PageRequest).snapshot;
    // Months that leave the cache while the load is under way stay reachable from here.
    const cached = cache.peek(account.id, months);
    const loaded = await loader.loadPages({
      slug: account.slug,
      history,
      pages: requests.map((request) => pageToLoad(request, cached)),
      held: new Map(
        Array.from(cached, ([month, { stamp, block }]) => [month, { stamp, days: block?.days ?? 0 }]),
      ),
      eagerRows,
    });
    if (loaded?.state.account.id !== account.id) throw goneAccount(account);
    const snapshot = snapshotOf(loaded.state);
    if (requests.some((request) => isOlder(snapshot, request.snapshot))) throw olderThanHeld();
    if (snapshot.isHuge) return { snapshot, find: () => undefined };
    const present = new Map(cached);
    for (const update of updatesOf(snapshot, loaded)) {
      keep(snapshot, update);
      present.set(update.month, merge(present.get(update.month), update));
    }
    onLoaded(loaded.blocks.length);
    backfill(snapshot, loaded.incomplete);
    return {
      snapshot,
      find(month, stamp) {
        const found = present.get(month);
        return found?.stamp === stamp ? found : undefined;
      },
    };
  }

  /** A page with the day starts in memory of the months that it is likely to touch. */
  function pageToLoad(request: PageRequest, cached: ReadonlyMap<Month, CachedMonth>): PageToLoad {
    const { snapshot, query, nowMs } = request;
    const resolved = resolve(snapshot, query, nowMs);
    const views = monthViews(cache, request, resolved);
    const held = new Map<Month, HeldDayStarts>();
    for (const { month } of resolved.months) {
      const found = cached.get(month);
      const dayStarts = found && views.dayStartsOf(found);
      // A copy, because those of a whole month would take its whole buffer along to the other thread.
      if (found && dayStarts) held.set(month, { stamp: found.stamp, dayStarts: dayStarts.slice() });
    }
    return { ...query, nowMs, viewKey: resolved.viewKey, dayStarts: held };
  }

  async function loadMonth(
    { account, history }: BackfilledAccount,
    month: Month,
  ): Promise<number | undefined> {
    const cached = cache.peek(account.id, [month]).get(month);
    const loaded = await loader.loadMonth({
      slug: account.slug,
      history,
      month,
      heldStamp: isWhole(cached?.block) ? cached?.stamp : undefined,
    });
    if (loaded?.state.account.id !== account.id) return undefined;
    const { state, block } = loaded;
    if (block === undefined) return 0;
    const snapshot = snapshotOf(state);
    if (!snapshot.isHuge) keep(snapshot, { month, stamp: stampOf(snapshot, month), block });
    onLoaded(1);
    return bufferOf(block).byteLength;
  }

  function keep(snapshot: AccountSnapshot, update: MonthUpdate): void {
    if (isCurrentHistory(snapshot)) cache.put(snapshot.account.id, update);
  }

  return async (request) => {
    const { account, history } = request.snapshot;
    const result = await loadInBatch(account.id, request);
    if (result.snapshot.history !== history) throw olderThanHeld();
    return result;
  };
}

function updatesOf(snapshot: AccountSnapshot, { blocks, counted }: LoadedPages): MonthUpdate[] {
  return [
    ...counted.map(({ month, viewKey, dayStarts }) => ({
      month,
      stamp: stampOf(snapshot, month),
      dayStarts: new Map([[viewKey, dayStarts]]),
    })),
    ...blocks.map((block) => ({ month: block.month, stamp: stampOf(snapshot, block.month), block })),
  ];
}

function stampOf({ stamps }: AccountSnapshot, month: Month): number {
  return stamps.get(month) as number;
}

function isOlder(loaded: AccountSnapshot, asked: AccountSnapshot): boolean {
  return asked.history === loaded.history && asked.revision > loaded.revision;
}
