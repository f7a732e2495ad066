/**
 * Packs parts for the way between threads. Copying objects costs more than parsing them, because each one carries the
 * names of its fields. So ordinary shifts and rows, which make up nearly all of a large document, are sent as a flat
 * list of values. Everything unusual is sent as it is.
 */

import type { StagedRecord } from '../../store/records.ts';
import type { DocumentPart, SheetRows } from '../document.ts';
import type { SheetRow } from '../sheet/report.ts';

type Shift = StagedRecord<'shifts'>;
type ShiftsPart = Extract<DocumentPart, { readonly table: 'shifts' }>;

export type PackedPart =
  | Exclude<DocumentPart, ShiftsPart | SheetRows>
  | { readonly shifts: Packed<Shift> }
  | (Omit<SheetRows, 'rows'> & { readonly rows: Packed<SheetRow> });

interface Packed<T> {
  readonly count: number;
  /** The values of the ordinary items, one after the other. */
  readonly values: readonly unknown[];
  /** The unusual items, by their index among all items. */
  readonly others: ReadonlyMap<number, T>;
}

export function packPart(part: DocumentPart): PackedPart {
  if ('rows' in part) return { ...part, rows: pack(part.rows, addRow) };
  if ('table' in part && part.table === 'shifts') return { shifts: pack(part.records, addShift) };
  return part;
}

export function unpackPart(part: PackedPart): DocumentPart {
  if ('rows' in part) return { ...part, rows: unpack(part.rows, ROW_VALUES, rowAt) };
  if ('shifts' in part) return { table: 'shifts', records: unpack(part.shifts, SHIFT_VALUES, shiftAt) };
  return part;
}

/** `add` returns false for an unusual item. */
function pack<T>(items: readonly T[], add: (values: unknown[], item: T) => boolean): Packed<T> {
  const values: unknown[] = [];
  const others = new Map<number, T>();
  items.forEach((item, i) => {
    if (!add(values, item)) others.set(i, item);
  });
  return { count: items.length, values, others };
}

function unpack<T>(
  { count, values, others }: Packed<T>,
  valuesEach: number,
  itemAt: (values: readonly unknown[], start: number) => T,
): T[] {
  const items: T[] = [];
  for (let i = 0, start = 0; i < count; i++) {
    const other = others.get(i);
    items.push(other ?? itemAt(values, start));
    if (other === undefined) start += valuesEach;
  }
  return items;
}

const SHIFT_VALUES = 13;

function addShift(values: unknown[], shift: Shift): boolean {
  if (shift.flawed !== undefined) return false;
  values.push(
    shift.id,
    shift.date,
    shift.start_time,
    shift.end_time,
    shift.end_date,
    shift.group_id,
    shift.location_id,
    shift.person_id,
    shift.publish_date,
    shift.remarks,
    shift.starred,
    shift.cancelled,
    shift.noshow,
  );
  return true;
}

/** Fields that the shift does not have are undefined. */
function shiftAt(values: readonly unknown[], start: number): Shift {
  return {
    id: values[start],
    date: values[start + 1],
    start_time: values[start + 2],
    end_time: values[start + 3],
    end_date: values[start + 4],
    group_id: values[start + 5],
    location_id: values[start + 6],
    person_id: values[start + 7],
    publish_date: values[start + 8],
    remarks: values[start + 9],
    starred: values[start + 10],
    cancelled: values[start + 11],
    noshow: values[start + 12],
  } as Shift;
}

const ROW_VALUES = 15;

function addRow(values: unknown[], { position, shift, group, location, person }: SheetRow): boolean {
  if (shift.flawed !== undefined) return false;
  values.push(
    position,
    shift.id,
    shift.date,
    shift.start_time,
    shift.end_time,
    shift.end_date,
    shift.publish_date,
    shift.remarks,
    shift.starred,
    shift.cancelled,
    shift.noshow,
    group,
    location ? location.name : location,
    location?.address,
    person,
  );
  return true;
}

/** Fields that the row does not have are undefined. */
function rowAt(values: readonly unknown[], start: number): SheetRow {
  const place = values[start + 12] as string | null | undefined;
  return {
    position: values[start] as number,
    shift: {
      id: values[start + 1],
      date: values[start + 2],
      start_time: values[start + 3],
      end_time: values[start + 4],
      end_date: values[start + 5],
      publish_date: values[start + 6],
      remarks: values[start + 7],
      starred: values[start + 8],
      cancelled: values[start + 9],
      noshow: values[start + 10],
    } as Shift,
    group: values[start + 11] as string | undefined,
    location:
      typeof place === 'string' ? { name: place, address: values[start + 13] as string | undefined } : place,
    person: values[start + 14] as string | null | undefined,
  };
}
