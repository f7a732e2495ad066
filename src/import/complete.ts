/**
 * Completes a record of the document from what the database has. A field that is left out keeps its value on an
 * existing record and takes its default on a new one. Of a flawed record, only the valid fields are checked.
 */

import { type Day, formatDate, LAST_DAY, parseDate } from '../listing/calendar.ts';
import {
  COLUMN_NAMES,
  type Flaw,
  type RecordOf,
  type ShiftRecord,
  type StagedRecord,
  type Table,
} from '../store/records.ts';
import { bitOf, KEEPABLE } from '../store/whole-shifts.ts';
import { remembered } from './remembered.ts';

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

export interface Completed<T extends Table> {
  /** The record is complete if neither it nor the given record has flaws. */
  readonly record: RecordOf<T>;
  readonly flaws: readonly Flaw[];
}

/** `isNew` is undefined when that is unknown. */
export function completeRecord<T extends Table>(
  table: T,
  given: StagedRecord<T>,
  existing: RecordOf<T> | undefined,
  isNew: boolean | undefined,
): Completed<T> {
  const merged = { ...DEFAULTS[table], ...existing, ...given } as RecordOf<T>;
  const isUnclear = (field: string) => given.flawed?.unclear.includes(field) ?? false;
  const missing = COLUMN_NAMES[table].filter(
    (field) => merged[field] === undefined && field !== 'end_date' && !isUnclear(field as string),
  );
  const flaws: Flaw[] = [];
  if (missing.length > 0 && isNew)
    flaws.push({ path: [], message: `is new and lacks ${missing.join(', ')}` });
  if (table !== 'shifts') return { record: merged, flaws };

  const shift = merged as ShiftRecord;
  const isEndKnown =
    !isUnclear('end_date') && TIMES.every((field) => shift[field] !== undefined && !isUnclear(field));
  if (!isEndKnown) return { record: merged, flaws };
  const end = completeEnd(shift, given as StagedRecord<'shifts'>, existing as ShiftRecord | undefined);
  if ('message' in end) return { record: merged, flaws: [...flaws, end] };
  return { record: { ...merged, ...end }, flaws };
}

/**
 * The same shift with every field of a new one, if it has enough for that. Its left-out fields are listed, because an
 * existing shift keeps those.
 */
export function makeWhole(given: StagedRecord<'shifts'>): StagedRecord<'shifts'> {
  if (given.kept !== undefined || given.flawed !== undefined || given.id === undefined) return given;
  for (const field of NEEDED) if (given[field] === undefined) return given;
  const end = completeEnd(given as ShiftRecord, given, undefined);
  if ('message' in end) return given;
  let kept = 0;
  for (const [field, bit] of KEEPABLE_BITS) if (given[field] === undefined) kept |= bit;
  const { location_id, person_id, remarks, starred, cancelled, noshow } = given;
  // Written out, this is several times as fast as spreading three objects.
  const whole = {
    id: given.id,
    date: given.date,
    start_time: given.start_time,
    end_time: given.end_time,
    end_date: end.end_date,
    group_id: given.group_id,
    location_id: location_id ?? DEFAULTS.shifts.location_id,
    person_id: person_id ?? DEFAULTS.shifts.person_id,
    publish_date: given.publish_date,
    remarks: remarks ?? DEFAULTS.shifts.remarks,
    starred: starred ?? DEFAULTS.shifts.starred,
    cancelled: cancelled ?? DEFAULTS.shifts.cancelled,
    noshow: noshow ?? DEFAULTS.shifts.noshow,
    kept,
  };
  return given.isDerived ? { ...whole, isDerived: true } : whole;
}

const NEEDED = COLUMN_NAMES.shifts.filter((field) => bitOf(field) === 0);
const KEEPABLE_BITS = KEEPABLE.map((field) => [field, bitOf(field)] as const);

const TIMES = ['date', 'start_time', 'end_time'] as const;

export function isSameRecord<T extends Table>(table: T, a: RecordOf<T>, b: RecordOf<T>): boolean {
  return COLUMN_NAMES[table].every((field) => a[field] === b[field]);
}

/**
 * Without an end date, a shift ends at the first such time after its start. An existing shift keeps its end date,
 * unless its date or its times change.
 */
function completeEnd(
  shift: ShiftRecord,
  given: StagedRecord<'shifts'>,
  existing: ShiftRecord | undefined,
): Pick<ShiftRecord, 'end_date'> | Flaw {
  const keepsTimes = existing !== undefined && TIMES.every((field) => shift[field] === existing[field]);
  const end =
    given.end_date ?? (keepsTimes && given.end_date === undefined ? existing.end_date : firstEnd(shift));
  if (end === undefined) {
    return { path: ['end_time'], message: `${shift.end_time} comes after 9999-12-31, the last date` };
  }
  if (end < shift.date || (end === shift.date && shift.end_time <= shift.start_time)) {
    const message = `the end, ${end} ${shift.end_time}, is not after the start, ${shift.date} ${shift.start_time}`;
    return { path: [given.end_date ? 'end_date' : 'end_time'], message };
  }
  return { end_date: end };
}

/** undefined: it would be after the last possible date. */
function firstEnd({ date, start_time, end_time }: ShiftRecord): string | undefined {
  return end_time > start_time ? date : dayAfter(date);
}

const dayAfter = remembered((date) => {
  const nextDay = ((parseDate(date) as Day) + 1) as Day;
  return nextDay > LAST_DAY ? undefined : formatDate(nextDay);
});
