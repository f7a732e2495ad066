import type { DatabaseSync } from 'node:sqlite';
import {
  type Day,
  formatDate,
  formatMonth,
  type Month,
  parseDate,
  parseMonth,
} from '../../listing/calendar.ts';
import { span } from '../../listing/day-mask.ts';
import type { Shift } from '../../listing/shift.ts';
import { runsOf, sortByMonth } from '../day-counts.ts';
import { StoreFailure } from '../failure.ts';
import {
  type AccountChanges,
  type Answer,
  type DayCounts,
  type DayQuestion,
  type DayRange,
  type FeedStore,
  MAX_HELD_MONTHS,
  type MonthStamp,
  type Question,
} from '../store.ts';
import { ACCOUNT_COLUMNS, accountOf } from './account.ts';
import { reading } from './connection.ts';
import { isSameFile } from './follow.ts';
import { ALWAYS, repeatUnchanged, type TimedAnswer } from './unchanged.ts';

export interface FeedStoreOptions {
  readonly history: string;
  /** Whether nothing is ever written through this connection. */
  readonly isReader: boolean;
}

/** To SQLite. */
const NO_LIMIT = -1;
const NOT_LIVE: Answer = { token: undefined, account: undefined };
/** Of accounts with more groups, the group of each shift is looked up as it is counted. */
const MAX_GROUPS_LOOKED_AT = 100;

export function feedStore(
  database: DatabaseSync,
  { history, isReader }: FeedStoreOptions,
): Omit<FeedStore, 'mayLag'> {
  // Whether it has expired is decided outside, because answers are kept while time goes on.
  const token = database.prepare(`
    SELECT tokens.id, tokens.account_id, tokens.expires_at FROM tokens JOIN accounts ON accounts.id = tokens.account_id
    WHERE tokens.hash = ? AND tokens.revoked_at IS NULL AND accounts.premium`);
  const account = database.prepare(`SELECT ${ACCOUNT_COLUMNS}, revision FROM accounts WHERE slug = ?`);
  const changedMonths = database.prepare(
    'SELECT month, revision FROM months WHERE account_id = ? AND revision > ? ORDER BY month LIMIT ?',
  );
  // Steps from group to group through the index. The last step finds none, unless there are too many.
  const unlistedGroups = database.prepare(`
    WITH RECURSIVE used (id) AS (
      SELECT min(group_id) FROM shifts WHERE account_id = :account
      UNION ALL
      SELECT (SELECT min(group_id) FROM shifts WHERE account_id = :account AND group_id > used.id)
      FROM used WHERE id IS NOT NULL LIMIT ${MAX_GROUPS_LOOKED_AT}
    )
    SELECT 1 FROM used
    WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM groups WHERE account_id = :account AND active)
    UNION ALL SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM used WHERE id IS NULL)`);
  const countOfDays = database.prepare(`
    SELECT date, count(*) AS rows, count(*) FILTER (WHERE
      (:today IS NULL OR publish_date <= :today)
      AND (:groups IS NULL OR group_id IN (SELECT value FROM json_each(:groups)))
      AND (:locations IS NULL OR location_id IN
        (SELECT id FROM locations WHERE account_id = :account AND id IN (SELECT value FROM json_each(:locations))))
      ) AS matching
    FROM shifts
    WHERE account_id = :account AND date BETWEEN :first || '-01' AND :last || '-31'
      AND (:all_listed OR group_id IN (SELECT id FROM groups WHERE account_id = :account AND active))
    GROUP BY date`);
  const shiftsOfDays = database.prepare(`
    SELECT shifts.id, date, start_time, end_time, end_date, group_id, groups.name,
      locations.id, locations.name, locations.address, people.name,
      publish_date, remarks, starred, cancelled, noshow
    FROM shifts
    JOIN groups ON groups.account_id = shifts.account_id AND groups.id = group_id AND groups.active
    LEFT JOIN locations ON locations.account_id = shifts.account_id AND locations.id = location_id
    LEFT JOIN people ON people.account_id = shifts.account_id AND people.id = person_id
    WHERE shifts.account_id = ? AND date BETWEEN ? AND ?
    ORDER BY date`);
  shiftsOfDays.setReturnArrays(true);

  const answerAll = isReader
    ? repeatUnchanged(database, answer)
    : (questions: readonly Question[], nowMs: number) =>
        reading(database, () => questions.map((question) => answer(question, nowMs).answer));

  function answer({ tokenHash, slug, known }: Question, nowMs: number): TimedAnswer {
    const row = token.get(tokenHash);
    if (row === undefined) return { answer: NOT_LIVE, ...ALWAYS };
    const expiresAtMs = row.expires_at as number | null;
    if (expiresAtMs !== null && expiresAtMs <= nowMs)
      return { answer: NOT_LIVE, ...ALWAYS, fromMs: expiresAtMs };
    return {
      answer: {
        token: { id: Number(row.id), accountId: Number(row.account_id), expiresAtMs },
        account: changes(slug, known, MAX_HELD_MONTHS + 1),
      },
      ...ALWAYS,
      untilMs: expiresAtMs ?? ALWAYS.untilMs,
    };
  }

  function changes(slug: string, known: Question['known'], maxMonths: number): AccountChanges | undefined {
    const row = account.get(slug);
    if (row === undefined) return undefined;
    const found = accountOf(row);
    const revision = Number(row.revision);
    const isContinued =
      known?.history === history && known.accountId === found.id && known.revision <= revision;
    const since = isContinued ? known.revision : 0;
    return {
      account: found,
      history,
      revision,
      since,
      changed: since === revision ? [] : stamps(found.id, since, maxMonths),
    };
  }

  function stamps(accountId: number, since: number, maxMonths: number): MonthStamp[] {
    const rows = changedMonths.all(accountId, since, maxMonths);
    return rows.map((row) => ({ month: parseMonth(String(row.month)), stamp: Number(row.revision) }));
  }

  return {
    async freshness(questions, nowMs) {
      return answerAll(questions, nowMs);
    },

    async read(slug, { count, choose, take }, wanted = history) {
      if (!isSameFile(wanted, history)) throw replacedMeanwhile();
      return reading(database, () => {
        const now = changes(slug, undefined, NO_LIMIT);
        if (now === undefined) return undefined;
        const { account, revision, changed: months } = now;
        const state = { account, history: wanted, revision, months };
        const counts = countDays(account.id, count(state));
        for (const range of choose(state, counts)) take(range, readDays(account.id, range));
        return state;
      });
    },
  };

  /** Counts what `readDays` would find, also of shifts whose group is not there: foreign keys may have been off. */
  function countDays(accountId: number, questions: readonly DayQuestion[]): DayCounts[] {
    if (questions.length === 0) return [];
    // To look the group of each shift up takes half as long as the count itself, and is seldom needed.
    const allListed = unlistedGroups.get({ account: accountId }) === undefined;
    return [...runsOf(questions)].flatMap((run) => countRun(accountId, run, allListed));
  }

  function countRun(accountId: number, run: readonly DayQuestion[], allListed: boolean): DayCounts[] {
    const { month, rows: filter, today } = run[0] as DayQuestion;
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

  function* readDays(accountId: number, { month, days }: DayRange): Iterable<Shift> {
    const [first, end] = span(days);
    const dateOf = (day: number) => `${formatMonth(month)}-${String(day).padStart(2, '0')}`;
    const rows = shiftsOfDays.iterate(accountId, dateOf(first + 1), dateOf(end));
    for (const row of rows) yield shiftOf(row as unknown as ShiftRow);
  }
}

function replacedMeanwhile(): StoreFailure {
  return new StoreFailure('unavailable', 'The database was replaced by another file at this moment.');
}

type ShiftRow = [
  id: number,
  date: string,
  startTime: string,
  endTime: string,
  endDate: string,
  groupId: number,
  groupName: string,
  locationId: number | null,
  locationName: string,
  locationAddress: string,
  personName: string | null,
  publishDate: string,
  remarks: string,
  starred: number,
  cancelled: number,
  noshow: number,
];

function shiftOf(row: ShiftRow): Shift {
  const locationId = row[7];
  return {
    id: row[0],
    date: row[1],
    startTime: row[2],
    endTime: row[3],
    endDate: row[4],
    groupId: row[5],
    groupName: row[6],
    location: locationId === null ? null : { id: locationId, name: row[8], address: row[9] },
    personName: row[10],
    publishDate: row[11],
    remarks: row[12],
    starred: row[13] === 1,
    cancelled: row[14] === 1,
    noshow: row[15] === 1,
  };
}
