/**
 * What a query means for one snapshot of an account: which days of which months, at which stamps, and where the page
 * is. It is computed once, and valid until the account changes or the day is over.
 */

import { LRUCache } from 'lru-cache';
import type { Day } from '../../listing/calendar.ts';
import type { DateFilter, Query } from '../../listing/filter.ts';
import type { PageLayout } from '../../listing/page.ts';
import { planMonths } from '../../listing/plan.ts';
import { viewKey } from '../../listing/view.ts';
import type { AccountSnapshot } from '../access/account-snapshot.ts';
import {
  entityTagOf,
  lastWriteOf,
  listingTagOf,
  listingTagOfHuge,
  type TouchedMonth,
  type WriteTime,
} from './listing-state.ts';
import { todayOf } from './today.ts';

export interface ResolvedQuery {
  readonly today: Day;
  readonly viewKey: string;
  readonly months: readonly TouchedMonth[];
  readonly listingTag: string;
  readonly entityTag: string;
  /** The last write to the months that it touches, by the clock of the database. */
  readonly lastWrite: WriteTime | undefined;
  /** Set once the day starts of all months have been in memory. */
  layout: PageLayout | undefined;
}

export type Resolve = (snapshot: AccountSnapshot, query: Query, nowMs: number) => ResolvedQuery;

/** Queries that are the same object share their result. */
export function makeResolver(budgetBytes: number): Resolve {
  const cache = new LRUCache<string, ResolvedQuery>({ maxSize: budgetBytes, sizeCalculation: sizeOf });
  const numbers = new WeakMap<Query, number>();
  let lastNumber = 0;

  function numberOf(query: Query): number {
    const present = numbers.get(query);
    if (present !== undefined) return present;
    numbers.set(query, ++lastNumber);
    return lastNumber;
  }

  return (snapshot, query, nowMs) => {
    const { account, history, revision } = snapshot;
    const today = todayOf(account, nowMs);
    const key = `${history}/${account.id}/${revision}/${today}/${numberOf(query)}`;
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const resolved = resolve(snapshot, query, today);
    cache.set(key, resolved);
    return resolved;
  };
}

function resolve(snapshot: AccountSnapshot, { dates, rows, paging }: Query, today: Day): ResolvedQuery {
  const { account, revision, isHuge } = snapshot;
  const key = viewKey(rows, today);
  const months = isHuge ? [] : touchedMonths(snapshot, dates, today);
  const listingTag = isHuge
    ? listingTagOfHuge(account.id, revision, today, dates, key)
    : listingTagOf(account.id, months, key);
  return {
    today,
    viewKey: key,
    months,
    listingTag,
    entityTag: entityTagOf(listingTag, paging),
    lastWrite: lastWriteOf(isHuge ? [revision] : months.map(({ stamp }) => stamp)),
    layout: undefined,
  };
}

function touchedMonths({ months, stamps }: AccountSnapshot, dates: DateFilter, today: Day): TouchedMonth[] {
  return planMonths(dates, today, months).map(({ month, days }) => ({
    month,
    days,
    stamp: stamps.get(month) as number,
  }));
}

/** An estimate, with the layout that it will have. */
function sizeOf({ months, viewKey }: ResolvedQuery): number {
  return 2048 + 72 * months.length + 2 * viewKey.length;
}
