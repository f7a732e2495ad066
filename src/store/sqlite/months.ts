/** Reads and counts the shifts of months, within the caller's transaction. */

import type { DatabaseSync } from 'node:sqlite';
import { type Day, formatDate, formatMonth, type Month, parseDate } from '../../listing/calendar.ts';
import { span } from '../../listing/day-mask.ts';
import type { Shift } from '../../listing/shift.ts';
import { runsOf, sortByMonth } from '../day-counts.ts';
import type { DayCountQuery, DayCounts, DayRange } from '../feed-store.ts';
import { type ShiftRow, shiftOf } from '../rows.ts';

export interface Months {
  /** Counts the shifts that `readDays` would find. */
  countDays(accountId: number, queries: readonly DayCountQuery[]): DayCounts[];
  readDays(accountId: number, range: DayRange): Iterable<Shift>;
}

export function readMonths(database: DatabaseSync): Months {
  return { countDays: makeCountDays(database), readDays: makeReadDays(database) };
}

function makeReadDays(database: DatabaseSync): Months['readDays'] {
  const shiftsOfDays = database.prepare(SHIFTS_OF_DAYS);
  shiftsOfDays.setReturnArrays(true);
  return function* (accountId, { month, days }) {
    const [first, end] = span(days);
    const dateOf = (day: number) => `${formatMonth(month)}-${String(day).padStart(2, '0')}`;
    const rows = shiftsOfDays.iterate(accountId, dateOf(first + 1), dateOf(end));
    for (const row of rows) yield shiftOf(row as unknown as ShiftRow);
  };
}

const SHIFTS_OF_DAYS = `
  SELECT shifts.id, date, start_time, end_time, end_date, group_id, groups.name,
    locations.id, locations.name, locations.address, people.name,
    publish_date, remarks, starred, cancelled, noshow
  FROM shifts
  JOIN groups ON groups.account_id = shifts.account_id AND groups.id = group_id AND groups.active
  LEFT JOIN locations ON locations.account_id = shifts.account_id AND locations.id = location_id
  LEFT JOIN people ON people.account_id = shifts.account_id AND people.id = person_id
  WHERE shifts.account_id = ? AND date BETWEEN ? AND ?
  ORDER BY date`;

/** Groups may be missing, because another program may have switched foreign keys off. */
function makeCountDays(database: DatabaseSync): Months['countDays'] {
  const unlistedGroups = database.prepare(UNLISTED_GROUPS);
  const countOfDays = database.prepare(COUNT_OF_DAYS);

  function countRun(accountId: number, run: readonly DayCountQuery[], allListed: boolean): DayCounts[] {
    const { month, rows: filter, today } = run[0] as DayCountQuery;
    const found = countOfDays.all({
      account: accountId,
      all_listed: allListed ? 1 : 0,
      first: formatMonth(month),
      last: formatMonth((month + run.length - 1) as Month),
      today: filter.includeUnpublished ? null : formatDate(today),
      groups: filter.groupIds ? JSON.stringify([...filter.groupIds]) : null,
      locations: filter.locationIds ? JSON.stringify([...filter.locationIds]) : null,
    });
    return sortByMonth(
      run,
      found.map(({ date, rows, matching }) => ({
        day: parseDate(String(date)) as Day,
        rows: Number(rows),
        matching: Number(matching),
      })),
    );
  }

  return (accountId, queries) => {
    if (queries.length === 0) return [];
    // Looking up the group of each shift takes half as long as the count itself, and is rarely needed.
    const allListed = unlistedGroups.get({ account: accountId }) === undefined;
    return [...runsOf(queries)].flatMap((run) => countRun(accountId, run, allListed));
  };
}

/** In accounts with more groups than this, the count looks up the group of each shift. */
const MAX_GROUPS_LOOKED_AT = 100;

/** Steps from group to group through the index. The last step finds no group, unless there are too many. */
const UNLISTED_GROUPS = `
  WITH RECURSIVE used (id) AS (
    SELECT min(group_id) FROM shifts WHERE account_id = :account
    UNION ALL
    SELECT (SELECT min(group_id) FROM shifts WHERE account_id = :account AND group_id > used.id)
    FROM used WHERE id IS NOT NULL LIMIT ${MAX_GROUPS_LOOKED_AT}
  )
  SELECT 1 FROM used
  WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM groups WHERE account_id = :account AND active)
  UNION ALL SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM used WHERE id IS NULL)`;

const COUNT_OF_DAYS = `
  SELECT date, count(*) AS rows, count(*) FILTER (WHERE
    (:today IS NULL OR publish_date <= :today)
    AND (:groups IS NULL OR group_id IN (SELECT value FROM json_each(:groups)))
    AND (:locations IS NULL OR location_id IN
      (SELECT id FROM locations WHERE account_id = :account AND id IN (SELECT value FROM json_each(:locations))))
    ) AS matching
  FROM shifts
  WHERE account_id = :account AND date BETWEEN :first || '-01' AND :last || '-31'
    AND (:all_listed OR group_id IN (SELECT id FROM groups WHERE account_id = :account AND active))
  GROUP BY date`;
