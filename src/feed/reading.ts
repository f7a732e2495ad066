/**
 * What a query comes to in a state of an account: the days of which months, as of which stamps, and where the page lies.
 * It is worked out once, and holds for as long as the state and the day last.
 */

import type { Day } from '../listing/calendar.ts';
import type { Query } from '../listing/filter.ts';
import type { PagePlace } from '../listing/page.ts';
import { planMonths } from '../listing/plan.ts';
import { viewKey } from '../listing/view.ts';
import type { Holding } from './holding.ts';
import { type ShownMonth, tagOf } from './tag.ts';
import { todayIn } from './today.ts';

export interface Reading {
  readonly today: Day;
  readonly viewKey: string;
  readonly months: readonly ShownMonth[];
  readonly tag: string;
  /** Known once the day tables of all months were at hand. */
  place: PagePlace | undefined;
}

export type Readings = (holding: Holding, query: Query, nowMs: number) => Reading;

/** Queries that are the same object share their readings; both sides go when nobody else knows them. */
export function keepReadings(): Readings {
  const byHolding = new WeakMap<Holding, WeakMap<Query, Reading>>();

  return (holding, query, nowMs) => {
    const today = todayIn(holding.account.timeZone, nowMs);
    let byQuery = byHolding.get(holding);
    const known = byQuery?.get(query);
    if (known?.today === today) return known;
    const reading = read(holding, query, today);
    if (byQuery === undefined) {
      byQuery = new WeakMap();
      byHolding.set(holding, byQuery);
    }
    byQuery.set(query, reading);
    return reading;
  };
}

function read({ account, months, stamps }: Holding, { dates, rows, paging }: Query, today: Day): Reading {
  const key = viewKey(rows, today);
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
