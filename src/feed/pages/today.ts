/**
 * The current date in a time zone. Computing it takes some calendar work, so it is kept until the date changes there.
 */

import { type Day, parseDate } from '../../listing/calendar.ts';
import { quote } from '../../quote.ts';
import type { Account } from '../../store/account.ts';

interface CurrentDay {
  readonly day: Day;
  readonly startMs: number;
  readonly endMs: number;
}

const current = new Map<string, CurrentDay>();

/**
 * The current date of an account. Another program may have written a zone to the database that does not exist.
 */
export function todayOf({ slug, timeZone }: Pick<Account, 'slug' | 'timeZone'>, nowMs: number): Day {
  try {
    return todayIn(timeZone, nowMs);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Error(
      `The account ${slug} has the time zone ${quote(timeZone)}, which does not exist: ` +
        `"shiftfeed account set ${slug} --time-zone …" changes it.`,
    );
  }
}

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
