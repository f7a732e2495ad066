/**
 * Converts rows of either database. PostgreSQL returns big integers as text, and SQLite returns flags as numbers; our
 * integers are all within the safe range.
 */

import type { Shift, SortOrder } from '../listing/shift.ts';
import type { Account } from './account.ts';
import type { RecordRow } from './database.ts';
import { COLUMNS, type ColumnType, type RecordOf, TABLES, type Table } from './records.ts';

type Integer = number | string;
type Flag = boolean | number;

export const ACCOUNT_COLUMNS = 'id, slug, name, premium, time_zone, sort';

export interface AccountRow {
  readonly id: Integer;
  readonly slug: string;
  readonly name: string;
  readonly premium: Flag;
  readonly time_zone: string;
  readonly sort: SortOrder;
}

export function accountOf({ id, slug, name, premium, time_zone, sort }: AccountRow): Account {
  return { id: Number(id), slug, name, premium: Boolean(premium), timeZone: time_zone, sort };
}

/** An array, because there are many rows and objects take longer to create. */
export type ShiftRow = readonly [
  id: Integer,
  date: string,
  startTime: string,
  endTime: string,
  endDate: string,
  groupId: Integer,
  groupName: string,
  locationId: Integer | null,
  locationName: string,
  locationAddress: string,
  personName: string | null,
  publishDate: string,
  remarks: string,
  starred: Flag,
  cancelled: Flag,
  noshow: Flag,
];

export function shiftOf(row: ShiftRow): Shift {
  const locationId = row[7];
  return {
    id: Number(row[0]),
    date: row[1],
    startTime: row[2],
    endTime: row[3],
    endDate: row[4],
    groupId: Number(row[5]),
    groupName: row[6],
    location: locationId === null ? null : { id: Number(locationId), name: row[8], address: row[9] },
    personName: row[10],
    publishDate: row[11],
    remarks: row[12],
    starred: Boolean(row[13]),
    cancelled: Boolean(row[14]),
    noshow: Boolean(row[15]),
  };
}

/** From columns whose names begin with the prefix. */
export function recordOf<T extends Table>(table: T, row: RecordRow, prefix = ''): RecordOf<T> {
  const record: Record<string, unknown> = {};
  for (const [name, type] of TYPED_COLUMNS[table]) {
    const value = row[prefix + name];
    record[name] =
      value === null || type === 'text' || type === 'date'
        ? value
        : type === 'integer'
          ? Number(value)
          : Boolean(value);
  }
  return record as unknown as RecordOf<T>;
}

const TYPED_COLUMNS = Object.fromEntries(
  TABLES.map((table) => [table, Object.entries(COLUMNS[table])]),
) as unknown as Readonly<Record<Table, readonly [name: string, type: ColumnType][]>>;
