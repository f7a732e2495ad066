/**
 * Month blocks in memory, least recently used out first, never more than a budget in bytes. A block that
 * is too large to keep still serves the request that loaded it.
 */

import { LRUCache } from 'lru-cache';
import type { Month } from '../listing/calendar.ts';
import { buffersOf, type MonthBlock } from '../listing/month.ts';
import { sizeOfView, type View } from '../listing/view.ts';

/** A block with the views that were asked of it. It is replaced, never changed. */
export interface Shelved {
  readonly stamp: number;
  readonly block: MonthBlock;
  readonly views: ReadonlyMap<string, View>;
}

export interface Shelf {
  /** The block of a month as of `stamp`, if it is kept. */
  find(accountId: number, month: Month, stamp: number): Shelved | undefined;
  /** Those of the blocks that are kept, whatever their stamps. */
  blocksOf(accountId: number, months: readonly Month[]): ReadonlyMap<Month, Shelved>;
  put(accountId: number, block: MonthBlock, stamp: number): Shelved;
  /** A view of a shelved block by its key, made when it is not kept. */
  view(accountId: number, shelved: Shelved, key: string, make: (block: MonthBlock) => View): View;
  /** Drops all blocks of an account. */
  forget(accountId: number): void;
  bytes(): number;
}

const MAX_VIEWS_PER_BLOCK = 16;
/** For the objects around the arrays, so that many tiny blocks are not taken for free. */
const FRAME_BYTES = 2048;

export function makeShelf(budgetBytes: number): Shelf {
  const cache = new LRUCache<string, Shelved>({ maxSize: budgetBytes, sizeCalculation: sizeOfShelved });
  const keyOf = (accountId: number, month: Month) => `${accountId}/${month}`;

  return {
    find(accountId, month, stamp) {
      const shelved = cache.get(keyOf(accountId, month));
      return shelved?.stamp === stamp ? shelved : undefined;
    },

    blocksOf(accountId, months) {
      const blocks = new Map<Month, Shelved>();
      for (const month of months) {
        const shelved = cache.peek(keyOf(accountId, month));
        if (shelved !== undefined) blocks.set(month, shelved);
      }
      return blocks;
    },

    put(accountId, block, stamp) {
      const key = keyOf(accountId, block.month);
      const shelved = { stamp, block, views: new Map() };
      const present = cache.peek(key);
      if (present === undefined || present.stamp < stamp) cache.set(key, shelved);
      return shelved;
    },

    view(accountId, shelved, key, make) {
      const known = shelved.views.get(key);
      if (known !== undefined) return known;
      const view = make(shelved.block);
      const views = [...shelved.views, [key, view] as const].slice(-MAX_VIEWS_PER_BLOCK);
      const place = keyOf(accountId, shelved.block.month);
      // Only where the block that it belongs to is still kept.
      if (cache.peek(place) === shelved) cache.set(place, { ...shelved, views: new Map(views) });
      return view;
    },

    forget(accountId) {
      const ofAccount = [...cache.keys()].filter((key) => key.startsWith(`${accountId}/`));
      for (const key of ofAccount) cache.delete(key);
    },

    bytes: () => cache.calculatedSize,
  };
}

function sizeOfShelved({ block, views }: Shelved): number {
  let bytes = FRAME_BYTES;
  for (const buffer of buffersOf(block)) bytes += buffer.byteLength;
  for (const [key, view] of views) bytes += FRAME_BYTES + 2 * key.length + sizeOfView(view);
  return bytes;
}
