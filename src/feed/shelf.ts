/**
 * What is known of months, in memory: least recently used out first, never more than a budget in bytes. What is too
 * large to keep still serves the request that loaded it.
 */

import { LRUCache } from 'lru-cache';
import type { Month } from '../listing/calendar.ts';
import { ALL_DAYS } from '../listing/day-mask.ts';
import { bufferOf, type DayStarts, type MonthBlock } from '../listing/month.ts';
import { sizeOfView, type View } from '../listing/view.ts';

/** What is known of a month as of a stamp. It is replaced, never changed. */
export interface Shelved {
  readonly month: Month;
  readonly stamp: number;
  /** The month, or some days of it. */
  readonly block: MonthBlock | undefined;
  /** The views that were asked of the block, by key. */
  readonly views: ReadonlyMap<string, View>;
  /** Day tables that were counted without a whole block, by the key of their view. */
  readonly tallies: ReadonlyMap<string, DayStarts>;
}

/** Something that was learnt of a month as of a stamp. */
export interface News extends Pick<Shelved, 'month' | 'stamp'> {
  readonly block?: MonthBlock;
  readonly tallies?: ReadonlyMap<string, DayStarts>;
}

export interface Shelf {
  /** What is known of a month as of `stamp`. */
  find(accountId: number, month: Month, stamp: number): Shelved | undefined;
  /** All that is known of these months, whatever the stamps. */
  known(accountId: number, months: readonly Month[]): ReadonlyMap<Month, Shelved>;
  /** Adds to what is known of a month. */
  put(accountId: number, news: News): void;
  /** A view of the block by its key, made when it is not kept. */
  view(accountId: number, shelved: Shelved, key: string, make: (block: MonthBlock) => View): View | undefined;
  /** Drops all months of an account. */
  forget(accountId: number): void;
  /** Whether this is the memory of a block that is kept. */
  isCached(buffer: ArrayBufferLike): boolean;
  bytes(): number;
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>();
const MAX_VIEWS_PER_MONTH = 16;
/** For the objects around the arrays, so that many tiny blocks are not taken for free. */
const FRAME_BYTES = 2048;

export function makeShelf(budgetBytes: number): Shelf {
  const cache = new LRUCache<string, Shelved>({ maxSize: budgetBytes, sizeCalculation: sizeOfShelved });
  const keyOf = (accountId: number, month: Month) => `${accountId}/${month}`;
  const keyOfBuffer = new WeakMap<ArrayBufferLike, string>();

  return {
    find(accountId, month, stamp) {
      const shelved = cache.get(keyOf(accountId, month));
      return shelved?.stamp === stamp ? shelved : undefined;
    },

    known(accountId, months) {
      const found = new Map<Month, Shelved>();
      for (const month of months) {
        const shelved = cache.peek(keyOf(accountId, month));
        if (shelved !== undefined) found.set(month, shelved);
      }
      return found;
    },

    put(accountId, news) {
      const key = keyOf(accountId, news.month);
      const present = cache.peek(key);
      if (present !== undefined && present.stamp > news.stamp) return;
      cache.set(key, trim(learn(present, news)));
      if (news.block !== undefined) keyOfBuffer.set(bufferOf(news.block), key);
    },

    view(accountId, shelved, key, make) {
      const known = shelved.views.get(key);
      if (known !== undefined || shelved.block === undefined) return known;
      const view = make(shelved.block);
      const place = keyOf(accountId, shelved.month);
      const present = cache.peek(place);
      // Only where the block that it belongs to is still kept.
      if (present?.block === shelved.block) {
        cache.set(place, trim({ ...present, views: new Map(present.views).set(key, view) }));
      }
      return view;
    },

    forget(accountId) {
      const ofAccount = [...cache.keys()].filter((key) => key.startsWith(`${accountId}/`));
      for (const key of ofAccount) cache.delete(key);
    },

    isCached(buffer) {
      const block = cache.peek(keyOfBuffer.get(buffer) ?? '')?.block;
      return block !== undefined && bufferOf(block) === buffer;
    },

    bytes: () => cache.calculatedSize,
  };
}

export function isWhole(block: MonthBlock | undefined): block is MonthBlock {
  return block?.days === ALL_DAYS;
}

/** What is known with the news: a whole month beats some days of it, and the latest days beat others. */
export function learn(known: Shelved | undefined, { month, stamp, block, tallies }: News): Shelved {
  const before = known?.stamp === stamp ? known : undefined;
  const hasBetter = block === undefined || isWhole(before?.block);
  const best = hasBetter ? before?.block : block;
  return {
    month,
    stamp,
    block: best,
    views: (hasBetter && before?.views) || NONE,
    // A whole month has its own.
    tallies: isWhole(best) ? NONE : new Map([...(before?.tallies ?? []), ...(tallies ?? [])]),
  };
}

/** Only the latest views are kept. */
function trim(shelved: Shelved): Shelved {
  const latest = <T>(entries: ReadonlyMap<string, T>) =>
    entries.size > MAX_VIEWS_PER_MONTH ? new Map([...entries].slice(-MAX_VIEWS_PER_MONTH)) : entries;
  return { ...shelved, views: latest(shelved.views), tallies: latest(shelved.tallies) };
}

function sizeOfShelved({ block, views, tallies }: Shelved): number {
  let bytes = FRAME_BYTES;
  if (block !== undefined) bytes += bufferOf(block).byteLength;
  for (const [key, view] of views) bytes += FRAME_BYTES + 2 * key.length + sizeOfView(view);
  for (const [key, tally] of tallies) bytes += FRAME_BYTES + 2 * key.length + tally.byteLength;
  return bytes;
}
