/**
 * The values of a record after the import, as SQL. A field that is left out keeps its value on a known record, and gets
 * its default on a new one. An unchanged record is not written, so its revision does not change either.
 */

import { COLUMN_NAMES, DEFAULTS, REFERENCES, type Table } from '../records.ts';
import type { Dialect, Situation } from './dialect.ts';
import { bitOf } from './row.ts';

/** The value of a column after the import: that of the document, else that of the account, else the default. */
export function afterOf(dialect: Dialect, situation: Situation): (name: string) => string {
  const { table, accountId } = situation;
  const defaults: Readonly<Record<string, unknown>> = DEFAULTS[table];
  const after = (name: string): string => {
    if (name === 'id') return 'given.id';
    if (name === 'end_date') return endDateAfter(dialect, situation, after);
    const given = givenOrSameName(dialect, situation, name);
    if (NULLABLE.includes(name)) {
      if (accountId === undefined) return given;
      return `CASE WHEN ${isGiven(table, name)} THEN ${given} ELSE ${dialect.existing(table, name)} END`;
    }
    const others = [
      ...(accountId === undefined ? [] : [dialect.existing(table, name)]),
      ...(name in defaults ? [literalOf(defaults[name])] : []),
    ];
    return others.length === 0 ? given : `coalesce(${[given, ...others].join(', ')})`;
  };
  return after;
}

/** Columns that may be NULL in the database, or are computed when they are NULL on the stage. */
const NULLABLE = ['location_id', 'person_id', 'end_date'];

function isGiven(table: Table, name: string): string {
  return `(given.given_fields & ${bitOf(table, name)}) <> 0`;
}

function givenOrSameName(dialect: Dialect, situation: Situation, name: string): string {
  const isSame = isOfSameName(dialect, situation, name);
  if (isSame === undefined) return `given.${name}`;
  return `CASE WHEN ${isSame} THEN ${dialect.existing('shifts', name)} ELSE given.${name} END`;
}

function literalOf(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/**
 * Without an end date, a shift ends when its end time next occurs after its start. A known shift keeps its end date,
 * unless its date or times change.
 */
function endDateAfter(
  dialect: Dialect,
  { table, accountId }: Situation,
  after: (name: string) => string,
): string {
  const firstEnd = firstEndAfter(dialect, after);
  if (accountId === undefined) return `coalesce(given.end_date, ${firstEnd})`;
  const existing = (name: string) => dialect.existing(table, name);
  const isSame = TIMES.map((name) => `${after(name)} = ${existing(name)}`).join(' AND ');
  return `CASE WHEN given.end_date IS NOT NULL THEN given.end_date
    WHEN NOT ${isGiven(table, 'end_date')} AND ${isSame} THEN ${existing('end_date')} ELSE ${firstEnd} END`;
}

const TIMES = ['date', 'start_time', 'end_time'];

function firstEndAfter(dialect: Dialect, after: (name: string) => string): string {
  return `CASE WHEN ${after('end_time')} > ${after('start_time')} THEN ${after('date')}
    ELSE ${dialect.dayAfter(after('date'))} END`;
}

/**
 * Whether a sheet refers by name to a record with the same name as the one that the shift has: the shift then keeps its
 * own. Returns undefined if this cannot happen.
 */
function isOfSameName(
  dialect: Dialect,
  { accountId, options }: Situation,
  field: string,
): string | undefined {
  const { namedBy } = options;
  const table = REFERENCES.find(([name]) => name === field)?.[1];
  if (accountId === undefined || namedBy === undefined || table === undefined) return undefined;
  const existing = dialect.existing('shifts', field);
  const names = table === 'locations' && namedBy === 'name and address' ? ['name', 'address'] : ['name'];
  return `(given.${field} <> ${existing} AND EXISTS (
    SELECT 1 FROM ${dialect.main}.${table} AS one CROSS JOIN ${dialect.main}.${table} AS other
    WHERE one.account_id = ${accountId} AND one.id = given.${field}
      AND other.account_id = ${accountId} AND other.id = ${existing}
      AND ${names.map((name) => `one.${name} = other.${name}`).join(' AND ')}))`;
}

/** Whether a record is to be written. */
export function isNewOrChanged(dialect: Dialect, situation: Situation): string {
  const { table, accountId } = situation;
  if (accountId === undefined) return 'true';
  const changes = COLUMN_NAMES[table]
    .filter((name) => name !== 'id')
    .map((name) =>
      name === 'end_date' ? isEndDateChanged(dialect, situation) : isChanged(dialect, situation, name),
    );
  return `${dialect.existing(table, 'id')} IS NULL OR ${changes.join(' OR ')}`;
}

/** A field that is left out is NULL, which is neither equal nor unequal to anything. */
function isChanged(dialect: Dialect, situation: Situation, name: string): string {
  const { table } = situation;
  const existing = dialect.existing(table, name);
  const isSame = isOfSameName(dialect, situation, name);
  const isOther = NULLABLE.includes(name)
    ? `(${isGiven(table, name)} AND given.${name} IS DISTINCT FROM ${existing})`
    : `given.${name} <> ${existing}`;
  return isSame === undefined ? isOther : `(${isOther} AND NOT coalesce(${isSame}, false))`;
}

/** An end date that is left out changes only together with the date or the times. */
function isEndDateChanged(dialect: Dialect, situation: Situation): string {
  const existing = dialect.existing('shifts', 'end_date');
  const firstEnd = firstEndAfter(dialect, afterOf(dialect, situation));
  return `given.end_date <> ${existing}
    OR (${isGiven('shifts', 'end_date')} AND given.end_date IS NULL AND ${firstEnd} <> ${existing})`;
}
