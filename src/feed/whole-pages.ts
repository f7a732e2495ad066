/**
 * Supplies pages of accounts whose months are not held. Such a page is made in a thread and not kept. It may take a second, so
 * one is made at a time, for all such accounts together: the other thread stays free for everybody else.
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
  let last: Promise<unknown> = Promise.resolve();

  /** After all that were asked for before, unless nobody waits any more by then. */
  function inTurn(request: PageRequest, endMs: number): Promise<LoadedPage | undefined> {
    const turn = last.then(() => {
      if (performance.now() > endMs) throw tooMany();
      return loadPage(request);
    });
    last = turn.catch(() => undefined);
    return turn;
  }

  async function loadPages(orders: readonly Order[]): Promise<ReadonlyMap<Query, LoadedPage>> {
    const pages = new Map<Query, LoadedPage>();
    const distinct = [...new Map(orders.map((order) => [order.query, order])).values()];
    const endMs = performance.now() + DEADLINE_MS;
    for (const { holding, query, nowMs } of distinct.slice(0, MAX_PAGES_PER_ROUND)) {
      const { account, history } = holding;
      const page = await inTurn({ slug: account.slug, history, query, nowMs }, endMs);
      if (page?.state.account.id !== holding.account.id) throw goneAccount(holding.account);
      if (page.state.revision < holding.revision) throw olderThanKnown();
      pages.set(query, page);
    }
    return pages;
  }

  return async (order) => {
    const page = (await loads(order.holding.account.id, order)).get(order.query);
    if (page === undefined) throw tooMany();
    const holding = holdingOf(page.state);
    return {
      holding,
      reading: readings(holding, order.query, order.nowMs),
      place: page.place,
      cut: () => (page.bytes.length === 0 ? [] : [page.bytes]),
    };
  };
}

function tooMany(): StoreFailure {
  return new StoreFailure('busy', 'Too many pages of accounts with very many months are asked for.');
}
