/**
 * Rows of a sheet without ids that are alike in date, start, group and location have their ids by their order. If the
 * account already has shifts of that kind, each row is the shift of the same person instead, and only the rows that
 * are left go by their order. So a sheet may be sorted anew, or lose a row, and nobody gets the flags of somebody else.
 */

import { DERIVED_IDS } from '../records.ts';
import type { ComparedRecords, StageDatabase } from './comparison.ts';
import { bitOf } from './outcome.ts';

const KEY = 'date, start_time, group_id, location_id';
const { first, days, hashes, unstep } = DERIVED_IDS;
const AMONG_DERIVED = `BETWEEN ${first} AND ${first + days * hashes - 1}`;
const HAS_DERIVED_ID = `given.id >= ${first} AND (given.given_fields & ${bitOf('shifts', 'id')}) = 0`;
const IS_PERSON_GIVEN = `(given.given_fields & ${bitOf('shifts', 'person_id')}) <> 0`;
/** Stand for a shift without a location or a person, because NULL equals nothing. */
const NONE = 0;
/** A sheet without people says nothing about who a row is for. */
const ANYBODY = -1;

/**
 * Returns how many rows got another id: the comparison is then outdated.
 *
 * `IS TRUE` keeps PostgreSQL from turning a subquery into a join. It may know nothing of shifts that were just written,
 * and would take them for a few, and a nested loop for fast.
 */
export async function matchByPerson(database: StageDatabase, compared: ComparedRecords): Promise<number> {
  const { types, temporary, main } = database.dialect;
  const [given, alike] = [`${temporary}.shifts_given`, `${temporary}.shifts_alike`];
  await database.make(
    'shifts_alike',
    `position ${types.integer}, id ${types.integer}, date ${types.date}, start_time ${types.text},
      group_id ${types.integer}, location_id ${types.integer}, person_id ${types.integer}`,
  );
  const keyOfGiven = `given.date, given.start_time, given.group_id, coalesce(given.location_id, ${NONE})`;
  const rows = await database.run(`INSERT INTO ${alike}
    SELECT given.position, given.id, ${keyOfGiven},
      CASE WHEN ${IS_PERSON_GIVEN} THEN coalesce(given.person_id, ${NONE}) ELSE ${ANYBODY} END
    FROM ${given} AS given
    WHERE ${HAS_DERIVED_ID} AND ((${keyOfGiven}) IN (${doubtfulKeys(keyOfGiven, main, compared)})) IS TRUE`);
  if (rows === 0) return 0;
  await database.analyze('shifts_alike');
  // A shift that another row of the document has is not free to be matched.
  const keyOfExisting = `date, start_time, group_id, coalesce(location_id, ${NONE})`;
  const shifts = await database.run(`INSERT INTO ${alike}
    SELECT NULL, id, ${keyOfExisting}, coalesce(person_id, ${NONE}) FROM ${main}.shifts AS existing
    WHERE account_id = ${compared.accountId} AND id ${AMONG_DERIVED}
      AND date BETWEEN (SELECT min(date) FROM ${alike}) AND (SELECT max(date) FROM ${alike})
      AND ((${keyOfExisting}) IN (SELECT ${KEY} FROM ${alike})) IS TRUE
      AND NOT EXISTS (SELECT 1 FROM ${given} AS given
        WHERE given.id = existing.id AND given.position NOT IN (SELECT position FROM ${alike} WHERE position IS NOT NULL))`);
  if (shifts === 0) return 0;
  await database.analyze('shifts_alike');
  // Most have one id, because only one row and its shift are of that kind.
  await database.run(`DELETE FROM ${alike}
    WHERE ((${KEY}) IN (SELECT ${KEY} FROM ${alike} GROUP BY ${KEY} HAVING min(id) = max(id))) IS TRUE`);
  await database.analyze('shifts_alike');
  return database.run(`UPDATE ${given} AS given SET id = matched.id
    FROM (${matchedIds(alike)}) AS matched
    WHERE matched.position = given.position AND matched.id <> given.id`);
}

/** A row is in doubt if its shift is new or somebody else's, on a day on which the account has such shifts. */
function doubtfulKeys(key: string, main: string, { accountId, rows, existing }: ComparedRecords): string {
  return `SELECT ${key} FROM ${rows} AND ${HAS_DERIVED_ID}
    AND (NOT compared.is_known OR (${IS_PERSON_GIVEN} AND given.person_id IS DISTINCT FROM ${existing('person_id')}))
    AND (EXISTS (SELECT 1 FROM ${main}.shifts AS earlier
      WHERE earlier.account_id = ${accountId} AND earlier.date = given.date AND earlier.id ${AMONG_DERIVED})) IS TRUE`;
}

/**
 * The position of each row, and its id. Rows (with a position) and shifts of the account (without one) are numbered
 * side by side: those with the same number belong together. Numbering needs no join, so it is fast for any number of
 * rows that are alike.
 */
function matchedIds(alike: string): string {
  const number = (parts: string, order: string) =>
    `row_number() OVER (PARTITION BY ${KEY}, ${parts} ORDER BY ${order})`;
  const shiftId = 'max(CASE WHEN position IS NULL THEN id END)';
  const byPerson = `OVER (PARTITION BY ${KEY}, person_id, turn)`;
  const byOrder = `OVER (PARTITION BY ${KEY}, is_paired, turn_of_rest)`;
  return `WITH placed AS (
      SELECT alike.*, CASE WHEN position IS NULL THEN ${orderOfIds()} ELSE position END AS place FROM ${alike} AS alike
    ), numbered AS (
      SELECT placed.*, ${number('person_id, position IS NULL', 'place')} AS turn FROM placed
    ), paired AS (
      SELECT numbered.*, count(*) ${byPerson} = 2 AS is_paired, ${shiftId} ${byPerson} AS shift_of_person FROM numbered
    ), renumbered AS (
      SELECT paired.*, ${number('is_paired, position IS NULL', 'place')} AS turn_of_rest FROM paired
    ), matched AS (
      SELECT renumbered.*, CASE WHEN is_paired THEN shift_of_person
        WHEN count(*) ${byOrder} = 2 THEN ${shiftId} ${byOrder} END AS match FROM renumbered
    ), counted AS (
      SELECT matched.*, count(CASE WHEN position IS NULL THEN match END) OVER (PARTITION BY id) > 0 AS is_taken
      FROM matched
    ), rows_only AS (
      SELECT counted.*, ${number('match IS NULL', 'position')} AS turn_of_new,
        ${number('is_taken', 'position')} AS turn_of_free
      FROM counted WHERE position IS NOT NULL
    ), ids AS (
      SELECT date, position, match AS id FROM rows_only WHERE match IS NOT NULL
      UNION ALL SELECT date, max(position), max(id) FROM (${newAndFree()}) AS new_and_free
        GROUP BY ${KEY}, turn HAVING max(position) IS NOT NULL
    )
    SELECT position, id FROM (
      SELECT position, id, count(*) OVER (PARTITION BY date) - count(id) OVER (PARTITION BY date) AS without_id FROM ids
    ) AS of_day WHERE without_id = 0`;
}

/**
 * Rows without a shift get the ids that the matched rows have left. They may not suffice if the ids of rows that are
 * not alike have met by chance: all rows of that day then keep their ids.
 */
function newAndFree(): string {
  return `SELECT ${KEY}, turn_of_new AS turn, position, NULL AS id FROM rows_only WHERE match IS NULL
    UNION ALL SELECT ${KEY}, turn_of_free, NULL, id FROM rows_only WHERE NOT is_taken`;
}

/** How many steps an id is away from that of the first row, before or after it: the order in which ids were given. */
function orderOfIds(): string {
  const away = `(id - first_value(id) OVER (PARTITION BY ${KEY} ORDER BY position NULLS LAST))`;
  return `((${away} % ${hashes} + ${hashes}) % ${hashes} * ${unstep} + ${hashes / 2}) % ${hashes}`;
}
