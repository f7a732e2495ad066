/** When the clocks of a time zone change, found by asking for its offset at many instants. */

import { DAY_MS } from '@shiftfeed/common/days';
import { offsetMs } from '@shiftfeed/common/zone';

export interface ClockChange {
  readonly atMs: number;
  readonly minutesBefore: number;
  readonly minutesAfter: number;
}

/** Offsets from UTC, in minutes, over some years. */
export interface ZoneYears {
  readonly firstYear: number;
  readonly lastYear: number;
  readonly firstMinutes: number;
  readonly changes: readonly ClockChange[];
}

const MINUTE_MS = 60_000;
/** No zone has ever changed its clocks forth and back within so few days. */
const STEP_MS = 5 * DAY_MS;

const known = new Map<string, ZoneYears>();

export function zoneYears(timeZone: string, firstYear: number, lastYear: number): ZoneYears {
  const key = `${timeZone} ${firstYear} ${lastYear}`;
  const found = known.get(key) ?? findYears(timeZone, firstYear, lastYear);
  known.set(key, found);
  return found;
}

function findYears(timeZone: string, firstYear: number, lastYear: number): ZoneYears {
  const endMs = Date.UTC(lastYear + 1, 0, 1);
  const changes: ClockChange[] = [];
  let atMs = Date.UTC(firstYear, 0, 1);
  const firstMinutes = minutesAt(timeZone, atMs);
  let minutes = firstMinutes;
  while (atMs < endMs) {
    const nextMs = Math.min(atMs + STEP_MS, endMs);
    const minutesAfter = minutesAt(timeZone, nextMs);
    if (minutesAfter !== minutes) {
      changes.push({
        atMs: findChange(timeZone, atMs, nextMs, minutes),
        minutesBefore: minutes,
        minutesAfter,
      });
      minutes = minutesAfter;
    }
    atMs = nextMs;
  }
  return { firstYear, lastYear, firstMinutes, changes };
}

/** The first minute at which the offset is another one. */
function findChange(timeZone: string, fromMs: number, toMs: number, minutes: number): number {
  let before = fromMs / MINUTE_MS;
  let after = toMs / MINUTE_MS;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (minutesAt(timeZone, middle * MINUTE_MS) === minutes) before = middle;
    else after = middle;
  }
  return after * MINUTE_MS;
}

function minutesAt(timeZone: string, instantMs: number): number {
  return Math.round(offsetMs(timeZone, instantMs) / MINUTE_MS);
}
