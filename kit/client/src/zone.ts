/**
 * From dates and times on a wall to instants and back, by what Intl knows of time zones. (Temporal would do it, but not every
 * runtime of the client has it.)
 */

import { DAY_MS, readDate, writeDate } from './calendar.ts';

/**
 * When it is this date and time in a zone, in milliseconds since 1970. Times that are there twice, when clocks are put back, mean the
 * first. Times that are skipped mean as much later as clocks are put forward. (Temporal calls that "compatible".)
 */
export function instantOf(date: string, time: string, timeZone: string): number {
  const dayMs = readDate(date);
  const wallMs = dayMs + readTime(time);
  const zone = zoneOf(timeZone);
  // No zone is a day from UTC, and none changes its clocks twice within three days: these are the offsets before and after.
  const before = offsetAtMidnight(zone, dayMs - DAY_MS);
  const after = offsetAtMidnight(zone, dayMs + 2 * DAY_MS);
  const first = wallMs - before;
  if (before === after || offsetAt(zone, first) === before) return first;
  const second = wallMs - after;
  // A time that is neither before nor after the change is skipped by it.
  return offsetAt(zone, second) === after ? second : first;
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
  /** Offsets that were worked out, by the midnight in UTC at which they hold: shifts share their days. */
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

/** How far the clocks of a zone are ahead of UTC, in milliseconds. */
function offsetAt({ format }: Zone, ms: number): number {
  // Clocks show whole seconds.
  const instantMs = Math.floor(ms / 1_000) * 1_000;
  const parts: Partial<Record<string, number>> = {};
  for (const { type, value } of format.formatToParts(instantMs)) parts[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - instantMs;
}

/** To make a format takes far longer than to use it. */
const zones = new Map<string, Zone>();
/** A program seldom meets more, and another one is made in a moment. */
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
