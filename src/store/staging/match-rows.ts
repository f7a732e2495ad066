/**
 * Which shift of the account a row of a sheet without an id is. Mostly that is told by the id that is derived from its
 * date, start, group and location. Where it is not, rows are compared with the shifts of their day in the groups of the
 * sheet, and a row is, in this order:
 *
 * 1. the shift with the same start, group, location and person, so that a sheet may be sorted anew or lose a row;
 * 2. the shift that has moved: the only one of that person and day that no row is, if it is their only such row;
 * 3. the shift with the same start, group and location, by order, if nobody has it yet, or nobody is told to have it: a shift
 *    of somebody else is another one;
 * 4. new, with an id that no shift has: that of a shift that has moved is never given to another.
 */

import { DERIVED_IDS } from '../records.ts';
import type { ComparedRecords, StageDatabase } from './comparison.ts';
import { bitOf, isCovered } from './outcome.ts';

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
  const given = `${temporary}.shifts_given`;
  const alike = `${temporary}.shifts_alike`;
  const matched = `${temporary}.shifts_matched`;
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
      AND ${isCovered(temporary)}
      AND ((date, person_id) IN (SELECT date, person_id FROM ${alike})
        OR (${keyOfExisting}) IN (SELECT ${KEY} FROM ${alike})) IS TRUE
      AND NOT EXISTS (SELECT 1 FROM ${given} AS given
        WHERE given.id = existing.id AND given.position NOT IN (SELECT position FROM ${alike} WHERE position IS NOT NULL))`);
  const isTaken = (id: string) => `EXISTS (SELECT 1 FROM ${shiftsOf(`existing.id = ${id}`)})`;
  const taken = `SELECT 1 FROM ${alike} AS alike WHERE ${isTaken('alike.id')} LIMIT 1`;
  if (shifts === 0 && (await database.all(taken)).length === 0) return 0;
  await database.make(
    'shifts_matched',
    `position ${types.position}, id ${types.integer}, own_id ${types.integer}, date ${types.date}, start_time ${types.text},
      group_id ${types.integer}, location_id ${types.integer}, is_new ${types.boolean}`,
  );
  const isOpen = `person_id <= ${NONE}`;
  for (const pairs of [
    pairsInOrder(alike, 'person_id'),
    pairsOfDay(alike),
    pairsInOrder(alike, undefined, `position IS NOT NULL OR ${isOpen}`),
    pairsInOrder(alike, undefined, `position IS NULL OR ${isOpen}`),
  ]) {
    await database.analyze('shifts_alike');
    if ((await database.run(`INSERT INTO ${matched} (position, id, own_id, ${KEY}, is_new) ${pairs}`)) === 0)
      continue;
    await database.analyze('shifts_matched');
    await database.run(`DELETE FROM ${alike}
      WHERE CASE WHEN position IS NULL THEN id IN (SELECT id FROM ${matched}) ELSE position IN (SELECT position FROM ${matched}) END`);
  }
  const news = await database.run(
    `INSERT INTO ${matched} (position, id, is_new) ${newIds(alike, matched, isTaken('own.id'))}`,
  );
  await database.analyze('shifts_matched');
  let changed = await database.run(`UPDATE ${given} AS given SET id = matched.id FROM ${matched} AS matched
    WHERE matched.position = given.position AND matched.id <> given.id`);
  const moving = `${temporary}.shifts_moving`;
  const isNew = (position: string) => `${position} IN (SELECT position FROM ${matched} WHERE is_new)`;
  const isMet = `EXISTS (SELECT 1 FROM ${given} AS other WHERE other.id = given.id
    AND (other.position < given.position OR (other.position > given.position AND NOT ${isNew('other.position')})))`;
  // Rows that are not alike may have met by chance, or a shift that has moved has the id.
  while (news > 0) {
    await database.make(
      'shifts_moving',
      `position ${types.integer}, day ${types.integer}, place ${types.integer}`,
    );
    const rows = await database.run(`INSERT INTO ${moving} (position, day, place)
      SELECT position, ${dayOf('id')}, max(${placeOf('id')}) OVER (PARTITION BY date, start_time, group_id, location_id ORDER BY position)
      FROM ${given} AS given WHERE ${isNew('position')} AND (${isTaken('given.id')} OR ${isMet})`);
    if (rows === 0) break;
    await database.analyze('shifts_moving');
    const ofDay = `existing.id BETWEEN ${first} + day * ${hashes} AND ${first} + day * ${hashes} + ${hashes - 1}`;
    await database.run(`INSERT INTO ${moving} (day, place)
      SELECT day, ${placeOf('existing.id')} FROM (SELECT DISTINCT day FROM ${moving}) AS days CROSS JOIN ${shiftsOf(ofDay)}
      UNION SELECT ${dayOf('id')}, ${placeOf('id')} FROM ${given}
        WHERE id >= ${first} AND ${dayOf('id')} IN (SELECT day FROM ${moving})
          AND position NOT IN (SELECT position FROM ${moving} WHERE position IS NOT NULL)`);
    await database.analyze('shifts_moving');
    changed += await database.run(`UPDATE ${given} AS given SET id = free.id FROM (${freeIds(moving)}) AS free
      WHERE free.position = given.position`);
  }
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

/** Of a pair: the position of the row, the id of the shift, and what the row is. */
const PAIR = [
  'max(position)',
  'max(CASE WHEN position IS NULL THEN id END)',
  ...['id', ...KEY.split(', ')].map((name) => `max(CASE WHEN position IS NOT NULL THEN ${name} END)`),
  'false',
].join(', ');

/**
 * Rows (with a position) and shifts of the account (without one) are numbered side by side: those with the same number
 * belong together. Numbering needs no join, so it is fast for any number of rows that are alike. Without a person, only
 * shifts are taken that have come from sheets.
 */
function pairsInOrder(alike: string, person?: 'person_id', condition = 'true'): string {
  const parts = person === undefined ? KEY : `${KEY}, ${person}`;
  return `SELECT ${PAIR} FROM (
      SELECT placed.*, row_number() OVER (PARTITION BY ${parts}, position IS NULL ORDER BY place) AS turn
      FROM (SELECT alike.*, CASE WHEN position IS NULL THEN ${orderOfIds()} ELSE position END AS place
        FROM ${alike} AS alike ${person === undefined ? `WHERE ${IS_DERIVED}` : ''}) AS placed WHERE ${condition}
    ) AS numbered GROUP BY ${parts}, turn HAVING count(*) = 2`;
}

/** The only row and the only shift of a person and a day that are left. */
function pairsOfDay(alike: string): string {
  return `SELECT ${PAIR} FROM ${alike} WHERE person_id > ${NONE}
    GROUP BY date, person_id HAVING count(*) = 2 AND count(position) = 1`;
}

/** Rows that are left get the ids that rows which are alike have left, as far as there are such, or keep their own. */
function newIds(alike: string, matched: string, isTaken: string): string {
  const turn = `row_number() OVER (PARTITION BY ${KEY} ORDER BY position) AS turn`;
  const rows = `SELECT ${KEY}, position, id FROM ${alike} WHERE position IS NOT NULL`;
  const others = `SELECT ${KEY}, position, own_id FROM ${matched} WHERE ((${KEY}) IN (SELECT ${KEY} FROM ${alike})) IS TRUE`;
  return `SELECT max(position), coalesce(max(free), max(id)), true FROM (
      SELECT ${KEY}, ${turn}, position, id, NULL AS free FROM (${rows}) AS news
      UNION ALL SELECT ${KEY}, ${turn}, NULL, NULL, id FROM (${rows} UNION ALL ${others}) AS own WHERE NOT ${isTaken}
    ) AS new_and_free GROUP BY ${KEY}, turn HAVING max(position) IS NOT NULL`;
}

/** How many steps an id is away from that of the first row, before or after it: the order in which ids were given. */
function orderOfIds(): string {
  const away = `(id - first_value(id) OVER (PARTITION BY ${KEY} ORDER BY position NULLS LAST))`;
  return `((${away} % ${hashes} + ${hashes}) % ${hashes} * ${unstep} + ${hashes / 2}) % ${hashes}`;
}

/** A derived id is made of a day and a hash. The place of a hash is how many steps it is away from 0. */
const dayOf = (id: string) => `((${id} - ${first}) / ${hashes})`;
const placeOf = (id: string) => `((${id} - ${first}) % ${hashes} * ${unstep} % ${hashes})`;

/**
 * The ids of rows that have to move: each goes on to the first place that is free, behind those before it. Places that
 * are taken have no position. `free` is the number of free places before a place, so that a row with the `rank` of a
 * free place finds it by adding the taken ones before it, however many they are.
 */
function freeIds(moving: string): string {
  const taken = 'count(CASE WHEN position IS NULL THEN 1 END)';
  const inOrder = '(PARTITION BY day, position IS NULL ORDER BY free, position)';
  const counted = `SELECT position, day, place - ${taken} OVER (PARTITION BY day ORDER BY place, position IS NULL
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS free FROM ${moving}`;
  const numbered = `SELECT counted.*, row_number() OVER ${inOrder} AS turn FROM (${counted}) AS counted`;
  const ranked = `SELECT position, day,
    CASE WHEN position IS NULL THEN free ELSE turn + max(free - turn) OVER ${inOrder} END AS rank FROM (${numbered}) AS numbered`;
  const placed = `SELECT position, day, rank + ${taken} OVER (PARTITION BY day ORDER BY rank, position IS NOT NULL
    ROWS UNBOUNDED PRECEDING) AS place FROM (${ranked}) AS ranked`;
  return `SELECT position, ${first} + day * ${hashes} + place % ${hashes} * ${step} % ${hashes} AS id
    FROM (${placed}) AS placed WHERE position IS NOT NULL`;
}
