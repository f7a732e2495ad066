/**
 * Reads and builds the months that some requests want, as one consistent read. What a request wants is
 * said as a filter and decided on the state that is read, so one read always suffices, even
 * when months appear or the time zone changes in between.
 */

import type { Month } from '../listing/calendar.ts';
import type { DateFilter } from '../listing/filter.ts';
import { buildMonth, type MonthBlock } from '../listing/month.ts';
import { planMonths } from '../listing/plan.ts';
import type { AccountState, FeedStore } from '../store/store.ts';
import { todayIn } from './today.ts';

export interface LoadRequest {
  readonly slug: string;
  readonly wants: readonly Want[];
  /** The stamps of the blocks that need not be loaded again. */
  readonly held: ReadonlyMap<Month, number>;
}

export interface Want {
  readonly dates: DateFilter;
  readonly nowMs: number;
}

export interface Loaded {
  readonly state: AccountState;
  readonly blocks: readonly MonthBlock[];
}

/** undefined: the account is gone. */
export async function loadMonths(store: FeedStore, request: LoadRequest): Promise<Loaded | undefined> {
  const blocks: MonthBlock[] = [];
  let order: AccountState['account']['sort'] = 'time';
  const state = await store.readMonths(
    request.slug,
    (found) => {
      order = found.account.sort;
      return missingMonths(found, request);
    },
    (month, shifts) => blocks.push(buildMonth(month, shifts, order)),
  );
  return state && { state, blocks };
}

function missingMonths(state: AccountState, { wants, held }: LoadRequest): Month[] {
  const months = state.months.map(({ month }) => month);
  const wanted = new Set<Month>();
  for (const { dates, nowMs } of wants) {
    const today = todayIn(state.account.timeZone, nowMs);
    for (const { month } of planMonths(dates, today, months)) wanted.add(month);
  }
  return state.months
    .filter(({ month, stamp }) => wanted.has(month) && held.get(month) !== stamp)
    .map(({ month }) => month);
}
