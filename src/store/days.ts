/** What both databases have in common when they read and count the shifts of days. */

import { civilOf, type Day, firstDayOf, formatDate, type Month, monthOf } from '@shiftfeed/common/days';
import { DAYS_PER_MONTH, span } from '../listing/day-mask.ts';
import type { Dialect } from './database.ts';
import type { DayCountQuery, DayCounts, DayRange } from './feed-store.ts';

/** Each row is a `ShiftRow`. The parameters are the account, and the dates of the first and the last day. */
export function shiftsOfDays({ main, asText }: Dialect): string {
  return `
    SELECT shifts.id, ${asText('date')}, start_time, end_time, ${asText('end_date')}, group_id, groups.name,
      locations.id, locations.name, locations.address, people.name,
      ${asText('publish_date')}, remarks, starred, cancelled, noshow
    FROM ${main}.shifts
    JOIN ${main}.groups ON groups.account_id = shifts.account_id AND groups.id = group_id AND groups.active
    LEFT JOIN ${main}.locations ON locations.account_id = shifts.account_id AND locations.id = location_id
    LEFT JOIN ${main}.people ON people.account_id = shifts.account_id AND people.id = person_id
    WHERE shifts.account_id = $1 AND date BETWEEN $2 AND $3
    ORDER BY date`;
}

/** The dates of the first and the last day. */
export function datesOf({ month, days }: DayRange): [first: string, last: string] {
  const [first, end] = span(days);
  const firstOfMonth = firstDayOf(month);
  const endOfMonth = firstDayOf((month + 1) as Month);
  const last = Math.min(firstOfMonth + end, endOfMonth) - 1;
  return [formatDate((firstOfMonth + first) as Day), formatDate(last as Day)];
}

/** In accounts with as many groups, the count looks up the group of each shift. */
const MAX_GROUPS_LOOKED_AT = 100;

/**
 * Finds nothing if the groups of all shifts of an account, the parameter, are active: looking up the group of each shift
 * takes longer than the count itself, and is then not needed. Groups may also be missing on SQLite, because another
 * program may have switched foreign keys off.
 *
 * Steps from group to group through the index. The last step finds no group, unless there are too many.
 */
export function unlistedGroups({ main }: Dialect): string {
  return `
    WITH RECURSIVE used (id, number) AS (
      SELECT min(group_id), 1 FROM ${main}.shifts WHERE account_id = $1
      UNION ALL
      SELECT (SELECT min(group_id) FROM ${main}.shifts WHERE account_id = $1 AND group_id > used.id), number + 1
      FROM used WHERE id IS NOT NULL AND number < ${MAX_GROUPS_LOOKED_AT}
    )
    SELECT 1 FROM used
    WHERE id IS NOT NULL AND id NOT IN (SELECT groups.id FROM ${main}.groups WHERE account_id = $1 AND active)
    UNION ALL SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM used WHERE id IS NULL)`;
}

/** Keeps each statement short. */
const MAX_MONTHS_PER_RUN = 120;

/** Splits queries into runs of neighbouring months with the same filter. Each run is one statement. */
export function* runsOf(questions: readonly DayCountQuery[]): Iterable<DayCountQuery[]> {
  let run: DayCountQuery[] = [];
  for (const question of questions) {
    const last = run.at(-1);
    const isNext =
      last?.month === question.month - 1 && last.rows === question.rows && last.today === question.today;
    if (last !== undefined && (!isNext || run.length === MAX_MONTHS_PER_RUN)) {
      yield run;
      run = [];
    }
    run.push(question);
  }
  if (run.length > 0) yield run;
}

/** The counts of each month of a run, in its order. */
export function sortByMonth(
  run: readonly DayCountQuery[],
  counted: readonly { readonly day: Day; readonly rows: number; readonly matching: number }[],
): DayCounts[] {
  const firstMonth = (run[0] as DayCountQuery).month;
  const counts = run.map(() => ({ matching: new Uint32Array(DAYS_PER_MONTH), rows: 0 }));
  for (const { day, rows, matching } of counted) {
    const { year, month, dayOfMonth } = civilOf(day);
    const ofMonth = counts[monthOf(year, month) - firstMonth];
    if (ofMonth === undefined) continue;
    ofMonth.matching[dayOfMonth - 1] = matching;
    ofMonth.rows += rows;
  }
  return counts;
}
