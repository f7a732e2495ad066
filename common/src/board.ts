/**
 * Who is on at a moment, who comes next, and which shifts are open. Cancelled shifts appear in none of the three, and
 * open shifts, which nobody works yet, only in the last.
 */

import { DAY_MS } from './days.ts';
import { type ShiftTimes, type Span, spanOf } from './span.ts';
import { todayIn } from './zone.ts';

/** What is needed of a shift. */
export interface BoardShift extends ShiftTimes {
  readonly group?: { readonly id: number; readonly name: string } | null;
  readonly location?: { readonly name: string } | null;
  /** `null` means that nobody is assigned. */
  readonly person?: { readonly name: string } | null;
  readonly cancelled?: boolean;
  readonly noshow?: boolean;
  /** Nobody is assigned. */
  readonly open?: boolean;
}

/** A shift with its start and end as instants. */
export interface Timed extends Span {
  readonly shift: BoardShift;
  readonly isOpen: boolean;
}

export interface Board {
  /** In the order of the source. */
  readonly on: readonly Timed[];
  /** All shifts that begin on the same day as the next one, sorted by time. */
  readonly next: readonly Timed[];
  /** Open shifts that are on or begin soon, sorted by time. */
  readonly open: readonly Timed[];
}

/** How far ahead a board looks. */
export const BOARD_AHEAD_DAYS = 7;

/** Computes the instants of shifts once, because they stay the same from minute to minute. */
export function timeShifts(shifts: readonly BoardShift[], timeZone: string): Timed[] {
  return shifts
    .filter(({ cancelled }) => cancelled !== true)
    .map((shift) => ({ shift, isOpen: shift.open ?? shift.person === null, ...spanOf(shift, timeZone) }));
}

/** A shift is on from its first moment to just before its last. */
export function boardAt(timed: readonly Timed[], timeZone: string, nowMs: number): Board {
  const endMs = nowMs + BOARD_AHEAD_DAYS * DAY_MS;
  const isOn = (one: Timed) => one.startMs <= nowMs && one.endMs > nowMs;
  const isSoon = (one: Timed) => one.startMs > nowMs && one.startMs < endMs;
  const coming = timed.filter((one) => !one.isOpen && isSoon(one)).sort(byTime);
  const dayOf = ({ startMs }: Timed) => todayIn(timeZone, startMs);
  return {
    on: timed.filter((one) => !one.isOpen && isOn(one)),
    next: coming.filter((one, _, [first = one]) => dayOf(one) === dayOf(first)),
    open: timed.filter((one) => one.isOpen && (isOn(one) || isSoon(one))).sort(byTime),
  };
}

function byTime(a: Timed, b: Timed): number {
  return a.startMs - b.startMs || a.endMs - b.endMs;
}
