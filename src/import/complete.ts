/**
 * A record of the document + what the database has of it → the record as it will be. A field that is left out
 * keeps its value on a known record and takes its default on a new one.
 */

import { type Day, formatDate, LAST_DAY, parseDate } from '../listing/calendar.ts';
import {
  COLUMN_NAMES,
  type GivenRecord,
  type RecordOf,
  type ShiftRecord,
  type Table,
} from '../store/records.ts';

const DEFAULTS: { readonly [T in Table]: Partial<RecordOf<T>> } = {
  groups: { active: true, private: false },
  locations: { address: '' },
  people: {},
  shifts: {
    location_id: null,
    person_id: null,
    remarks: '',
    starred: false,
    cancelled: false,
    noshow: false,
  },
};

export type Completed<T extends Table> =
  | { readonly record: RecordOf<T> }
  | { readonly problem: { readonly field: readonly (keyof ShiftRecord)[]; readonly message: string } };

export function completeRecord<T extends Table>(
  table: T,
  given: GivenRecord<T>,
  existing: RecordOf<T> | undefined,
): Completed<T> {
  const merged = { ...DEFAULTS[table], ...existing, ...given } as RecordOf<T>;
  const missing = COLUMN_NAMES[table].filter((field) => merged[field] === undefined && field !== 'end_date');
  if (missing.length > 0) {
    return { problem: { field: [], message: `is new and lacks ${missing.join(', ')}` } };
  }
  if (table !== 'shifts') return { record: merged };
  return completeEnd(
    merged as ShiftRecord,
    given as GivenRecord<'shifts'>,
    existing as ShiftRecord | undefined,
  ) as Completed<T>;
}

export function isSameRecord<T extends Table>(table: T, a: RecordOf<T>, b: RecordOf<T>): boolean {
  return COLUMN_NAMES[table].every((field) => a[field] === b[field]);
}

/**
 * Without an end date, a shift ends at the first such time after its start. A known shift that is neither moved
 * nor given other times keeps the end date it has; one that is, is no longer bound to the old one.
 */
function completeEnd(
  shift: ShiftRecord,
  given: GivenRecord<'shifts'>,
  existing: ShiftRecord | undefined,
): Completed<'shifts'> {
  const keepsTimes =
    existing !== undefined &&
    shift.date === existing.date &&
    shift.start_time === existing.start_time &&
    shift.end_time === existing.end_time;
  const end =
    given.end_date ?? (keepsTimes && given.end_date === undefined ? existing.end_date : firstEnd(shift));
  if (end === undefined) {
    return {
      problem: { field: ['end_time'], message: `${shift.end_time} comes after 9999-12-31, the last date` },
    };
  }
  if (`${end} ${shift.end_time}` <= `${shift.date} ${shift.start_time}`) {
    const message = `the end, ${end} ${shift.end_time}, is not after the start, ${shift.date} ${shift.start_time}`;
    return { problem: { field: [given.end_date ? 'end_date' : 'end_time'], message } };
  }
  return { record: { ...shift, end_date: end } };
}

/** undefined: it would be past the last date there is. */
function firstEnd({ date, start_time, end_time }: ShiftRecord): string | undefined {
  if (end_time > start_time) return date;
  const nextDay = ((parseDate(date) as Day) + 1) as Day;
  return nextDay > LAST_DAY ? undefined : formatDate(nextDay);
}
