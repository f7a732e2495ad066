/**
 * Prepares a page from months in memory: its layout, and the slices of month blocks that it consists of.
 */

import type { Month } from '../../listing/calendar.ts';
import { includesDays } from '../../listing/day-mask.ts';
import type { Query } from '../../listing/filter.ts';
import type { DayStarts } from '../../listing/month.ts';
import {
  type CountedMonth,
  cutPage,
  layOutPage,
  type PageLayout,
  type ReadyPart,
} from '../../listing/page.ts';
import { type View, viewOf } from '../../listing/view.ts';
import type { AccountSnapshot } from '../access/account-snapshot.ts';
import { type CachedMonth, isWhole, type MonthCache } from '../cache/month-cache.ts';
import type { Resolve, ResolvedQuery } from './resolved-query.ts';

export interface PageRequest {
  readonly snapshot: AccountSnapshot;
  readonly query: Query;
  readonly nowMs: number;
}

export interface PreparedPage {
  /** The requested snapshot, or a newer one. */
  readonly snapshot: AccountSnapshot;
  readonly resolved: ResolvedQuery;
  readonly layout: PageLayout;
  /** The bytes of the page. */
  cut(): readonly Uint8Array[];
}

/** Finds a month in the state of the snapshot, in the cache or in what was just loaded. */
export type FindMonth = (month: Month) => CachedMonth | undefined;

/**
 * Returns undefined when `find` lacks something that the page needs. The layout can be passed in; for a huge account it
 * has to be.
 */
export type PreparePage = (
  request: PageRequest,
  find: FindMonth,
  known?: PageLayout,
) => PreparedPage | undefined;

export function makePreparer(resolve: Resolve, cache: MonthCache): PreparePage {
  return (request, find, known) => {
    const { snapshot, query, nowMs } = request;
    const resolved = resolve(snapshot, query, nowMs);
    const views = monthViews(cache, request, resolved);
    resolved.layout ??= known ?? layOut(resolved, query, find, views);
    const { layout } = resolved;
    const parts = layout && readyParts(layout, find, views);
    return parts && { snapshot, resolved, layout, cut: () => cutPage(parts) };
  };
}

/** The views that one query needs of the months in memory. */
export interface MonthViews {
  /** undefined when no block is in memory. */
  viewOf(cached: CachedMonth): View | undefined;
  /** From the view if the whole month is in memory, otherwise the counts of the database. */
  dayStartsOf(cached: CachedMonth): DayStarts | undefined;
}

export function monthViews(
  cache: MonthCache,
  { snapshot, query }: PageRequest,
  { today, viewKey }: ResolvedQuery,
): MonthViews {
  const find = (cached: CachedMonth) =>
    cache.view(snapshot.account.id, cached, viewKey, (block) => viewOf(block, query.rows, today));
  return {
    viewOf: find,
    dayStartsOf: (cached) =>
      isWhole(cached.block) ? find(cached)?.dayStarts : cached.dayStarts.get(viewKey),
  };
}

function layOut(
  { months }: ResolvedQuery,
  { paging }: Query,
  find: FindMonth,
  { dayStartsOf }: MonthViews,
): PageLayout | undefined {
  const counted: CountedMonth[] = [];
  for (const { month, days } of months) {
    const cached = find(month);
    const dayStarts = cached && dayStartsOf(cached);
    if (dayStarts === undefined) return undefined;
    counted.push({ month, days, dayStarts });
  }
  return layOutPage(counted, paging);
}

function readyParts(
  { parts }: PageLayout,
  find: FindMonth,
  { viewOf }: MonthViews,
): readonly ReadyPart[] | undefined {
  const ready: ReadyPart[] = [];
  for (const part of parts) {
    const cached = find(part.month);
    const view = cached && viewOf(cached);
    if (!cached?.block || !view || !includesDays(cached.block.days, part.days)) return undefined;
    ready.push({ ...part, block: cached.block, view });
  }
  return ready;
}
