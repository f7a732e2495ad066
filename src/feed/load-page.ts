/**
 * Makes a whole page of an account that has shifts in too many months to hold them. All of it is done where it is read, in a
 * thread, and just the bytes of the page are handed over: even to receive that many months would keep other requests waiting.
 */

import type { Month } from '../listing/calendar.ts';
import { daysFrom, span } from '../listing/day-mask.ts';
import type { Query } from '../listing/filter.ts';
import { buildMonth, dayStartsOf, type MonthBlock } from '../listing/month.ts';
import { cutPage, type PagePlace, placePage } from '../listing/page.ts';
import { type PlannedMonth, planMonths } from '../listing/plan.ts';
import { viewOf } from '../listing/view.ts';
import type { AccountState, FeedStore, ReadSteps } from '../store/store.ts';
import { withoutSurplusMonths } from './holding.ts';
import { todayOf } from './today.ts';

export interface PageRequest {
  readonly slug: string;
  /** When the asker knows the account already. */
  readonly history?: string;
  readonly query: Query;
  readonly nowMs: number;
}

export interface LoadedPage {
  readonly state: AccountState;
  readonly place: PagePlace;
  /** The shifts as JSON, separated by commas. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** undefined: the account is gone. */
export async function loadPage(store: FeedStore, request: PageRequest): Promise<LoadedPage | undefined> {
  const { dates, rows, paging } = request.query;
  const blocks = new Map<Month, MonthBlock>();
  let plan: readonly PlannedMonth[] = [];
  let place = placePage([], paging);
  let order: AccountState['account']['sort'] = 'time';
  const steps: ReadSteps = {
    count(found) {
      order = found.account.sort;
      const today = todayOf(found.account, request.nowMs);
      plan = planMonths(
        dates,
        today,
        found.months.map(({ month }) => month),
      );
      return plan.map(({ month }) => ({ month, rows, today }));
    },
    choose(_, counts) {
      place = placePage(
        plan.map(({ days }, i) => ({ days, tally: dayStartsOf(counts[i]?.matching ?? []) })),
        paging,
      );
      const wanted = new Map<Month, number>();
      for (const { index, days } of place.parts) {
        const { month } = plan[index] as PlannedMonth;
        wanted.set(month, (wanted.get(month) ?? 0) | days);
      }
      return Array.from(wanted, ([month, days]) => ({ month, days: daysFrom(...span(days)) }));
    },
    take({ month, days }, shifts) {
      blocks.set(month, buildMonth(month, shifts, order, days));
    },
  };
  const state = await store.read(request.slug, steps, request.history);
  if (state === undefined) return undefined;
  const parts = place.parts.map((part) => {
    const block = blocks.get((plan[part.index] as PlannedMonth).month) as MonthBlock;
    return { ...part, block, view: viewOf(block, rows, todayOf(state.account, request.nowMs)) };
  });
  return { state: withoutSurplusMonths(state), place, bytes: gather(cutPage(parts)) };
}

function gather(slices: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(slices.reduce((sum, slice) => sum + slice.length, 0));
  let end = 0;
  for (const slice of slices) {
    bytes.set(slice, end);
    end += slice.length;
  }
  return bytes;
}
