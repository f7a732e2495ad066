/** Problems of a record that only show beside the account and the rest of the document, as SQL. */

import { LAST_DATE } from '../import-store.ts';
import { COLUMN_NAMES, DEFAULTS, REFERENCES, type Table } from '../records.ts';
import { afterOf } from './after.ts';
import type { Dialect, Situation } from './dialect.ts';
import { bitOf, bitsOf } from './row.ts';

/** Whether a record has any problem. */
export function isFlawed(dialect: Dialect, situation: Situation): string {
  return anyOf([
    ...WITHOUT_ACCOUNT,
    isNewAndLacking(dialect, situation),
    ...(situation.table === 'shifts'
      ? [
          hasUnknownLongId(dialect, situation),
          isEndTooEarly(dialect, situation),
          isEndTooLate(dialect, situation),
        ]
      : []),
    ...missingReferences(dialect, situation),
  ]);
}

/** The same for an unchanged record: what the account has is valid, unless it is about to be removed. */
export function isFlawedUnchanged(dialect: Dialect, situation: Situation): string {
  const { removesReferred } = situation.options;
  return anyOf([...WITHOUT_ACCOUNT, ...(removesReferred ? missingReferences(dialect, situation) : [])]);
}

const WITHOUT_ACCOUNT = ['given.flaws IS NOT NULL', 'given.first_position IS NOT NULL'];

function anyOf(conditions: readonly string[]): string {
  return conditions.map((condition) => `(${condition})`).join(' OR ');
}

function missingReferences(dialect: Dialect, situation: Situation): string[] {
  return judgedReferences(situation).map((reference) => isMissing(dialect, situation, reference));
}

/** Columns that say which problems a record has. */
export function verdicts(dialect: Dialect, situation: Situation): readonly string[] {
  const { table, options } = situation;
  const known = '(given.given_fields | given.unclear_fields)';
  const columns = [
    `CASE WHEN ${isNewAndLacking(dialect, situation)} THEN ${neededBits(table)} & ~${known} ELSE 0 END AS lacking_fields`,
  ];
  if (table !== 'shifts') return columns;
  columns.push(
    `CASE WHEN ${hasUnknownLongId(dialect, situation)} THEN true ELSE false END AS has_unknown_long_id`,
    `CASE WHEN ${isEndTooEarly(dialect, situation)} THEN true ELSE false END AS is_end_too_early`,
    `CASE WHEN ${isEndTooLate(dialect, situation)} THEN true ELSE false END AS is_end_too_late`,
  );
  for (const reference of judgedReferences(situation)) {
    const [field, to] = reference;
    const isThere = dialect.isAmong(
      judged(dialect, situation, field),
      idsOfAccount(dialect, options.accountId, to),
    );
    columns.push(
      `CASE WHEN NOT (${isMissing(dialect, situation, reference)}) THEN NULL
        WHEN ${isThere} THEN 'removed' ELSE 'nowhere' END AS missing_${field}`,
    );
  }
  return columns;
}

/**
 * Spreadsheets keep 15 digits, so a long id that the account does not have was probably a different one. Below this,
 * ids of planning tools may be new, such as a time in microseconds.
 */
const FIRST_LONG_ID = 2 ** 52;

function hasUnknownLongId(dialect: Dialect, { table, accountId, options }: Situation): string {
  if (options.namedBy === undefined || options.unknown.has('account')) return 'false';
  const isNew = accountId === undefined ? '' : `${dialect.existing(table, 'id')} IS NULL AND`;
  return `${isNew} given.id >= ${FIRST_LONG_ID} AND (given.given_fields & ${bitOf(table, 'id')}) <> 0`;
}

function neededBits(table: Table): number {
  const needed = COLUMN_NAMES[table].filter(
    (name) => name !== 'id' && name !== 'end_date' && !(name in DEFAULTS[table]),
  );
  return bitsOf(table, needed);
}

/** A record whose id or account could not be read is not judged: it may be known. */
function isNewAndLacking(dialect: Dialect, { table, accountId, options }: Situation): string {
  if (options.unknown.has('account')) return 'false';
  const needed = neededBits(table);
  const isNew = accountId === undefined ? '' : `${dialect.existing(table, 'id')} IS NULL AND`;
  return `${isNew} given.id IS NOT NULL
    AND ((given.given_fields | given.unclear_fields) & ${needed}) <> ${needed}`;
}

/** An end that depends on an unreadable field is not judged. */
const IS_END_CLEAR = `(given.unclear_fields & ${bitsOf('shifts', ['date', 'start_time', 'end_time', 'end_date'])}) = 0`;

/** An end date that is computed or kept is never too early. */
function isEndTooEarly(dialect: Dialect, situation: Situation): string {
  const after = afterOf(dialect, situation);
  const times = ['start_time', 'end_time'].map((name) => `${after(name)} IS NOT NULL`).join(' AND ');
  return `given.end_date IS NOT NULL AND ${IS_END_CLEAR} AND ${times}
    AND (given.end_date, ${after('end_time')}) <= (${after('date')}, ${after('start_time')})`;
}

/** Whether a shift ends on the day after the last valid date. */
function isEndTooLate(dialect: Dialect, situation: Situation): string {
  const after = afterOf(dialect, situation);
  return `given.end_date IS NULL AND ${after('date')} = '${LAST_DATE}' AND ${IS_END_CLEAR}
    AND ${after('end_time')} <= ${after('start_time')}`;
}

type Reference = (typeof REFERENCES)[number];

/** References to tables with unreadable records are not judged: the record may be one of them. */
function judgedReferences({ table, options: { unknown } }: Situation): readonly Reference[] {
  if (table !== 'shifts' || unknown.has('account')) return [];
  return REFERENCES.filter(([, to]) => !unknown.has(to));
}

/**
 * The reference of a shift that has to be checked. A reference that the document leaves out is kept, and valid unless
 * its record is about to be removed; references that other programs broke are reported by `doctor`.
 */
function judged(dialect: Dialect, situation: Situation, field: string): string {
  return situation.options.removesReferred ? afterOf(dialect, situation)(field) : `given.${field}`;
}

/** A shift may refer to a record that only the account has, unless that record is about to be removed. */
function isMissing(dialect: Dialect, situation: Situation, [field, to]: Reference): string {
  const { added, options } = situation;
  const id = judged(dialect, situation, field);
  const isThere = dialect.isAmong(id, [
    ...(added.has(to) ? [`SELECT id FROM ${dialect.temporary}.${to}_given WHERE id IS NOT NULL`] : []),
    ...(options.removesReferred ? [] : idsOfAccount(dialect, options.accountId, to)),
  ]);
  return `${id} IS NOT NULL AND (given.unclear_fields & ${bitOf('shifts', field)}) = 0 AND NOT ${isThere}`;
}

function idsOfAccount({ main }: Dialect, accountId: number | undefined, table: Table): readonly string[] {
  return accountId === undefined ? [] : [`SELECT id FROM ${main}.${table} WHERE account_id = ${accountId}`];
}
