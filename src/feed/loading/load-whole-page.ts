/**
 * Makes a whole page of a huge account. All of it happens in the loading thread, and only the bytes of the page are
 * handed over: even to receive that many months would block other requests.
 */

import { buildMonth, type Scratch } from '../../listing/build-month.ts';
import type { Month } from '../../listing/calendar.ts';
import { daysFrom, span } from '../../listing/day-mask.ts';
import type { Query } from '../../listing/filter.ts';
import { dayStartsOf, type MonthBlock } from '../../listing/month.ts';
import { cutPage, layOutPage, type PageLayout } from '../../listing/page.ts';
import { type PlannedMonth, planMonths } from '../../listing/plan.ts';
import { viewOf } from '../../listing/view.ts';
import type { AccountState, DayCounts, FeedStore } from '../../store/feed-store.ts';
import { withoutSurplusMonths } from '../access/account-snapshot.ts';
import { todayOf } from '../pages/today.ts';

export interface WholePageToLoad {
  readonly slug: string;
  readonly history: string;
  readonly query: Query;
  readonly nowMs: number;
}

export interface WholePage {
  readonly state: AccountState;
  readonly layout: PageLayout;
  /** The shifts as JSON, separated by commas. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** undefined: the account is gone. */
export function loadWholePage(
  store: FeedStore,
  { slug, history, query, nowMs }: WholePageToLoad,
  scratch: Scratch,
): Promise<WholePage | undefined> {
  const { dates, rows, paging } = query;
  return store.read(
    slug,
    async (transaction) => {
      const { state } = transaction;
      const today = todayOf(state.account, nowMs);
      const plan = planMonths(
        dates,
        today,
        state.months.map(({ month }) => month),
      );
      const counts = await transaction.countDays(plan.map(({ month }) => ({ month, rows, today })));
      const counted = plan.map(({ days }, i) => ({
        days,
        dayStarts: dayStartsOf((counts[i] as DayCounts).matching),
      }));
      const layout = layOutPage(counted, paging);
      const monthOf = (index: number) => (plan[index] as PlannedMonth).month;

      const blocks = new Map<Month, MonthBlock>();
      for (const [month, days] of daysOf(layout, monthOf)) {
        const range = { month, days: daysFrom(...span(days)) };
        const shifts = await transaction.shifts(range);
        blocks.set(month, buildMonth(month, shifts, state.account.sort, { days: range.days, scratch }));
      }
      const parts = layout.parts.map((part) => {
        const block = blocks.get(monthOf(part.index)) as MonthBlock;
        return { ...part, block, view: viewOf(block, rows, today) };
      });
      return { state: withoutSurplusMonths(state), layout, bytes: join(cutPage(parts)) };
    },
    history,
  );
}

function daysOf({ parts }: PageLayout, monthOf: (index: number) => Month): ReadonlyMap<Month, number> {
  const days = new Map<Month, number>();
  for (const part of parts) {
    const month = monthOf(part.index);
    days.set(month, (days.get(month) ?? 0) | part.days);
  }
  return days;
}

function join(slices: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(slices.reduce((sum, slice) => sum + slice.length, 0));
  let end = 0;
  for (const slice of slices) {
    bytes.set(slice, end);
    end += slice.length;
  }
  return bytes;
}
