/**
 * Months in memory, within a budget in bytes: the least recently used is evicted first. A month that is too large to
 * keep still serves the request that loaded it.
 */

import type { Month } from '@shiftfeed/common/days';
import { LRUCache } from 'lru-cache';
import { ALL_DAYS } from '../listing/day-mask.ts';
import { bufferOf, type DayStarts, type MonthBlock } from '../listing/month.ts';
import { sizeOfView, type View } from '../listing/view.ts';

/** What is in memory of a month at one stamp. It is replaced, never modified. */
export interface CachedMonth {
  readonly month: Month;
  readonly stamp: number;
  /** The month, or some days of it. */
  readonly block: MonthBlock | undefined;
  /** The views of the block, by key. */
  readonly views: ReadonlyMap<string, View>;
  /** Day starts that the database counted because the block is not whole, by the key of their view. */
  readonly dayStarts: ReadonlyMap<string, DayStarts>;
}

/** Data of a month at one stamp that was just loaded. */
export interface MonthUpdate extends Pick<CachedMonth, 'month' | 'stamp'> {
  readonly block?: MonthBlock;
  readonly dayStarts?: ReadonlyMap<string, DayStarts>;
}

export type MonthCache = ReturnType<typeof makeMonthCache>;

const NONE: ReadonlyMap<string, never> = new Map<string, never>();
const MAX_VIEWS_PER_MONTH = 16;
/** For the objects around the arrays, so that many tiny blocks do not count as free. */
const OVERHEAD_BYTES = 2048;

export function makeMonthCache(budgetBytes: number) {
  const cache = new LRUCache<string, CachedMonth>({ maxSize: budgetBytes, sizeCalculation: sizeOf });
  const keyOf = (accountId: number, month: Month) => `${accountId}/${month}`;
  const keyOfBuffer = new WeakMap<ArrayBufferLike, string>();

  return {
    find(accountId: number, month: Month, stamp: number | undefined): CachedMonth | undefined {
      const cached = cache.get(keyOf(accountId, month));
      return cached?.stamp === stamp ? cached : undefined;
    },

    /** Everything that is cached of these months, whatever the stamps. */
    peek(accountId: number, months: readonly Month[]): ReadonlyMap<Month, CachedMonth> {
      const found = new Map<Month, CachedMonth>();
      for (const month of months) {
        const cached = cache.peek(keyOf(accountId, month));
        if (cached !== undefined) found.set(month, cached);
      }
      return found;
    },

    /** Takes the place of what is cached at another stamp. */
    put(accountId: number, update: MonthUpdate): void {
      const key = keyOf(accountId, update.month);
      const present = cache.peek(key);
      cache.set(key, trim(merge(present, update)));
      if (update.block !== undefined) keyOfBuffer.set(bufferOf(update.block), key);
    },

    /** The view of the block with this key, created if it is not cached; undefined when there is no block. */
    view(
      accountId: number,
      cached: CachedMonth,
      viewKey: string,
      make: (block: MonthBlock) => View,
    ): View | undefined {
      const present = cached.views.get(viewKey);
      if (present !== undefined || cached.block === undefined) return present;
      const view = make(cached.block);
      const key = keyOf(accountId, cached.month);
      const current = cache.peek(key);
      // Cached only if its block still is.
      if (current?.block === cached.block) {
        cache.set(key, trim({ ...current, views: new Map(current.views).set(viewKey, view) }));
      }
      return view;
    },

    /** Drops all months of an account. */
    drop(accountId: number): void {
      const ofAccount = [...cache.keys()].filter((key) => key.startsWith(`${accountId}/`));
      for (const key of ofAccount) cache.delete(key);
    },

    /** Whether this is the memory of a cached block. */
    isCached(buffer: ArrayBufferLike): boolean {
      const block = cache.peek(keyOfBuffer.get(buffer) ?? '')?.block;
      return block !== undefined && bufferOf(block) === buffer;
    },

    bytes: () => cache.calculatedSize,
  };
}

export function isWhole(block: MonthBlock | undefined): block is MonthBlock {
  return block?.days === ALL_DAYS;
}

/** A whole month replaces some days of it, and the latest days replace others. */
export function merge(
  cached: CachedMonth | undefined,
  { month, stamp, block, dayStarts }: MonthUpdate,
): CachedMonth {
  const before = cached?.stamp === stamp ? cached : undefined;
  const hasBetter = block === undefined || isWhole(before?.block);
  const best = hasBetter ? before?.block : block;
  return {
    month,
    stamp,
    block: best,
    views: (hasBetter && before?.views) || NONE,
    // A whole month has day starts of its own.
    dayStarts: isWhole(best) ? NONE : new Map([...(before?.dayStarts ?? []), ...(dayStarts ?? [])]),
  };
}

/** Keeps only the latest views. */
function trim(cached: CachedMonth): CachedMonth {
  const latest = <T>(entries: ReadonlyMap<string, T>) =>
    entries.size > MAX_VIEWS_PER_MONTH ? new Map([...entries].slice(-MAX_VIEWS_PER_MONTH)) : entries;
  return { ...cached, views: latest(cached.views), dayStarts: latest(cached.dayStarts) };
}

function sizeOf({ block, views, dayStarts }: CachedMonth): number {
  let bytes = OVERHEAD_BYTES;
  if (block !== undefined) bytes += bufferOf(block).byteLength;
  for (const [key, view] of views) bytes += OVERHEAD_BYTES + 2 * key.length + sizeOfView(view);
  for (const [key, starts] of dayStarts) bytes += OVERHEAD_BYTES + 2 * key.length + starts.byteLength;
  return bytes;
}
