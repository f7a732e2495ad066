/**
 * When the clocks of a time zone change, found by asking `Intl`, so that a calendar says the same as the rest of the
 * program and no second copy of the zones is needed.
 */

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
const STEP_MS = 5 * 86_400_000;

const known = new Map<string, ZoneYears>();

export function zoneYears(timeZone: string, firstYear: number, lastYear: number): ZoneYears {
  const key = `${timeZone} ${firstYear} ${lastYear}`;
  const found = known.get(key) ?? findYears(timeZone, firstYear, lastYear);
  known.set(key, found);
  return found;
}

/**
 * The instant of what the clock shows, as RFC 5545 has it: a time that is there twice is the first of both, and one
 * that is skipped is counted by the clock before. `isPlain` is false for such times, about which programs do not agree.
 */
export function instantOf(
  wallMs: number,
  { firstMinutes, changes }: ZoneYears,
): { readonly ms: number; readonly isPlain: boolean } {
  let minutes = firstMinutes;
  for (const { atMs, minutesBefore, minutesAfter } of changes) {
    const isPastBefore = wallMs - minutesBefore * MINUTE_MS >= atMs;
    const isPastAfter = wallMs - minutesAfter * MINUTE_MS >= atMs;
    if (isPastBefore !== isPastAfter) return { ms: wallMs - minutesBefore * MINUTE_MS, isPlain: false };
    if (!isPastBefore) break;
    minutes = minutesAfter;
  }
  return { ms: wallMs - minutes * MINUTE_MS, isPlain: true };
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
  return Math.round((wallMsIn(timeZone, instantMs) - instantMs) / MINUTE_MS);
}

/** What clocks in a zone show at an instant, as if that were UTC. */
function wallMsIn(timeZone: string, instantMs: number): number {
  const parts = Object.fromEntries(
    formatIn(timeZone)
      .formatToParts(instantMs)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Making a format takes much longer than using it. There are few zones in one configuration. */
function formatIn(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timeZone, format);
  return format;
}
