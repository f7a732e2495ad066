/**
 * Supplies pages of accounts whose months are not held. Such a page is made in a thread and not kept. Each account has one
 * made at a time, so that others get their turn, and few wait.
 */

import type { Query } from '../listing/filter.ts';
import { StoreFailure } from '../store/failure.ts';
import { olderThanKnown } from './accounts.ts';
import { holdingOf } from './holding.ts';
import type { LoadedPage, PageRequest } from './load-page.ts';
import type { Order, Supply } from './months.ts';
import type { Readings } from './reading.ts';
import { goneAccount } from './refusal.ts';
import { shareByAccount } from './share.ts';

export interface WholePagesOptions {
  readonly loadPage: (request: PageRequest) => Promise<LoadedPage | undefined>;
  readonly readings: Readings;
}

/** Those that are asked for beyond this number at the same moment are refused. */
const MAX_PAGES_PER_ROUND = 8;
const DEADLINE_MS = 60_000;

export function makeWholePages({ loadPage, readings }: WholePagesOptions): (order: Order) => Promise<Supply> {
  const loads = shareByAccount(loadPages, { deadlineMs: DEADLINE_MS });

  async function loadPages(orders: readonly Order[]): Promise<ReadonlyMap<Query, LoadedPage>> {
    const pages = new Map<Query, LoadedPage>();
    const distinct = [...new Map(orders.map((order) => [order.query, order])).values()];
    for (const { holding, query, nowMs } of distinct.slice(0, MAX_PAGES_PER_ROUND)) {
      const page = await loadPage({ slug: holding.account.slug, history: holding.history, query, nowMs });
      if (page?.state.account.id !== holding.account.id) throw goneAccount(holding.account);
      if (page.state.revision < holding.revision) throw olderThanKnown();
      pages.set(query, page);
    }
    return pages;
  }

  return async (order) => {
    const page = (await loads(order.holding.account.id, order)).get(order.query);
    if (page === undefined)
      throw new StoreFailure('busy', 'Too many pages of an account with very many months are asked for.');
    const holding = holdingOf(page.state);
    return {
      holding,
      reading: readings(holding, order.query, order.nowMs),
      place: page.place,
      cut: () => (page.bytes.length === 0 ? [] : [page.bytes]),
    };
  };
}
