/** Time zones by what `Intl` knows of them. (`Temporal` would do it, but not every browser has it.) */

import { DAY_MS, type Day } from './days.ts';

export function visitorZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function todayIn(timeZone: string, nowMs: number): Day {
  return Math.floor((nowMs + offsetMs(timeZone, nowMs)) / DAY_MS) as Day;
}

/**
 * When it is this time of a day in a zone, in milliseconds since 1970. A time that is there twice, when clocks are put
 * back, means the first. A time that is skipped means as much later as clocks are put forward.
 */
export function instantOf(timeZone: string, day: Day, time: string): number {
  const [hours, minutes] = time.split(':').map(Number) as [number, number];
  const wallMs = day * DAY_MS + (hours * 60 + minutes) * 60_000;
  const before = offsetMs(timeZone, wallMs - DAY_MS);
  const after = offsetMs(timeZone, wallMs + DAY_MS);
  const first = wallMs - before;
  if (before === after || offsetMs(timeZone, first) === before) return first;
  const second = wallMs - after;
  return offsetMs(timeZone, second) === after ? second : first;
}

/** Whether clocks in both zones show the same time all year. */
export function isSameTime(one: string, other: string, nowMs: number): boolean {
  if (one === other) return true;
  const months = Array.from({ length: 13 }, (_, i) => nowMs + i * 30 * DAY_MS);
  return months.every((ms) => offsetMs(one, ms) === offsetMs(other, ms));
}

const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 20;

/** How far the clocks of a zone are ahead of UTC. */
function offsetMs(timeZone: string, ms: number): number {
  const instantMs = Math.floor(ms / 1_000) * 1_000;
  const parts: Partial<Record<string, number>> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(instantMs)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - instantMs;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
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
  if (formats.size >= MAX_FORMATS) formats.clear();
  formats.set(timeZone, format);
  return format;
}
