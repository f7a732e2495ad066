/** The shifts that a calendar holds: only those of the visible days, so that memory stays bounded. */

import { type DayRange, daysOf } from '@shiftfeed/common/calendar/range';
import { addDays, type Day } from '@shiftfeed/common/days';
import type { CalendarShift, CheckedAnswer } from './answer.ts';

export interface Holding {
  readonly title: string;
  readonly timeZone: string | undefined;
  /** The days whose shifts are held, whenever they began. */
  readonly range: DayRange;
  /** Where the source begins and ends, as far as it said so. */
  readonly bounds: Bounds;
  readonly shifts: readonly CalendarShift[];
  /** Whether there were more shifts than can be held. */
  readonly isCut: boolean;
  /** When the source gave them. */
  readonly loadedMs: number;
  /** As of when they are, which may be earlier. */
  readonly asOfMs: number;
}

interface Bounds {
  readonly first?: Day | undefined;
  readonly last?: Day | undefined;
}

/** Far more than anybody reads, and few enough for a phone. */
export const MAX_SHIFTS = 20_000;

/**
 * How many days before the first visible day a shift may begin and still be seen. Sources filter by the day on which a
 * shift begins, so these days are requested, too: enough for a week on call.
 */
export const LOOK_BACK_DAYS = 7;

export function covers(range: DayRange, wanted: DayRange): boolean {
  return range.from <= wanted.from && range.to >= wanted.to;
}

/** As many of these days as the source has, as far as it said so. */
export function withinBounds({ from, to }: DayRange, { first = from, last = to }: Bounds): DayRange {
  return { from: Math.max(from, first) as Day, to: Math.min(to, last) as Day };
}

/**
 * The days on which shifts begin that must be requested in order to show the wanted days. If the wanted days follow the
 * held ones, the shifts that continue from there are already held.
 */
export function startsToAsk(holding: Holding | undefined, wanted: DayRange): DayRange {
  const from = addDays(wanted.from, -LOOK_BACK_DAYS);
  if (holding === undefined) return { from, to: wanted.to };
  const { range } = holding;
  if (wanted.from >= range.from && wanted.from <= addDays(range.to, 1) && wanted.to > range.to) {
    return { from: addDays(range.to, 1), to: wanted.to };
  }
  if (wanted.to <= range.to && wanted.to >= addDays(range.from, -1) && wanted.from < range.from) {
    return { from, to: addDays(range.from, -1) };
  }
  return { from, to: wanted.to };
}

/** What is held after an answer: the wanted days, from the answer and from what was held before. */
export function holdAnswer(
  old: Holding | undefined,
  answer: CheckedAnswer,
  asked: DayRange,
  wanted: DayRange,
  nowMs: number,
): Holding {
  const isAll = covers(asked, wanted);
  const kept = isAll || old === undefined ? [] : keptBeside(answer, old, asked);
  const known = new Set(kept.map(({ id }) => id));
  const added = answer.shifts.filter(({ id }) => !known.has(id));
  const isLater = asked.from > (old?.range.from ?? asked.from);
  const all = isLater ? [...kept, ...added] : [...added, ...kept];
  const shifts = all.filter((shift) => isWithin(shift, wanted));
  return {
    title: answer.title,
    timeZone: answer.timeZone,
    range: wanted,
    bounds: boundsAfter(old?.bounds ?? {}, answer, asked),
    shifts: shifts.length > MAX_SHIFTS ? shifts.slice(0, MAX_SHIFTS) : shifts,
    isCut: shifts.length > MAX_SHIFTS,
    loadedMs: isAll || old === undefined ? nowMs : old.loadedMs,
    asOfMs: isAll || old === undefined ? nowMs - answer.ageMs : old.asOfMs,
  };
}

/**
 * The held shifts that begin on days other than the requested ones. If the answer contains such a shift, too, its
 * version wins. For the requested days, the answer decides on shifts and order.
 */
function keptBeside(answer: CheckedAnswer, old: Holding, asked: DayRange): readonly CalendarShift[] {
  // A source that begins later has looked at none of these days, and what began there may still be on.
  if (answer.from !== undefined && answer.from > asked.to) return old.shifts;
  const newer = new Map(answer.shifts.map((shift) => [shift.id, shift]));
  return old.shifts
    .filter((shift) => !beginsWithin(shift, asked))
    .map((shift) => newer.get(shift.id) ?? shift)
    .filter((shift) => !beginsWithin(shift, asked));
}

function beginsWithin(shift: CalendarShift, { from, to }: DayRange): boolean {
  const { first } = daysOf(shift);
  return first >= from && first <= to;
}

function isWithin(shift: CalendarShift, { from, to }: DayRange): boolean {
  const { first, last } = daysOf(shift);
  return last >= from && first <= to;
}

/** If a source looked at fewer days than it was asked for, it has thereby told where it begins or ends. */
function boundsAfter(known: Bounds, { from, to }: CheckedAnswer, asked: DayRange): Bounds {
  const isBeforeFirst = known.first !== undefined && asked.from < known.first;
  const isAfterLast = known.last !== undefined && asked.to > known.last;
  return {
    first: from !== undefined && from > asked.from ? from : isBeforeFirst ? undefined : known.first,
    last: to !== undefined && to < asked.to ? to : isAfterLast ? undefined : known.last,
  };
}
