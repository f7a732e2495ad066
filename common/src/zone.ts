/**
 * Clocks and instants: a shift has dates and times of a wall clock, which need a time zone to become instants. Zones are
 * as the runtime knows them, so that no second copy of the data is needed: by `Temporal` where there is one, which takes
 * a millisecond for the first answer, or else by `Intl`, which takes thirty.
 */

import { DAY_MS, type Day, MINUTE_MS, parseDate } from './days.ts';

/** Whether `Intl` knows the zone. A zone may be too new for a browser. */
export function isTimeZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

/** The day in a zone at an instant. */
export function dayIn(timeZone: string, ms: number): Day {
  return Math.floor((ms + offsetMs(timeZone, ms)) / DAY_MS) as Day;
}

const todays = new Map<string, { readonly minute: number; readonly day: Day }>();

/** The same for now, which a server asks with every request: kept for a minute, because days begin with one. */
export function todayIn(timeZone: string, nowMs: number): Day {
  const minute = Math.floor(nowMs / MINUTE_MS);
  const known = todays.get(timeZone);
  if (known?.minute === minute) return known.day;
  const day = dayIn(timeZone, nowMs);
  todays.set(timeZone, { minute, day });
  return day;
}

/** Whether clocks in both zones show the same time all year. */
export function isSameTime(one: string, other: string, nowMs: number): boolean {
  if (one === other) return true;
  const months = Array.from({ length: 13 }, (_, i) => nowMs + i * 30 * DAY_MS);
  return months.every((ms) => offsetMs(one, ms) === offsetMs(other, ms));
}

/**
 * The instant at which clocks in a zone show a time. One that occurs twice means the first occurrence. One that is
 * skipped moves forward by as much as the clocks do. (RFC 5545 has it so, and `Temporal` calls it "compatible".) Such
 * times are not plain: programs disagree on what they mean.
 */
export function instantOf(timeZone: string, wallMs: number) {
  const dayMs = wallMs - (wallMs % DAY_MS);
  // Offsets are less than a day, and no zone changes its clocks twice within four days.
  const before = offsetMs(timeZone, dayMs - 2 * DAY_MS);
  const after = offsetMs(timeZone, dayMs + 2 * DAY_MS);
  const first = wallMs - before;
  const second = wallMs - after;
  if (first === second) return { ms: first, isPlain: true };
  const isBefore = offsetMs(timeZone, first) === before;
  const isAfter = offsetMs(timeZone, second) === after;
  return { ms: isBefore || !isAfter ? first : second, isPlain: isBefore !== isAfter };
}

/** What is needed of a shift. Its dates and times are those of the API. */
export interface ShiftTimes {
  readonly date: string;
  readonly start_time: string;
  readonly end_date: string;
  readonly end_time: string;
}

export interface Span {
  readonly startMs: number;
  readonly endMs: number;
  /** False if clocks skip one of its times or show it twice. */
  readonly isPlain: boolean;
}

/**
 * In the night when clocks go from 2 to 3, a shift from 02:30 to 03:15 would end before it starts. It gets the length
 * that its times suggest.
 */
export function spanOf(shift: ShiftTimes, timeZone: string): Span {
  const startWallMs = wallMsOf(shift.date, shift.start_time);
  const endWallMs = wallMsOf(shift.end_date, shift.end_time);
  const start = instantOf(timeZone, startWallMs);
  const end = instantOf(timeZone, endWallMs);
  const seemingMs = Math.max(0, endWallMs - startWallMs);
  return {
    startMs: start.ms,
    endMs: end.ms > start.ms ? end.ms : start.ms + seemingMs,
    isPlain: start.isPlain && end.isPlain,
  };
}

/**
 * A wall clock time such as 09:00 of a date, in milliseconds since the clock showed 1970, as if all days had 24 hours.
 */
export function wallMsOf(date: string, time: string): number {
  const minutes = Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
  return (parseDate(date) as Day) * DAY_MS + minutes * MINUTE_MS;
}

/** What is needed of it. Not every browser and runtime has it. */
interface TemporalInstants {
  readonly Instant: {
    fromEpochMilliseconds(ms: number): {
      toZonedDateTimeISO(timeZone: string): { readonly offsetNanoseconds: number };
    };
  };
}

const { Temporal } = globalThis as { readonly Temporal?: TemporalInstants };

type OffsetAt = (instantMs: number) => number;

/** Offsets by second. Many shifts are on the same day, and finding out is slow. */
const zones = new Map<string, { readonly offsetAt: OffsetAt; readonly offsets: Map<number, number> }>();
const MAX_ZONES = 50;
/** Enough for the days of some years. */
const MAX_OFFSETS = 2_000;

/** How far the clocks of a zone are ahead of UTC at an instant. */
export function offsetMs(timeZone: string, ms: number): number {
  const { offsetAt, offsets } = zoneOf(timeZone);
  // A format has whole seconds.
  const instantMs = Math.floor(ms / 1_000) * 1_000;
  const known = offsets.get(instantMs);
  if (known !== undefined) return known;
  const offset = offsetAt(instantMs);
  if (offsets.size >= MAX_OFFSETS) offsets.clear();
  offsets.set(instantMs, offset);
  return offset;
}

function zoneOf(timeZone: string) {
  const known = zones.get(timeZone);
  if (known !== undefined) return known;
  const offsetAt = Temporal ? offsetsByTemporal(Temporal, timeZone) : offsetsByIntl(timeZone);
  const zone = { offsetAt, offsets: new Map<number, number>() };
  if (zones.size >= MAX_ZONES) zones.clear();
  zones.set(timeZone, zone);
  return zone;
}

function offsetsByTemporal({ Instant }: TemporalInstants, timeZone: string): OffsetAt {
  return (ms) => Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone).offsetNanoseconds / 1e6;
}

function offsetsByIntl(timeZone: string): OffsetAt {
  // Making a format takes far longer than using it.
  const format = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (instantMs) => {
    const parts: Partial<Record<string, number>> = {};
    for (const { type, value } of format.formatToParts(instantMs)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 0, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - instantMs;
  };
}
