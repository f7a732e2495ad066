/** The shifts that a calendar holds: those of the days that are seen, and no others, so that memory stays bounded. */

import type { Answer, CalendarShift } from './answer.ts';
import { addDays, type Day } from './days.ts';
import { type DayRange, daysOf } from './placement.ts';

export interface Holding {
  readonly title: string;
  readonly timeZone: string | undefined;
  /** The days that were asked for. */
  readonly range: DayRange;
  /** Where the source begins and ends, as far as it said so. */
  readonly bounds: Bounds;
  readonly shifts: readonly CalendarShift[];
  /** There were more shifts than are held. */
  readonly isCut: boolean;
  readonly loadedMs: number;
}

interface Bounds {
  readonly first?: Day | undefined;
  readonly last?: Day | undefined;
}

/** Far more than anybody reads, and few enough for a phone. */
export const MAX_SHIFTS = 20_000;

/** What to ask for when some days are to be seen: nights that began the day before are seen, too. */
export function rangeToAsk({ from, to }: DayRange): DayRange {
  return { from: addDays(from, -1), to };
}

export function covers({ range }: Holding, wanted: DayRange): boolean {
  return range.from <= wanted.from && range.to >= wanted.to;
}

/**
 * The days that are wanted and not held, if they lie on one side of those that are held. Otherwise all that are wanted.
 */
export function missingOf(holding: Holding | undefined, wanted: DayRange): DayRange {
  if (holding === undefined) return wanted;
  const { from, to } = holding.range;
  if (wanted.from >= from && wanted.from <= addDays(to, 1) && wanted.to > to) {
    return { from: addDays(to, 1), to: wanted.to };
  }
  if (wanted.to <= to && wanted.to >= addDays(from, -1) && wanted.from < from) {
    return { from: wanted.from, to: addDays(from, -1) };
  }
  return wanted;
}

/** What is held after an answer: the days that are wanted, from the answer and from what was held before. */
export function holdAnswer(
  old: Holding | undefined,
  answer: Answer,
  asked: DayRange,
  wanted: DayRange,
  nowMs: number,
): Holding {
  const isAll = asked.from <= wanted.from && asked.to >= wanted.to;
  const kept = isAll || old === undefined ? [] : old.shifts.filter((shift) => isWithin(shift, wanted));
  const isLater = kept.length === 0 || asked.from > (old?.range.from ?? asked.from);
  const known = new Set(kept.map(({ id }) => id));
  const added = known.size === 0 ? answer.shifts : answer.shifts.filter(({ id }) => !known.has(id));
  const shifts = isLater ? [...kept, ...added] : [...added, ...kept];
  return {
    title: answer.title,
    timeZone: answer.timeZone,
    range: wanted,
    bounds: boundsAfter(old?.bounds ?? {}, answer, asked),
    shifts: shifts.length > MAX_SHIFTS ? shifts.slice(0, MAX_SHIFTS) : shifts,
    isCut: shifts.length > MAX_SHIFTS,
    loadedMs: isAll || old === undefined ? nowMs : old.loadedMs,
  };
}

function isWithin(shift: CalendarShift, { from, to }: DayRange): boolean {
  const { first, last } = daysOf(shift);
  return last >= from && first <= to;
}

/** A source that looked at less than it was asked for has told where it begins or ends. */
function boundsAfter(known: Bounds, { from, to }: Answer, asked: DayRange): Bounds {
  const isBeforeFirst = known.first !== undefined && asked.from < known.first;
  const isAfterLast = known.last !== undefined && asked.to > known.last;
  return {
    first: from !== undefined && from > asked.from ? from : isBeforeFirst ? undefined : known.first,
    last: to !== undefined && to < asked.to ? to : isAfterLast ? undefined : known.last,
  };
}
