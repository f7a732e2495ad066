/**
 * Reads what some requests want, as one consistent read. What a request wants is said as a query and decided on the
 * state that is read, so one read always suffices, even when months appear or the time zone changes in between.
 *
 * Little is read as whole months at once. Of much, only the days on which the pages lie are read, and the rest
 * is counted: the first answer of a large account then takes no longer than a count. Its months are for later.
 */

import type { Day, Month } from '../listing/calendar.ts';
import { ALL_DAYS, type DayMask, daysFrom, includesDays, span } from '../listing/day-mask.ts';
import type { Query } from '../listing/filter.ts';
import { buildMonth, type DayStarts, dayStartsOf, type MonthBlock } from '../listing/month.ts';
import { placePage } from '../listing/page.ts';
import { type PlannedMonth, planMonths } from '../listing/plan.ts';
import { viewKey } from '../listing/view.ts';
import type { AccountState, DayCounts, DayQuestion, DayRange, FeedStore, ReadSteps } from '../store/store.ts';
import { withoutSurplusMonths } from './holding.ts';
import { todayOf } from './today.ts';

export interface LoadRequest {
  readonly slug: string;
  /** When the asker knows the account already. */
  readonly history?: string;
  readonly wants: readonly Want[];
  /** Whole months to read, whatever is wanted. */
  readonly months: readonly Month[];
  /** What need not be loaded again. */
  readonly held: ReadonlyMap<Month, HeldDays>;
  /** Up to so many shifts, whole months are read at once. */
  readonly eagerRows: number;
}

export interface Want extends Query {
  readonly nowMs: number;
  /** The view that `tallies` are of. */
  readonly viewKey: string;
  /** The day tables that need not be counted again. */
  readonly tallies: ReadonlyMap<Month, HeldTally>;
}

export interface HeldDays {
  readonly stamp: number;
  readonly days: DayMask;
}

export interface HeldTally {
  readonly stamp: number;
  readonly tally: DayStarts;
}

export interface Loaded {
  readonly state: AccountState;
  readonly blocks: readonly MonthBlock[];
  readonly tallies: readonly CountedTally[];
  /** Months that were wanted and are neither held nor loaded as a whole: first those on which a page lies. */
  readonly later: readonly Month[];
}

export interface CountedTally {
  readonly month: Month;
  readonly viewKey: string;
  readonly tally: DayStarts;
}

/** undefined: the account is gone. */
export async function load(store: FeedStore, request: LoadRequest): Promise<Loaded | undefined> {
  const blocks: MonthBlock[] = [];
  let demands: readonly Demand[] = [];
  let questions: readonly KeyedQuestion[] = [];
  let tallies: readonly CountedTally[] = [];
  let later: readonly Month[] = [];
  let order: AccountState['account']['sort'] = 'time';
  const steps: ReadSteps = {
    count(found) {
      order = found.account.sort;
      demands = request.wants.map((want) => demandOf(want, found));
      questions = questionsOf(demands);
      return questions;
    },
    choose(found, counts) {
      tallies = questions.map(({ month, key }, i) => ({
        month,
        viewKey: key,
        tally: dayStartsOf((counts[i] as DayCounts).matching),
      }));
      const choice = choose({ request, state: found, demands, questions, counts, tallies });
      later = choice.later;
      return choice.ranges;
    },
    take({ month, days }, shifts) {
      blocks.push(buildMonth(month, shifts, order, days));
    },
  };
  const state = await store.read(request.slug, steps, request.history);
  return state && { state: withoutSurplusMonths(state), blocks, tallies, later };
}

/** What a want comes to in a state. */
interface Demand {
  readonly want: Want;
  readonly today: Day;
  readonly key: string;
  readonly plan: readonly PlannedMonth[];
  /** The day tables that are still right. */
  readonly tallies: ReadonlyMap<Month, DayStarts>;
}

function demandOf(want: Want, { account, months }: AccountState): Demand {
  const today = todayOf(account, want.nowMs);
  const key = viewKey(want.rows, today);
  const tallies = new Map<Month, DayStarts>();
  for (const { month, stamp } of months) {
    const held = want.tallies.get(month);
    // After a change of the time zone, today may be another day.
    if (held?.stamp === stamp && want.viewKey === key) tallies.set(month, held.tally);
  }
  const plan = planMonths(
    want.dates,
    today,
    months.map(({ month }) => month),
  );
  return { want, today, key, plan, tallies };
}

interface KeyedQuestion extends DayQuestion {
  readonly key: string;
}

/** Each that is needed, once. */
function questionsOf(demands: readonly Demand[]): KeyedQuestion[] {
  const questions = new Map<string, KeyedQuestion>();
  for (const { want, today, key, plan, tallies } of demands) {
    for (const { month } of plan) {
      if (!tallies.has(month)) questions.set(`${month}/${key}`, { month, rows: want.rows, today, key });
    }
  }
  return [...questions.values()];
}

interface Findings {
  readonly request: LoadRequest;
  readonly state: AccountState;
  readonly demands: readonly Demand[];
  readonly questions: readonly KeyedQuestion[];
  readonly counts: readonly DayCounts[];
  readonly tallies: readonly CountedTally[];
}

function choose(findings: Findings): { ranges: readonly DayRange[]; later: readonly Month[] } {
  const { request, state, demands } = findings;
  const heldDays = stillHeld(request, state);
  const isMissing = (month: Month) => heldDays.get(month) !== ALL_DAYS;
  const planned = new Set(demands.flatMap(({ plan }) => plan.map(({ month }) => month)));
  const missing = [...planned].filter(isMissing);
  const whole = request.months.filter((month) => isMissing(month) && hasMonth(state, month));
  if (rowsIn(missing, findings) <= request.eagerRows) {
    return { ranges: [...new Set([...whole, ...missing])].map(wholeMonth), later: [] };
  }
  const pieces = piecesOf(findings, heldDays).filter(({ month }) => !whole.includes(month));
  const touched = pieces.map(({ month }) => month);
  return { ranges: [...whole.map(wholeMonth), ...pieces], later: [...new Set([...touched, ...missing])] };
}

/** The days of each month that are in memory as they are in this state. */
function stillHeld({ held }: LoadRequest, { months }: AccountState): ReadonlyMap<Month, DayMask> {
  const days = new Map<Month, DayMask>();
  for (const { month, stamp } of months) {
    const block = held.get(month);
    if (block?.stamp === stamp) days.set(month, block.days);
  }
  return days;
}

/** Of a month that was not counted now, nothing is known: it may have any number. */
function rowsIn(months: readonly Month[], { questions, counts }: Findings): number {
  const rows = new Map(questions.map(({ month }, i) => [month, (counts[i] as DayCounts).rows]));
  return months.reduce((sum, month) => sum + (rows.get(month) ?? Number.POSITIVE_INFINITY), 0);
}

/** The days on which the pages lie, of months where not all of them are held. */
function piecesOf({ demands, tallies: counted }: Findings, held: ReadonlyMap<Month, DayMask>): DayRange[] {
  const tallyOf = new Map(counted.map(({ month, viewKey, tally }) => [`${month}/${viewKey}`, tally]));
  const wanted = new Map<Month, DayMask>();
  for (const { want, key, plan, tallies } of demands) {
    const months = plan.map(({ month, days }) => ({
      days,
      tally: (tallies.get(month) ?? tallyOf.get(`${month}/${key}`)) as DayStarts,
    }));
    for (const { index, days } of placePage(months, want.paging).parts) {
      const { month } = plan[index] as PlannedMonth;
      wanted.set(month, (wanted.get(month) ?? 0) | days);
    }
  }
  return [...wanted]
    .filter(([month, days]) => !includesDays(held.get(month) ?? 0, days))
    .map(([month, days]) => ({ month, days: daysFrom(...span(days)) }));
}

function wholeMonth(month: Month): DayRange {
  return { month, days: ALL_DAYS };
}

function hasMonth({ months }: AccountState, month: Month): boolean {
  return months.some((known) => known.month === month);
}
