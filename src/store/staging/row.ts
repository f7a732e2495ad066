/**
 * A record of the document as a row of the stage: its values in typed columns, and which fields it has. A field that is
 * left out and a field that is null are both NULL there, so a bit tells them apart.
 */

import { COLUMN_NAMES, type StagedRecord, TABLES, type Table } from '../records.ts';

/** The bit of a field in `given_fields` and `unclear_fields`. A derived id does not count as given. */
export function bitOf(table: Table, field: string): number {
  return 1 << (COLUMN_NAMES[table] as readonly string[]).indexOf(field);
}

export function bitsOf(table: Table, fields: readonly string[]): number {
  return fields.reduce((bits, field) => bits | bitOf(table, field), 0);
}

export function fieldsOf(table: Table, bits: number): string[] {
  return COLUMN_NAMES[table].filter((field) => (bits & bitOf(table, field)) !== 0);
}

const VALUE_NAMES = Object.fromEntries(
  TABLES.map((table) => [table, COLUMN_NAMES[table].filter((name) => name !== 'id')]),
) as unknown as { readonly [T in Table]: readonly string[] };

/** The columns of a row, in their order. */
export const STAGED_COLUMNS = Object.fromEntries(
  TABLES.map((table) => [
    table,
    ['position', 'id', 'given_fields', 'unclear_fields', 'flaws', ...VALUE_NAMES[table]],
  ]),
) as unknown as { readonly [T in Table]: readonly string[] };

/** Flags are 0 and 1. */
export type StagedValue = number | string | null;

export function stagedRow<T extends Table>(
  table: T,
  record: StagedRecord<T>,
  position: number,
): StagedValue[] {
  const { id, isDerived, flawed } = record;
  const values = record as Readonly<Record<string, StagedValue | boolean | undefined>>;
  let given = id === undefined || isDerived ? 0 : 1;
  const row: StagedValue[] = [position, id ?? null, 0, 0, null];
  const names = VALUE_NAMES[table];
  for (let i = 0; i < names.length; i++) {
    const value = values[names[i] as string];
    if (value !== undefined) given |= 2 << i;
    row.push(typeof value === 'boolean' ? Number(value) : (value ?? null));
  }
  row[2] = given;
  if (flawed !== undefined) {
    row[3] = bitsOf(table, flawed.unclear);
    row[4] = JSON.stringify(flawed.flaws);
  }
  return row;
}
