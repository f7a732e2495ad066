/**
 * Who is on at a moment, who comes next, and which shifts are open; and what a board says of them, line by line, in
 * whichever language. Page and calendar show the same lines. Cancelled shifts appear in none of the three, and open
 * shifts, which nobody works yet, only in the last.
 */

import type { Language } from './calendar/language.ts';
import { DAY_MS, type Day } from './days.ts';
import type { BoardMessages } from './languages/en.ts';
import { LANGUAGES_ON_BOARD } from './languages/languages.ts';
import { dayIn, offsetMs, type ShiftTimes, type Span, spanOf } from './zone.ts';

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

/** How far ahead a board looks. */
export const BOARD_AHEAD_DAYS = 7;

/** Computes the instants of shifts once, because they stay the same from minute to minute. */
export function timeShifts(shifts: readonly BoardShift[], timeZone: string): Timed[] {
  return shifts
    .filter(({ cancelled }) => cancelled !== true)
    .map((shift) => ({ shift, isOpen: shift.open ?? shift.person === null, ...spanOf(shift, timeZone) }));
}

/** A shift is on from its first moment to just before its last. */
export function boardAt(timed: readonly Timed[], timeZone: string, nowMs: number) {
  const endMs = nowMs + BOARD_AHEAD_DAYS * DAY_MS;
  const isOn = (one: Timed) => one.startMs <= nowMs && one.endMs > nowMs;
  const isSoon = (one: Timed) => one.startMs > nowMs && one.startMs < endMs;
  const coming = timed.filter((one) => !one.isOpen && isSoon(one)).sort(byTime);
  const dayOf = ({ startMs }: Timed) => dayIn(timeZone, startMs);
  return {
    /** In the order of the source. */
    on: timed.filter((one) => !one.isOpen && isOn(one)),
    /** All shifts that begin on the same day as the next one, sorted by time. */
    next: coming.filter((one, _, [first = one]) => dayOf(one) === dayOf(first)),
    /** Sorted by time. */
    open: timed.filter((one) => one.isOpen && (isOn(one) || isSoon(one))).sort(byTime),
  };
}

function byTime(a: Timed, b: Timed): number {
  return a.startMs - b.startMs || a.endMs - b.endMs;
}

/** A language, as far as a board needs it. */
export interface BoardWriter {
  say(key: keyof BoardMessages, values?: Readonly<Record<string, string>>): string;
  /** "until 17:00" */
  until(time: string): string;
  /** "3 shifts" */
  countShifts(count: number): string;
  /** A time such as 09:00, as it is written here. */
  time(time: string): string;
  shortDate(day: Day): string;
  longDate(day: Day): string;
}

export function boardWriter(language: Language): BoardWriter {
  return {
    say: language.sayFrom(LANGUAGES_ON_BOARD),
    until: (time) => language.say('until', { time }),
    countShifts: language.countShifts,
    time: language.time,
    shortDate: (day) => language.date(day, 'shortDate'),
    longDate: (day) => language.date(day, 'longDate'),
  };
}

export interface BoardSection {
  readonly kind: 'on' | 'next' | 'open';
  readonly heading: string;
  readonly lines: readonly BoardLine[];
  /** Shown when there are no lines. */
  readonly none: string;
}

export interface BoardLine {
  /** The person if the source names people, otherwise the group or the place. */
  readonly name: string;
  readonly details: readonly string[];
  readonly when: string;
  readonly isNoshow: boolean;
  readonly groupId: number | undefined;
}

/**
 * The section of open shifts appears only if there are any: most sources do not tell which shifts are open. `lastDay` is
 * the last one of which shifts are known.
 */
export function writeBoard(
  board: ReturnType<typeof boardAt>,
  { timeZone, nowMs, lastDay }: { readonly timeZone: string; readonly nowMs: number; readonly lastDay: Day },
  writer: BoardWriter,
): BoardSection[] {
  const write = timesIn(timeZone, nowMs, writer);
  const [first] = board.next;
  const nextDay = first && dayIn(timeZone, first.startMs);
  const isToday = nextDay === undefined || nextDay === dayIn(timeZone, nowMs);
  const on: BoardSection = {
    kind: 'on',
    heading: writer.say('on_now'),
    lines: linesOf(board.on, write.until, writer),
    none: writer.say('nobody_on'),
  };
  const next: BoardSection = {
    kind: 'next',
    heading: isToday ? writer.say('next') : `${writer.say('next')} · ${writer.longDate(nextDay)}`,
    lines: linesOf(board.next, write.fromTo, writer),
    none: writer.say('nothing_next', { day: writer.longDate(lastDay) }),
  };
  const open: BoardSection = {
    kind: 'open',
    heading: writer.say('open_shifts'),
    lines: linesOf(board.open, write.dayAndTimes, writer),
    none: '',
  };
  return open.lines.length === 0 ? [on, next] : [on, next, open];
}

/** What clocks in a zone show at an instant, such as 09:00. */
export function clockIn(timeZone: string, ms: number): string {
  return new Date(ms + offsetMs(timeZone, ms)).toISOString().slice(11, 16);
}

/** When the shifts were last updated, by the clock of the place. */
export function writeUpdated(
  asOfMs: number,
  { timeZone, today }: { readonly timeZone: string; readonly today: Day },
  writer: BoardWriter,
): string {
  const day = dayIn(timeZone, asOfMs);
  const time = writer.time(clockIn(timeZone, asOfMs));
  return writer.say('updated', { time: day === today ? time : `${writer.shortDate(day)}, ${time}` });
}

/**
 * Writes the times at which things actually happen: in the night when clocks skip 02:30, a shift until 02:30 ends at
 * 03:30.
 */
function timesIn(timeZone: string, nowMs: number, writer: BoardWriter) {
  const today = dayIn(timeZone, nowMs);
  const time = (ms: number) => writer.time(clockIn(timeZone, ms));
  const until = ({ endMs }: Timed) => {
    const isNear = endMs - nowMs < DAY_MS;
    return writer.until(isNear ? time(endMs) : `${writer.shortDate(dayIn(timeZone, endMs))}, ${time(endMs)}`);
  };
  const fromTo = ({ startMs, endMs }: Timed) => `${time(startMs)} – ${time(endMs)}`;
  return {
    until,
    fromTo,
    dayAndTimes(one: Timed) {
      if (one.startMs <= nowMs) return until(one);
      const day = dayIn(timeZone, one.startMs);
      return day === today ? fromTo(one) : `${writer.shortDate(day)}, ${fromTo(one)}`;
    },
  };
}

/** Each person has a line. If people are not shown, shifts with the same text share a line that counts them. */
function linesOf(shifts: readonly Timed[], whenOf: (one: Timed) => string, writer: BoardWriter): BoardLine[] {
  const lines = new Map<string, { readonly line: BoardLine; count: number }>();
  for (const [i, one] of shifts.entries()) {
    const { group, location, person, noshow } = one.shift;
    const [name = '', ...details] = [person?.name, group?.name, location?.name].filter(isTelling);
    const line = { name, details, when: whenOf(one), isNoshow: noshow === true, groupId: group?.id };
    const key = person ? String(i) : JSON.stringify(line);
    const known = lines.get(key);
    if (known === undefined) lines.set(key, { line, count: 1 });
    else known.count++;
  }
  return [...lines.values()].map(({ line, count }) => counted(line, count, writer));
}

function counted(line: BoardLine, count: number, writer: BoardWriter): BoardLine {
  if (line.name === '') return { ...line, name: writer.countShifts(count) };
  return count > 1 ? { ...line, details: [...line.details, writer.countShifts(count)] } : line;
}

function isTelling(name: string | undefined): name is string {
  return name !== undefined && name !== '';
}
