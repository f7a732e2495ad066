/** The views that one query needs of the months in memory. */

import type { DayStarts } from '../../listing/month.ts';
import { type View, viewOf } from '../../listing/view.ts';
import { type CachedMonth, isWhole, type MonthCache } from '../cache/month-cache.ts';
import type { PageRequest } from './prepare.ts';
import type { ResolvedQuery } from './resolved-query.ts';

export interface MonthViews {
  /** undefined when no block is in memory. */
  viewOf(cached: CachedMonth): View | undefined;
  /** From the view if the whole month is in memory, otherwise as the database counted them. */
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
