/**
 * Pages of huge accounts. A thread makes each page as a whole, and it is not kept. A page may take a second, so one is
 * made at a time for all huge accounts together: the other thread stays free for everybody else.
 */

import type { Query } from '../../listing/filter.ts';
import { StoreFailure } from '../../store/failure.ts';
import { snapshotOf } from '../access/account-snapshot.ts';
import { olderThanHeld } from '../access/accounts.ts';
import { batchByAccount } from '../access/batch.ts';
import type { PageRequest, PreparedPage } from '../pages/prepare.ts';
import type { Resolve } from '../pages/resolved-query.ts';
import { goneAccount } from '../refusal.ts';
import type { WholePage, WholePageToLoad } from './load-whole-page.ts';

export interface WholePagesOptions {
  readonly loadWholePage: (request: WholePageToLoad) => Promise<WholePage | undefined>;
  readonly resolve: Resolve;
}

/** When more than this many wait at the same moment, the rest is refused. */
const MAX_PAGES_PER_BATCH = 8;
const DEADLINE_MS = 60_000;

export function makeWholePages({
  loadWholePage,
  resolve,
}: WholePagesOptions): (request: PageRequest) => Promise<PreparedPage> {
  const loadInBatch = batchByAccount(loadAll, { deadlineMs: DEADLINE_MS });
  let last: Promise<unknown> = Promise.resolve();

  /** Runs after all pages that were asked for before, unless nobody waits any more by then. */
  function loadInTurn(request: WholePageToLoad, endMs: number): Promise<WholePage | undefined> {
    const turn = last.then(() => {
      if (performance.now() > endMs) throw tooMany();
      return loadWholePage(request);
    });
    last = turn.catch(() => undefined);
    return turn;
  }

  async function loadAll(requests: readonly PageRequest[]): Promise<ReadonlyMap<Query, WholePage>> {
    const pages = new Map<Query, WholePage>();
    const distinct = [...new Map(requests.map((request) => [request.query, request])).values()];
    const endMs = performance.now() + DEADLINE_MS;
    for (const { snapshot, query, nowMs } of distinct.slice(0, MAX_PAGES_PER_BATCH)) {
      const { account, history } = snapshot;
      const page = await loadInTurn({ slug: account.slug, history, query, nowMs }, endMs);
      if (page?.state.account.id !== account.id) throw goneAccount(account);
      if (page.state.revision < snapshot.revision) throw olderThanHeld();
      pages.set(query, page);
    }
    return pages;
  }

  return async (request) => {
    const { snapshot: asked, query, nowMs } = request;
    const page = (await loadInBatch(asked.account.id, request)).get(query);
    if (page === undefined) throw tooMany();
    const snapshot = snapshotOf(page.state);
    return {
      snapshot,
      resolved: resolve(snapshot, query, nowMs),
      layout: page.layout,
      cut: () => (page.bytes.length === 0 ? [] : [page.bytes]),
    };
  };
}

function tooMany(): StoreFailure {
  return new StoreFailure('busy', 'Too many pages of accounts with very many months are asked for.');
}
