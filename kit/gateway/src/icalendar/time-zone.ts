/**
 * A `VTIMEZONE`. Where the clocks change by a yearly rule, it is written as such a rule from 1970 on, because Outlook
 * understands nothing else, and because it stays the same from year to year. Where they do not, every change is written
 * out.
 */

import { DAY_MS, MINUTE_MS } from '@shiftfeed/common/days';
import { offsetMs } from '@shiftfeed/common/zone';
import { line } from './lines.ts';

const RULE_YEAR = 1970;
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

export function writeTimeZone(timeZone: string, firstYear: number, lastYear: number): string {
  const years = zoneYears(timeZone, firstYear, lastYear);
  const lines = [line('BEGIN', 'VTIMEZONE'), line('TZID', timeZone)];
  const rules = yearlyRules(years);
  if (rules === undefined) {
    lines.push(observance('STANDARD', years.firstMinutes, years.firstMinutes, Date.UTC(RULE_YEAR, 0, 1)));
    for (const change of years.changes) lines.push(writeChange(change, wallOf(change)));
  } else {
    for (const { change, rule, firstMs } of rules) lines.push(writeChange(change, firstMs, rule));
  }
  return [...lines, line('END', 'VTIMEZONE')].join('');
}

interface YearlyRule {
  readonly change: ClockChange;
  readonly rule: string;
  /** The first time that it applies, as the clock shows it. */
  readonly firstMs: number;
}

/** undefined when the clocks never change, or not by the same two rules every year. */
function yearlyRules({ firstYear, lastYear, changes }: ZoneYears): readonly YearlyRule[] | undefined {
  const count = lastYear - firstYear + 1;
  if (changes.length !== 2 * count) return undefined;
  const [first, second] = [0, 1].map((half) => ruleOf(changes.filter((_, i) => i % 2 === half)));
  return first && second && [first, second];
}

/** The rule behind changes of as many years, if there is one: "last Sunday of March" or "second Sunday of March". */
function ruleOf(changes: readonly ClockChange[]): YearlyRule | undefined {
  const [change] = changes;
  if (change === undefined) return undefined;
  const { minutesBefore, minutesAfter } = change;
  const wall = new Date(wallOf(change));
  const [month, weekday] = [wall.getUTCMonth(), wall.getUTCDay()];
  const wallIn = (year: number, place: number) =>
    weekdayOfMonth(year, month, weekday, place) + (wall.getTime() % DAY_MS);
  const place = [-1, Math.ceil(wall.getUTCDate() / 7)].find((candidate) =>
    changes.every(
      (other, i) =>
        other.minutesBefore === minutesBefore &&
        other.minutesAfter === minutesAfter &&
        wallOf(other) === wallIn(wall.getUTCFullYear() + i, candidate),
    ),
  );
  if (place === undefined) return undefined;
  const rule = `FREQ=YEARLY;BYMONTH=${month + 1};BYDAY=${place}${WEEKDAYS[weekday]}`;
  return { change, rule, firstMs: wallIn(RULE_YEAR, place) };
}

function weekdayOfMonth(year: number, month: number, weekday: number, place: number): number {
  const startMs = place < 0 ? Date.UTC(year, month + 1, 1) - 7 * DAY_MS : Date.UTC(year, month, 1);
  const daysUntil = (weekday - new Date(startMs).getUTCDay() + 7) % 7;
  return startMs + (daysUntil + 7 * Math.max(0, place - 1)) * DAY_MS;
}

/** What the clock shows when it is changed. */
function wallOf({ atMs, minutesBefore }: ClockChange): number {
  return atMs + minutesBefore * MINUTE_MS;
}

function writeChange({ minutesBefore, minutesAfter }: ClockChange, wallMs: number, rule?: string): string {
  const kind = minutesAfter > minutesBefore ? 'DAYLIGHT' : 'STANDARD';
  return observance(kind, minutesBefore, minutesAfter, wallMs, rule);
}

function observance(
  kind: 'DAYLIGHT' | 'STANDARD',
  minutesBefore: number,
  minutesAfter: number,
  wallMs: number,
  rule?: string,
): string {
  return [
    line('BEGIN', kind),
    line('TZOFFSETFROM', offset(minutesBefore)),
    line('TZOFFSETTO', offset(minutesAfter)),
    line('DTSTART', wallTime(wallMs)),
    ...(rule === undefined ? [] : [line('RRULE', rule)]),
    line('END', kind),
  ].join('');
}

/** Such as 20261025T030000. */
export function wallTime(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 19).replace(/[-:]/g, '');
}

function offset(minutes: number): string {
  const absolute = Math.abs(minutes);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(absolute / 60))}${two(absolute % 60)}`;
}

interface ClockChange {
  readonly atMs: number;
  readonly minutesBefore: number;
  readonly minutesAfter: number;
}

/** Offsets from UTC, in minutes, over some years. */
interface ZoneYears {
  readonly firstYear: number;
  readonly lastYear: number;
  readonly firstMinutes: number;
  readonly changes: readonly ClockChange[];
}

/** No zone has ever changed its clocks forth and back within so few days. */
const STEP_MS = 5 * DAY_MS;

function zoneYears(timeZone: string, firstYear: number, lastYear: number): ZoneYears {
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
