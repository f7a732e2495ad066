/**
 * Loads what some pages need, as one consistent read. The pages are planned, counted and laid out on the state that is
 * read, so one read always suffices, even if months appear or the time zone changes in between.
 *
 * Small loads read whole months. Large loads read only the days that the pages cover: the first answer of a large
 * account then takes no longer than a count.
 */

import type { Day, Month } from '@shiftfeed/common/days';
import { buildMonth, type Scratch } from '../../listing/build-month.ts';
import { ALL_DAYS, type DayMask, daysFrom, includesDays, span } from '../../listing/day-mask.ts';
import type { Query } from '../../listing/filter.ts';
import { type DayStarts, dayStartsOf, type MonthBlock } from '../../listing/month.ts';
import { layOutPage, type PageLayout } from '../../listing/page.ts';
import { type PlannedMonth, planMonths } from '../../listing/plan.ts';
import { viewKey } from '../../listing/view.ts';
import { MAX_MONTHS } from '../../store/account.ts';
import type {
  AccountState,
  DayCountQuery,
  DayCounts,
  DayRange,
  FeedStore,
  ReadTransaction,
} from '../../store/feed-store.ts';
import { todayOf } from '../page.ts';

export interface PagesToLoad {
  readonly slug: string;
  readonly history: string;
  readonly nowMs: number;
  readonly pages: readonly PageToLoad[];
  /** Months to load as a whole, for no page. */
  readonly wholeMonths: readonly Month[];
  /** The days in memory, which are not loaded again. */
  readonly held: ReadonlyMap<Month, HeldDays>;
  /** Below this many missing rows, load whole months; above it, only the days that the pages cover. */
  readonly eagerRows: number;
}

export interface PageToLoad extends Query {
  /** The view that `dayStarts` belong to. */
  readonly viewKey: string;
  /** The day starts in memory, which are not counted again. */
  readonly dayStarts: ReadonlyMap<Month, HeldDayStarts>;
}

export interface HeldDays {
  readonly stamp: number;
  readonly days: DayMask;
}

export interface HeldDayStarts {
  readonly stamp: number;
  readonly dayStarts: DayStarts;
}

export interface LoadedPages {
  readonly state: AccountState;
  readonly blocks: readonly MonthBlock[];
  readonly counted: readonly CountedView[];
  /** Months that the pages touch and that are not in memory as a whole: first those with rows of a page. */
  readonly incomplete: readonly Month[];
}

export interface CountedView {
  readonly month: Month;
  readonly viewKey: string;
  readonly dayStarts: DayStarts;
  /** The number of rows of the whole month, whatever the view. */
  readonly rows: number;
}

/** Returns undefined when the account is gone. */
export function loadPages(
  store: Pick<FeedStore, 'read'>,
  request: PagesToLoad,
  scratch: Scratch,
): Promise<LoadedPages | undefined> {
  return store.read(
    request.slug,
    async (transaction) => {
      const { state } = transaction;
      if (state.months.length > MAX_MONTHS) return nothingOf(state);
      const today = todayOf(state.account, request.nowMs);
      const pages = request.pages.map((page) => planPage(page, today, state));
      const counted = await countViews(transaction, pages, today);
      const layouts = layOutPages(pages, counted);
      const { ranges, incomplete } = chooseRanges(request, state, pages, counted, layouts);
      const blocks: MonthBlock[] = [];
      for (const { month, days } of ranges) {
        const shifts = await transaction.shifts({ month, days });
        blocks.push(buildMonth(month, shifts, state.account.sort, { days, scratch }));
      }
      return { state, blocks, counted, incomplete };
    },
    request.history,
  );
}

/** For an account that has too many months to be listed: only as many of them as it takes to see that. */
function nothingOf(state: AccountState): LoadedPages {
  const months = state.months.slice(0, MAX_MONTHS + 1);
  return { state: { ...state, months }, blocks: [], counted: [], incomplete: [] };
}

interface PlannedPage {
  readonly query: Query;
  readonly viewKey: string;
  readonly plan: readonly PlannedMonth[];
  /** The day starts in memory that are still right. */
  readonly dayStarts: ReadonlyMap<Month, DayStarts>;
}

function planPage(page: PageToLoad, today: Day, { months }: AccountState): PlannedPage {
  const key = viewKey(page.rows, today);
  const dayStarts = new Map<Month, DayStarts>();
  for (const { month, stamp } of months) {
    const held = page.dayStarts.get(month);
    // After a change of the time zone, today may be another day.
    if (held?.stamp === stamp && page.viewKey === key) dayStarts.set(month, held.dayStarts);
  }
  const plan = planMonths(
    page.dates,
    today,
    months.map(({ month }) => month),
  );
  return { query: page, viewKey: key, plan, dayStarts };
}

/** Counts each needed view of a month that is not in memory, once. */
async function countViews(
  transaction: ReadTransaction,
  pages: readonly PlannedPage[],
  today: Day,
): Promise<readonly CountedView[]> {
  const queries = new Map<string, DayCountQuery & { readonly viewKey: string }>();
  for (const { query, viewKey, plan, dayStarts } of pages) {
    for (const { month } of plan) {
      if (dayStarts.has(month)) continue;
      queries.set(keyOf(month, viewKey), { month, rows: query.rows, today, viewKey });
    }
  }
  const asked = [...queries.values()];
  const counts = await transaction.countDays(asked);
  return asked.map(({ month, viewKey }, i) => {
    const { matching, rows } = counts[i] as DayCounts;
    return { month, viewKey, dayStarts: dayStartsOf(matching), rows };
  });
}

function layOutPages(pages: readonly PlannedPage[], counted: readonly CountedView[]): readonly PageLayout[] {
  const countedStarts = new Map(
    counted.map(({ month, viewKey, dayStarts }) => [keyOf(month, viewKey), dayStarts]),
  );
  return pages.map(({ query, viewKey, plan, dayStarts }) => {
    const months = plan.map(({ month, days }) => ({
      month,
      days,
      dayStarts: (dayStarts.get(month) ?? countedStarts.get(keyOf(month, viewKey))) as DayStarts,
    }));
    return layOutPage(months, query.paging);
  });
}

function chooseRanges(
  request: PagesToLoad,
  state: AccountState,
  pages: readonly PlannedPage[],
  counted: readonly CountedView[],
  layouts: readonly PageLayout[],
): { ranges: readonly DayRange[]; incomplete: readonly Month[] } {
  const held = currentDays(request, state);
  const touched = [...pages.flatMap(({ plan }) => plan.map(({ month }) => month)), ...request.wholeMonths];
  const missing = [...new Set(touched)].filter((month) => held.has(month) && held.get(month) !== ALL_DAYS);
  const isSmall = rowsIn(missing, counted) <= request.eagerRows;
  if (isSmall || pages.length === 0) {
    return { ranges: missing.map((month) => ({ month, days: ALL_DAYS })), incomplete: [] };
  }
  const ranges = coveredDays(layouts, held);
  return { ranges, incomplete: [...new Set([...ranges.map(({ month }) => month), ...missing])] };
}

/** The days of each month that are in memory and up to date. */
function currentDays({ held }: PagesToLoad, state: AccountState): ReadonlyMap<Month, DayMask> {
  const days = new Map<Month, DayMask>();
  for (const { month, stamp } of state.months) {
    const block = held.get(month);
    days.set(month, block?.stamp === stamp ? block.days : 0);
  }
  return days;
}

/** A month that was not counted now may have any number of rows. */
function rowsIn(months: readonly Month[], counted: readonly CountedView[]): number {
  const rows = new Map(counted.map((view) => [view.month, view.rows]));
  return months.reduce((sum, month) => sum + (rows.get(month) ?? Number.POSITIVE_INFINITY), 0);
}

/** The days that the pages cover, of months where not all of these days are in memory. */
function coveredDays(layouts: readonly PageLayout[], held: ReadonlyMap<Month, DayMask>): DayRange[] {
  const covered = new Map<Month, DayMask>();
  for (const { parts } of layouts) {
    for (const { month, days } of parts) covered.set(month, (covered.get(month) ?? 0) | days);
  }
  return [...covered]
    .filter(([month, days]) => !includesDays(held.get(month) ?? 0, days))
    .map(([month, days]) => ({ month, days: daysFrom(...span(days)) }));
}

function keyOf(month: Month, viewKey: string): string {
  return `${month}/${viewKey}`;
}
