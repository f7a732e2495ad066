/** What a source gives, read at the edge: what comes further in is a calendar that can be shown. */

import type { CalendarShift } from '@shiftfeed/common/calendar/shift';
import { isDate, isTime, parseDate } from '@shiftfeed/common/days';
import { isTimeZone } from '@shiftfeed/common/zone';
import { Mistake } from './mistakes.ts';

export type { CalendarShift };

export interface SourceAnswer {
  readonly title?: string;
  /** An IANA name. Without it, times are taken as those of the visitor. */
  readonly time_zone?: string;
  /** What was looked at, where that may be less than what was asked for. */
  readonly from?: string;
  readonly to?: string;
  /** How old it is already, where the source has a copy that it cannot renew. A board tells. */
  readonly age_seconds?: number;
  readonly shifts: readonly CalendarShift[];
}

/** An answer that was checked. */
export type CheckedAnswer = ReturnType<typeof readAnswer>;

/**
 * Keeps shifts of these groups alone, if there are any, in case that the source did not. Throws a `Mistake`.
 */
export function readAnswer(value: unknown, groupIds: readonly number[]) {
  if (!isObject(value) || !Array.isArray(value.shifts)) {
    throw new Mistake(
      `The answer is no calendar: expected an object with a list of "shifts", and got ${kindOf(value)}.`,
    );
  }
  const shifts: readonly unknown[] = value.shifts;
  const wrong = shifts.findIndex((shift) => !isShift(shift));
  if (wrong !== -1) {
    throw new Mistake(
      `shifts[${wrong}] is not a shift: expected "id", "date", "start_time", "end_time" and "end_date", as the API gives them.`,
    );
  }
  const checked = shifts as readonly CalendarShift[];
  const groups = new Set<number | undefined>(groupIds);
  return {
    title: typeof value.title === 'string' ? value.title : '',
    timeZone:
      typeof value.time_zone === 'string' && isTimeZone(value.time_zone) ? value.time_zone : undefined,
    from: typeof value.from === 'string' ? parseDate(value.from) : undefined,
    to: typeof value.to === 'string' ? parseDate(value.to) : undefined,
    ageMs: typeof value.age_seconds === 'number' && value.age_seconds > 0 ? value.age_seconds * 1000 : 0,
    shifts: groups.size === 0 ? checked : checked.filter(({ group }) => groups.has(group?.id)),
  };
}

/** What it is, and nothing of what it holds. */
function kindOf(value: unknown): string {
  return isObject(value) ? (value.constructor?.name ?? 'an object') : value === null ? 'null' : typeof value;
}

function isShift(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.id === 'number' &&
    isDate(value.date) &&
    isDate(value.end_date) &&
    value.end_date >= value.date &&
    isTime(value.start_time) &&
    isTime(value.end_time) &&
    isNamed(value.group) &&
    isNamed(value.location) &&
    isNamed(value.person)
  );
}

function isNamed(value: unknown): boolean {
  return value === undefined || value === null || (isObject(value) && typeof value.name === 'string');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
