/**
 * Converts rows of either database. PostgreSQL returns big integers as text, and SQLite returns flags as numbers; our
 * integers are all within the safe range.
 */

import type { Shift, SortOrder } from '../listing/shift.ts';
import type { Account } from './account.ts';
import type { AccountContents } from './account-store.ts';
import { COLUMNS, type RecordOf, type Table } from './records.ts';
import type { Token } from './token-store.ts';

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

/** Values by the names of their columns. */
export type RecordRow = Readonly<Record<string, unknown>>;

/** From columns whose names begin with the prefix. */
export function recordOf<T extends Table>(table: T, row: RecordRow, prefix = ''): RecordOf<T> {
  const entries = Object.entries(COLUMNS[table]).map(([name, type]) => {
    const value = row[prefix + name];
    if (value === null) return [name, null];
    return [name, type === 'integer' ? Number(value) : type === 'boolean' ? Boolean(value) : value];
  });
  return Object.fromEntries(entries);
}

export interface ContentsRow {
  readonly revision: Integer;
  readonly groups: Integer;
  readonly inactive_groups: Integer;
  readonly locations: Integer;
  readonly people: Integer;
  readonly tokens: Integer;
  readonly shifts: Integer;
  readonly first_date: string | null;
  readonly last_date: string | null;
  readonly last_imported_at: Integer | null;
}

export interface MonthContentsRow {
  readonly month: string;
  readonly shifts: Integer;
  readonly open: Integer;
  readonly unpublished: Integer;
  readonly unlisted: Integer;
}

/** Without `today`, the number of unpublished shifts is unknown. */
export function contentsOf(
  row: ContentsRow,
  months: readonly MonthContentsRow[],
  today: string | undefined,
): AccountContents {
  return {
    revision: Number(row.revision),
    groups: Number(row.groups),
    inactiveGroups: Number(row.inactive_groups),
    locations: Number(row.locations),
    people: Number(row.people),
    tokens: Number(row.tokens),
    shifts: Number(row.shifts),
    firstDate: row.first_date,
    lastDate: row.last_date,
    lastImportedAtMs: row.last_imported_at === null ? null : Number(row.last_imported_at),
    months: months.map(({ month, shifts, open, unpublished, unlisted }) => ({
      month,
      shifts: Number(shifts),
      open: Number(open),
      unpublished: today === undefined ? null : Number(unpublished),
      unlisted: Number(unlisted),
    })),
  };
}

export const TOKEN_COLUMNS = 'id, account_id, hint, label, created_at, expires_at, revoked_at, last_used_at';

export interface TokenRow {
  readonly id: Integer;
  readonly account_id: Integer;
  readonly hint: string;
  readonly label: string;
  readonly created_at: Integer;
  readonly expires_at: Integer | null;
  readonly revoked_at: Integer | null;
  readonly last_used_at: Integer | null;
}

export function tokenOf(row: TokenRow): Token {
  const instant = (value: Integer | null) => (value === null ? null : Number(value));
  return {
    id: Number(row.id),
    accountId: Number(row.account_id),
    hint: row.hint,
    label: row.label,
    createdAtMs: Number(row.created_at),
    expiresAtMs: instant(row.expires_at),
    revokedAtMs: instant(row.revoked_at),
    lastUsedAtMs: instant(row.last_used_at),
  };
}
