/**
 * The current date in a time zone. Finding it takes some calendar work, so the answer is kept for as
 * long as that date lasts there.
 */

import { type Day, parseDate } from '../listing/calendar.ts';

/** Milliseconds since 1970. Always passed in, so that tests decide what time it is. */
export type Clock = () => number;

interface CurrentDay {
  readonly day: Day;
  readonly startMs: number;
  readonly endMs: number;
}

const current = new Map<string, CurrentDay>();

export function todayIn(timeZone: string, nowMs: number): Day {
  const known = current.get(timeZone);
  if (known !== undefined && nowMs >= known.startMs && nowMs < known.endMs) return known.day;
  const found = dayAt(timeZone, nowMs);
  current.set(timeZone, found);
  return found.day;
}

function dayAt(timeZone: string, nowMs: number): CurrentDay {
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timeZone);
  return {
    day: parseDate(now.toPlainDate().toString()) as Day,
    startMs: now.startOfDay().epochMilliseconds,
    endMs: now.add({ days: 1 }).startOfDay().epochMilliseconds,
  };
}
