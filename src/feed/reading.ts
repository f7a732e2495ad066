/**
 * What a query comes to in a state of an account: the days of which months, as of which stamps, and where the page lies.
 * It is worked out once, and holds for as long as the state and the day last.
 */

import { LRUCache } from 'lru-cache';
import type { Day } from '../listing/calendar.ts';
import type { Query } from '../listing/filter.ts';
import type { PagePlace } from '../listing/page.ts';
import { planMonths } from '../listing/plan.ts';
import { viewKey } from '../listing/view.ts';
import type { Holding } from './holding.ts';
import { type ShownMonth, tagOf, tagOfWide } from './tag.ts';
import { todayOf } from './today.ts';

export interface Reading {
  readonly today: Day;
  readonly viewKey: string;
  readonly months: readonly ShownMonth[];
  readonly tag: string;
  /** Known once the day tables of all months were at hand. */
  place: PagePlace | undefined;
}

export type Readings = (holding: Holding, query: Query, nowMs: number) => Reading;

/** Queries that are the same object share their readings. */
export function keepReadings(budgetBytes: number): Readings {
  const kept = new LRUCache<string, Reading>({ maxSize: budgetBytes, sizeCalculation: sizeOfReading });
  const numbers = new WeakMap<Query, number>();
  let lastNumber = 0;

  function numberOf(query: Query): number {
    const known = numbers.get(query);
    if (known !== undefined) return known;
    numbers.set(query, ++lastNumber);
    return lastNumber;
  }

  return (holding, query, nowMs) => {
    const today = todayOf(holding.account, nowMs);
    const key = `${holding.history}/${holding.account.id}/${holding.revision}/${today}/${numberOf(query)}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const reading = read(holding, query, today);
    kept.set(key, reading);
    return reading;
  };
}

function read(holding: Holding, { dates, rows, paging }: Query, today: Day): Reading {
  const { account, months, stamps } = holding;
  const key = viewKey(rows, today);
  if (holding.isWide) {
    const tag = tagOfWide(account.id, holding.revision, today, dates, key, paging);
    return { today, viewKey: key, months: [], tag, place: undefined };
  }
  const shown = planMonths(dates, today, months).map(({ month, days }) => ({
    month,
    days,
    stamp: stamps.get(month) as number,
  }));
  return {
    today,
    viewKey: key,
    months: shown,
    tag: tagOf(account.id, shown, key, paging),
    place: undefined,
  };
}

/** About what a reading occupies, with the place that it will have. */
function sizeOfReading({ months, viewKey }: Reading): number {
  return 2048 + 72 * months.length + 2 * viewKey.length;
}
