/**
 * Does a sheet mean a 12-hour clock where it says neither am nor pm? `9-5` is eight hours for some people and twenty for
 * others. A time such as 17:00 anywhere in the sheet shows a 24-hour clock. Without one, times that make better sense in
 * the afternoon are asked about, and so are those such as `7-11` that may as well be in the evening.
 */

import { memoize } from '@shiftfeed/common/memoize';
import { quote } from '@shiftfeed/common/quote';
import { byOption } from '@shiftfeed/common/reason';
import { type GridRow, textOf } from '../cell.ts';
import type { Reason } from '../problem.ts';
import type { ColumnPlaces } from '../shape/heading-row.ts';
import type { SheetOptions } from '../sheet-options.ts';
import {
  areOfTwoKinds,
  type ClockTime,
  cutDateAndTime,
  formatMinute,
  MINUTES_PER_DAY,
  readDecimalTime,
  readLength,
  readTime,
  readTimes,
} from '../words/time.ts';

const HALF_DAY = MINUTES_PER_DAY / 2;
/** Few shifts begin earlier. */
const MORNING = 6 * 60;
const TWO_DIGITS = 10 * 60;

/** What is known of the two times of a shift: the end, or how long it is. */
export interface Span {
  readonly start: ClockTime;
  readonly end: ClockTime | undefined;
  readonly minutes: number | undefined;
  /** A length that stands beside both. */
  readonly hours?: string;
}

/** The minutes at which a shift begins and ends, or why they are unclear. */
export type ReadSpan = (span: Span) => readonly [start: number, end: number] | Reason;

export function clockQuestion(places: ColumnPlaces, { clock, codes }: SheetOptions) {
  let hasLateHours = false;
  let hasHalves = false;
  /** Beside 09:00, 10:00 is written as on a 24-hour clock, too. */
  let hasPadded = false;
  let isAsked = false;
  /** On a 12-hour clock: when shifts end that lie in the afternoon for sure. */
  const lateEnds = new Set<number>();
  const columns = [places.start_time, places.end_time, places.times].filter((place) => place !== undefined);
  const readCell = memoize(timesIn);

  function ask(span: Span): ReturnType<ReadSpan> | undefined {
    const half = as12(span);
    const isPlain = span.start.open === 'plain' && !(hasPadded && span.start.minute >= TWO_DIGITS);
    const isUnclear = isOdd(span) || (half.length > 1 && isPlain);
    if (!(hasHalves || (!hasLateHours && isUnclear))) return undefined;
    const [told, other] = [as24(span), ...half].filter(fitting(span.hours ?? ''));
    if (told !== undefined && other === undefined) return told;
    if (isAsked || (span.minutes === MINUTES_PER_DAY && span.start.minute >= MORNING)) return undefined;
    isAsked = true;
    const ways = [...new Set([as24(span), ...half].map(shown))].join(' or ');
    // Knowing that the clock has 12 hours would not help.
    if (half.length > 1)
      return {
        message: `may be ${ways}`,
        advice: '; if the sheet has a 24-hour clock, say --clock 24; else write am and pm',
        fix: byOption('clock', '24'),
      };
    return {
      message: `may be ${ways}`,
      advice:
        '; say whether the sheet has a 24-hour clock, --clock 24, or a 12-hour clock, --clock 12; or write am and pm',
      fix: byOption('clock', '12', '24'),
    };
  }

  return {
    look({ cells }: GridRow): void {
      for (const place of columns) {
        const text = textOf(cells[place]);
        if (text === '' || codes?.has(text)) continue;
        const times = readCell(text) ?? [];
        for (const { hasHalf, open } of times) {
          hasPadded ||= open === 'padded';
          if (hasHalf === true) hasHalves = true;
          else if (hasHalf === false && open === undefined) hasLateHours = true;
        }
        const [start, end] = times;
        const ways = start && end && clock === 12 ? as12({ start, end, minutes: undefined }) : [];
        if (ways.length === 1 && ways[0] !== undefined && ways[0][0] >= HALF_DAY) lateEnds.add(ways[0][1]);
      }
    },
    isSettled: () => clock !== undefined || hasLateHours,
    reader: (): ReadSpan => (span) => {
      if (span.end !== undefined && areOfTwoKinds(span.start, span.end)) {
        const way = withOneHalf(span, clock, isAsked);
        isAsked ||= 'message' in way;
        return way;
      }
      if (clock === 24 || !isOpen(span)) return as24(span);
      if (clock === undefined) return ask(span) ?? as24(span);
      const [way, other] = as12(span, lateEnds);
      if (way !== undefined && other === undefined) return way;
      const ways = [way, other].flatMap((one) => (one === undefined ? [] : shown(one)));
      return { message: `may be ${ways.join(' or ')}: write am and pm` };
    },
  };
}

/** With one am or pm, a shift is sure to be less than half a day if it is so long: nobody works for 16 hours. */
const MIN_WITH_ONE_HALF = 4 * 60;

/** `9-5pm`: of start and end, one says am or pm. The other may be in either half of the day. */
function withOneHalf(span: Span, clock: SheetOptions['clock'], isAsked: boolean): ReturnType<ReadSpan> {
  const { start, end = start } = span;
  const ways = [0, HALF_DAY].map((half): readonly [number, number] => {
    const of = ({ hasHalf, minute }: ClockTime) => (hasHalf ? minute : (minute % HALF_DAY) + half);
    return [of(start), of(end)];
  });
  const [way = as24(span)] = ways.filter((one) => lengthOf(one) <= HALF_DAY);
  if (clock === 24) return as24(span);
  if (clock === 12 || isAsked || lengthOf(way) >= MIN_WITH_ONE_HALF) return way;
  return {
    message: `may be ${ways.map(shown).join(' or ')}: say am or pm for both`,
    advice: '; if no shift is longer than 12 hours, say --clock 12',
    fix: byOption('clock', '12'),
  };
}

function lengthOf([start, end]: readonly [number, number]): number {
  return (end - start + MINUTES_PER_DAY) % MINUTES_PER_DAY || MINUTES_PER_DAY;
}

/** One time, or two, with a date or without. */
function timesIn(text: string): readonly ClockTime[] | undefined {
  const time = readTime(text) ?? readTime(cutDateAndTime(text)?.[1] ?? '');
  return time === undefined ? readTimes(text) : [time];
}

/** Whether the times may be of a 12-hour clock. */
function isOpen({ start, end }: Span): boolean {
  return (
    start.open !== undefined && (end === undefined || end.open !== undefined || end.hasHalf === undefined)
  );
}

/** Whether times make better sense in the afternoon. */
function isOdd({ start, end }: Span): boolean {
  if (start.open === 'plain' && start.minute < MORNING) return true;
  return (
    end !== undefined &&
    (end.minute < start.minute || (end.minute === start.minute && start.open === 'plain'))
  );
}

export function as24({ start: { minute }, end, minutes = 0 }: Span): readonly [number, number] {
  return [minute, end?.minute ?? (minute + minutes) % MINUTES_PER_DAY];
}

/**
 * The ways to read times of a 12-hour clock. A shift is by day if it can be. `lateEnds` tell of three shifts a day, such
 * as 7-3, 3-11 and 11-7, of which the last is at night.
 */
function as12(
  { start, end, minutes }: Span,
  lateEnds: ReadonlySet<number> = new Set(),
): readonly (readonly [number, number])[] {
  const length = minutes ?? (((end?.minute ?? 0) - start.minute + MINUTES_PER_DAY) % HALF_DAY || HALF_DAY);
  const ways = [0, HALF_DAY]
    .map((half) => (start.minute % HALF_DAY) + half)
    .map((from) => [from, from + length] as const)
    .filter(
      ([, until]) =>
        end === undefined ||
        end.hasHalf !== undefined ||
        until % MINUTES_PER_DAY === end.minute % MINUTES_PER_DAY,
    );
  const byDay = ways.filter(([from, until]) => from >= MORNING && until <= MINUTES_PER_DAY);
  const [day = [0, 0]] = byDay;
  const mayBeNight = length === HALF_DAY || (length >= MIN_NIGHT && lateEnds.has(day[0] + HALF_DAY));
  return byDay.length === 1 && !mayBeNight ? byDay : ways;
}

/** A shift at night that follows one in the evening is at least so long. */
const MIN_NIGHT = 7 * 60;

function shown([start, end]: readonly [number, number]): string {
  return `${formatMinute(start)} to ${formatMinute(end)}`;
}

/** Lengths are rounded, to a tenth of an hour at worst. */
const ROUNDED = 6;

/** Why a column of hours does not fit the times beside it. Hours may be without breaks, so they may be fewer. */
export function hoursContradict(
  text: string,
  times: readonly [number, number],
  span: Span,
): Reason | undefined {
  const fits = fitting(text);
  if (readLengths(text).length === 0 || fits(times)) return undefined;
  const message = `${quote(text)} is not how long ${shown(times)} is; correct one of them`;
  const advice = ', or leave the column out with --ignore-columns';
  return isOpen(span) && as12(span).some(fits)
    ? {
        message,
        advice: `${advice}; if the sheet has a 12-hour clock, say --clock 12`,
        fix: byOption('clock', '12'),
      }
    : { message, advice };
}

/** Whether times are as long as a text says. */
function fitting(text: string): (times: readonly [number, number]) => boolean {
  const lengths = readLengths(text);
  return (times) => {
    const minutes = lengthOf(times);
    return lengths.some((length) => length <= minutes + ROUNDED && length >= minutes / 2);
  };
}

/** In each way in which it can be read. */
function readLengths(text: string): readonly number[] {
  if (text === '') return [];
  const partOfDay = /^0?[.,]\d{2,30}$/.test(text)
    ? Number(text.replace(',', '.')) * MINUTES_PER_DAY
    : undefined;
  return [readLength(text, 'decimal'), readLength(text, 'minutes'), partOfDay].filter(
    (length) => length !== undefined,
  );
}

export type ReadDecimalTime = (text: string) => ClockTime | undefined;

/**
 * Are times written as parts of an hour, such as 9.5 and 17.75? A spreadsheet may have made 9.5 of 9.50, ten to ten. So
 * all times must be quarters of an hour, and one of them `.75`, which no minutes are.
 */
export function decimalTimesQuestion({ start_time, end_time }: ColumnPlaces) {
  const columns = [start_time, end_time].filter((place) => place !== undefined);
  let [areOthers, isSure, hasFractions] = [false, false, false];
  return {
    look({ cells }: GridRow): void {
      if (areOthers) return;
      for (const place of columns) {
        const text = textOf(cells[place]);
        if (text === '') continue;
        if (readDecimalTime(text) === undefined) areOthers = true;
        else if (/[.,]75$/.test(text)) isSure = true;
        else if (/[.,]/.test(text)) hasFractions = true;
      }
    },
    isSettled: () => areOthers || isSure || !hasFractions,
    /** undefined: they are not, or it is not sure. */
    reader: (): ReadDecimalTime | undefined => (isSure && !areOthers ? readDecimalTime : undefined),
  };
}
