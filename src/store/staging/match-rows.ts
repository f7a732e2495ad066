/**
 * Which shift of the account a row of a sheet without an id is. Mostly that is told by the id that is derived from its
 * date, start, group and location. Where it is not, rows are compared with the shifts of their day in the groups of the
 * sheet, and a row is, in this order:
 *
 * 1. the shift with the same start, group, location and person, so that a sheet may be sorted anew or lose a row, and
 *    nobody gets the flags of somebody else;
 * 2. the shift that has moved: the only one of that person and day that no row is, if it is their only such row;
 * 3. the shift with the same start, group and location, by order, which then is somebody else's;
 * 4. new, with an id that no shift has: that of a shift that has moved is never given to another.
 */

import { DERIVED_IDS } from '../records.ts';
import type { ComparedRecords, StageDatabase } from './comparison.ts';
import { bitOf } from './outcome.ts';

const KEY = 'date, start_time, group_id, location_id';
const { first, days, hashes, step, unstep } = DERIVED_IDS;
const IS_DERIVED = `id BETWEEN ${first} AND ${first + days * hashes - 1}`;
const HAS_DERIVED_ID = `given.id >= ${first} AND (given.given_fields & ${bitOf('shifts', 'id')}) = 0`;
const isGiven = (field: string) => `(given.given_fields & ${bitOf('shifts', field)}) <> 0`;
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
export async function matchRows(database: StageDatabase, compared: ComparedRecords): Promise<number> {
  const { types, temporary, main } = database.dialect;
  const [given, alike, matched] = ['given', 'alike', 'matched'].map((name) => `${temporary}.shifts_${name}`);
  const shiftsOf = (condition: string) => `${main}.shifts AS existing
    WHERE existing.account_id = ${compared.accountId} AND ${condition}`;
  await database.make(
    'shifts_alike',
    `position ${types.integer}, id ${types.integer}, date ${types.date}, start_time ${types.text},
      group_id ${types.integer}, location_id ${types.integer}, person_id ${types.integer}`,
  );
  const keyOfGiven = `given.date, given.start_time, given.group_id, coalesce(given.location_id, ${NONE})`;
  const isOnDay = `EXISTS (SELECT 1 FROM ${shiftsOf('existing.date = given.date')})`;
  const rows = await database.run(`INSERT INTO ${alike}
    SELECT given.position, given.id, ${keyOfGiven},
      CASE WHEN ${isGiven('person_id')} THEN coalesce(given.person_id, ${NONE}) ELSE ${ANYBODY} END
    FROM ${given} AS given
    WHERE ${HAS_DERIVED_ID} AND ((${keyOfGiven}) IN (
      SELECT ${keyOfGiven} FROM ${compared.rows} AND ${HAS_DERIVED_ID}
        AND CASE WHEN compared.is_known THEN ${isOther(compared)} ELSE ${isOnDay} END)) IS TRUE`);
  if (rows === 0) return 0;
  await database.analyze('shifts_alike');
  // A shift that another row of the document has is not free to be matched.
  const keyOfExisting = `date, start_time, group_id, coalesce(location_id, ${NONE})`;
  const shifts = await database.run(`INSERT INTO ${alike}
    SELECT NULL, id, ${keyOfExisting}, coalesce(person_id, ${NONE})
    FROM ${shiftsOf(`date BETWEEN (SELECT min(date) FROM ${alike}) AND (SELECT max(date) FROM ${alike})`)}
      AND (group_id IN (SELECT id FROM ${temporary}.groups_covered)) IS TRUE
      AND ((date, person_id) IN (SELECT date, person_id FROM ${alike})
        OR (${keyOfExisting}) IN (SELECT ${KEY} FROM ${alike})) IS TRUE
      AND NOT EXISTS (SELECT 1 FROM ${given} AS given
        WHERE given.id = existing.id AND given.position NOT IN (SELECT position FROM ${alike} WHERE position IS NOT NULL))`);
  const isTaken = (id: string) => `EXISTS (SELECT 1 FROM ${shiftsOf(`existing.id = ${id}`)})`;
  const taken = `SELECT 1 FROM ${alike} AS alike WHERE ${isTaken('alike.id')} LIMIT 1`;
  if (shifts === 0 && (await database.all(taken)).length === 0) return 0;
  await database.analyze('shifts_alike');
  await database.make(
    'shifts_matched',
    `position ${types.position}, id ${types.integer}, is_new ${types.boolean}`,
  );
  await database.run(
    `INSERT INTO ${matched} (position, id, is_new) ${matchedIds(String(alike), isTaken('matched.id'))}`,
  );
  await database.analyze('shifts_matched');
  let changed = await database.run(`UPDATE ${given} AS given SET id = matched.id FROM ${matched} AS matched
    WHERE matched.position = given.position AND matched.id <> given.id`);
  // Rows that are not alike may have met by chance, or a shift that has moved has the id.
  const isNew = (position: string) => `${position} IN (SELECT position FROM ${matched} WHERE is_new)`;
  const hash = `(given.id - ${first}) % ${hashes}`;
  const isMet = `EXISTS (SELECT 1 FROM ${given} AS other WHERE other.id = given.id
    AND (other.position < given.position OR (other.position > given.position AND NOT ${isNew('other.position')})))`;
  for (let moved = 1; moved > 0; changed += moved)
    moved =
      await database.run(`UPDATE ${given} AS given SET id = given.id - ${hash} + (${hash} + ${step}) % ${hashes}
      WHERE ${isNew('given.position')} AND (${isTaken('given.id')} OR ${isMet})`);
  return changed;
}

/** Whether the shift with the id that is derived for a row is another one, in something that the sheet tells. */
function isOther({ existing }: ComparedRecords): string {
  const always = ['date', 'start_time', 'group_id'].map((name) => `given.${name} <> ${existing(name)}`);
  const maybe = ['location_id', 'person_id'].map(
    (name) => `(${isGiven(name)} AND given.${name} IS DISTINCT FROM ${existing(name)})`,
  );
  return `(${[...always, ...maybe].join(' OR ')})`;
}

/**
 * The position of each row, its id, and whether it is new. Rows (with a position) and shifts of the account (without one)
 * are numbered side by side: those with the same number belong together. Numbering needs no join, so it is fast for any
 * number of rows that are alike.
 */
function matchedIds(alike: string, isTaken: string): string {
  const number = (parts: string, order: string) =>
    `row_number() OVER (PARTITION BY ${KEY}, ${parts} ORDER BY ${order})`;
  const shiftId = 'max(CASE WHEN position IS NULL THEN id END)';
  const byPerson = `OVER (PARTITION BY ${KEY}, person_id, turn)`;
  const byDay = 'OVER (PARTITION BY date, person_id, is_paired)';
  const byOrder = `OVER (PARTITION BY ${KEY}, is_found, is_derived, turn_of_rest)`;
  return `WITH placed AS (
      SELECT alike.*, ${IS_DERIVED} AS is_derived,
        CASE WHEN position IS NULL THEN ${orderOfIds()} ELSE position END AS place
      FROM ${alike} AS alike
    ), numbered AS (
      SELECT placed.*, ${number('person_id, position IS NULL', 'place')} AS turn FROM placed
    ), paired AS (
      SELECT numbered.*, count(*) ${byPerson} = 2 AS is_paired, ${shiftId} ${byPerson} AS shift_of_person FROM numbered
    ), found AS (
      SELECT paired.*, CASE WHEN is_paired THEN shift_of_person
        WHEN person_id > ${NONE} AND count(position) ${byDay} = 1 AND count(*) ${byDay} = 2 THEN ${shiftId} ${byDay}
        END AS found FROM paired
    ), renumbered AS (
      SELECT found.*, found IS NOT NULL AS is_found,
        ${number('found IS NULL, is_derived, position IS NULL', 'place')} AS turn_of_rest FROM found
    ), matched AS (
      SELECT renumbered.*, CASE WHEN is_found THEN found
        WHEN count(*) ${byOrder} = 2 THEN ${shiftId} ${byOrder} END AS match FROM renumbered
    ), rows_only AS (
      SELECT matched.*, ${isTaken} AS is_taken FROM matched WHERE position IS NOT NULL
    ), in_turn AS (
      SELECT rows_only.*, ${number('match IS NULL', 'position')} AS turn_of_new,
        ${number('is_taken', 'position')} AS turn_of_free FROM rows_only
    )
    SELECT position, match, false FROM in_turn WHERE match IS NOT NULL
    UNION ALL SELECT max(position), coalesce(max(free), max(id)), true FROM (${newAndFree()}) AS new_and_free
      GROUP BY ${KEY}, turn HAVING max(position) IS NOT NULL`;
}

/** Rows without a shift get the ids that the matched rows have left, as far as there are such. */
function newAndFree(): string {
  return `SELECT ${KEY}, turn_of_new AS turn, position, id, NULL AS free FROM in_turn WHERE match IS NULL
    UNION ALL SELECT ${KEY}, turn_of_free, NULL, NULL, id FROM in_turn WHERE NOT is_taken`;
}

/** How many steps an id is away from that of the first row, before or after it: the order in which ids were given. */
function orderOfIds(): string {
  const away = `(id - first_value(id) OVER (PARTITION BY ${KEY} ORDER BY position NULLS LAST))`;
  return `((${away} % ${hashes} + ${hashes}) % ${hashes} * ${unstep} + ${hashes / 2}) % ${hashes}`;
}
