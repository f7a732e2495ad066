/**
 * Converts between local dates and times and instants, with the time zones of Intl. (Not every runtime of the client
 * has Temporal.)
 */

import { DAY_MS, readDate, writeDate } from './calendar.ts';

/**
 * The instant of a local date and time, in milliseconds since 1970. A time that occurs twice means the first
 * occurrence. A time that is skipped moves forward by as much as the clocks do. (Temporal calls this "compatible".)
 */
export function instantOf(date: string, time: string, timeZone: string): number {
  const dayMs = readDate(date);
  const wallMs = wallMsOf(date, time);
  const zone = zoneOf(timeZone);
  // Offsets are less than a day, and no zone changes its clocks twice within three days.
  const before = offsetAtMidnight(zone, dayMs - DAY_MS);
  const after = offsetAtMidnight(zone, dayMs + 2 * DAY_MS);
  const first = wallMs - before;
  if (before === after || offsetAt(zone, first) === before) return first;
  const second = wallMs - after;
  // A time that exists with neither offset is skipped.
  return offsetAt(zone, second) === after ? second : first;
}

/** What a clock on the wall shows, in milliseconds since it showed 1970: as if all days had 24 hours. */
export function wallMsOf(date: string, time: string): number {
  return readDate(date) + readTime(time);
}

/** The date in a zone at an instant. */
export function dateAt(ms: number, timeZone: string): string {
  return writeDate(ms + offsetAt(zoneOf(timeZone), ms));
}

function readTime(time: string): number {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
  if (hours === undefined)
    throw new RangeError(`"${time}" is not a time; expected HH:MM from 00:00 to 23:59.`);
  return (Number(hours) * 60 + Number(minutes)) * 60_000;
}

interface Zone {
  readonly format: Intl.DateTimeFormat;
  /** Offsets by midnight in UTC. Many shifts are on the same day, and formatting is slow. */
  readonly midnights: Map<number, number>;
}

/** Some years of days. */
const MAX_MIDNIGHTS = 2_000;

function offsetAtMidnight(zone: Zone, ms: number): number {
  const known = zone.midnights.get(ms);
  if (known !== undefined) return known;
  const offset = offsetAt(zone, ms);
  if (zone.midnights.size >= MAX_MIDNIGHTS) zone.midnights.clear();
  zone.midnights.set(ms, offset);
  return offset;
}

/** How far local time is ahead of UTC, in milliseconds. */
function offsetAt({ format }: Zone, ms: number): number {
  // The format has whole seconds.
  const instantMs = Math.floor(ms / 1_000) * 1_000;
  const parts: Partial<Record<string, number>> = {};
  for (const { type, value } of format.formatToParts(instantMs)) parts[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - instantMs;
}

/** Creating a format is far slower than using it. */
const zones = new Map<string, Zone>();
const MAX_ZONES = 50;

function zoneOf(timeZone: string): Zone {
  const known = zones.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const zone = { format, midnights: new Map<number, number>() };
  if (zones.size >= MAX_ZONES) zones.clear();
  zones.set(timeZone, zone);
  return zone;
}
