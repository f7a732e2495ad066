/** Conditions for shifts that are unusual but may be intended, as SQL. */

import { ODD_KINDS, type OddKind, type Usual } from '../import-store.ts';
import { COLUMN_NAMES, DERIVED_IDS } from '../records.ts';
import { afterOf } from './after.ts';
import type { Dialect, Situation } from './dialect.ts';
import { bitOf } from './row.ts';

/** The condition for each kind. */
export function oddConditions(
  dialect: Dialect,
  situation: Situation,
  { longMinutes, firstDate, lastDate }: Usual,
): Readonly<Record<OddKind, string>> {
  const after = afterOf(dialect, situation);
  const [date, endDate] = [after('date'), after('end_date')];
  const length = `${minutesOf(after('end_time'))} - ${minutesOf(after('start_time'))}
    + CASE WHEN ${endDate} > ${date} THEN 1440 ELSE 0 END`;
  return {
    long: `(${length} >= ${longMinutes} OR ${endDate} > ${dialect.dayAfter(date)})`,
    far: `(${date} < '${firstDate}' OR ${date} > '${lastDate}')`,
    equal: 'given.equal_position IS NOT NULL',
  };
}

function minutesOf(time: string): string {
  return `(CAST(substr(${time}, 1, 2) AS integer) * 60 + CAST(substr(${time}, 4, 2) AS integer))`;
}

export function oddCounts(conditions: Readonly<Record<OddKind, string>>): string {
  return ODD_KINDS.map((kind) => `count(*) FILTER (WHERE ${conditions[kind]}) AS ${kind}_shifts`).join(', ');
}

/**
 * Stores the position of the first row with the same content in each later one. Only rows with the same derived id can
 * be equal.
 */
export function findEqual({ temporary }: Dialect): string {
  const shifts = `${temporary}.shifts_given`;
  const isDerived = `(given_fields & ${bitOf('shifts', 'id')}) = 0`;
  return `UPDATE ${shifts} AS given SET equal_position = equals.position
    FROM (
      SELECT position AS later, min(position) OVER (PARTITION BY ${COLUMN_NAMES.shifts.join(', ')}) AS position
      FROM ${shifts} WHERE ${isDerived} AND id IN (
        SELECT id FROM ${shifts} WHERE id >= ${DERIVED_IDS.first} GROUP BY id HAVING count(*) > 1
      )
    ) AS equals
    WHERE equals.later = given.position AND equals.position < given.position`;
}
