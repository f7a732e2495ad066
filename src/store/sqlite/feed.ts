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
  type DayCountQuery,
  type DayCounts,
  type DayRange,
  type FeedStore,
  type FreshnessAnswer,
  type FreshnessQuestion,
  MAX_HELD_MONTHS,
  type MonthStamp,
} from '../feed-store.ts';
import { ACCOUNT_COLUMNS, type AccountRow, accountOf, type ShiftRow, shiftOf } from '../rows.ts';
import { reading } from './connection.ts';
import { isSameFile } from './follow.ts';
import { takeTurns } from './turns.ts';
import { ALWAYS, repeatUnchanged, type TimedAnswer } from './unchanged.ts';

export interface FeedStoreOptions {
  readonly history: string;
  /** Whether nothing is ever written through this connection. */
  readonly isReader: boolean;
}

/** SQLite's own value. */
const NO_LIMIT = -1;
const NOT_LIVE: FreshnessAnswer = { token: undefined, account: undefined };
/** In accounts with more groups than this, the count looks up the group of each shift. */
const MAX_GROUPS_LOOKED_AT = 100;

export function feedStore(
  database: DatabaseSync,
  { history, isReader }: FeedStoreOptions,
): Omit<FeedStore, 'mayLag'> & { close(): Promise<void> } {
  const inTurn = takeTurns();
  // Expiry is not checked here, because answers are cached while time goes on.
  const token = database.prepare(`
    SELECT tokens.id, tokens.account_id, tokens.expires_at FROM tokens JOIN accounts ON accounts.id = tokens.account_id
    WHERE tokens.hash = ? AND tokens.revoked_at IS NULL AND accounts.premium`);
  const account = database.prepare(`SELECT ${ACCOUNT_COLUMNS}, revision FROM accounts WHERE slug = ?`);
  const changedMonths = database.prepare(
    'SELECT month, revision FROM months WHERE account_id = ? AND revision > ? ORDER BY month LIMIT ?',
  );
  // Steps from group to group through the index. The last step finds no group, unless there are too many.
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
    : (questions: readonly FreshnessQuestion[], nowMs: number) =>
        reading(database, () => questions.map((question) => answer(question, nowMs).answer));

  function answer({ tokenHash, slug, held }: FreshnessQuestion, nowMs: number): TimedAnswer {
    const row = token.get(tokenHash);
    if (row === undefined) return { answer: NOT_LIVE, ...ALWAYS };
    const expiresAtMs = row.expires_at as number | null;
    if (expiresAtMs !== null && expiresAtMs <= nowMs)
      return { answer: NOT_LIVE, ...ALWAYS, fromMs: expiresAtMs };
    return {
      answer: {
        token: { id: Number(row.id), accountId: Number(row.account_id), expiresAtMs },
        account: changes(slug, held, MAX_HELD_MONTHS + 1),
      },
      ...ALWAYS,
      untilMs: expiresAtMs ?? ALWAYS.untilMs,
    };
  }

  function changes(
    slug: string,
    held: FreshnessQuestion['held'],
    maxMonths: number,
  ): AccountChanges | undefined {
    const row = account.get(slug);
    if (row === undefined) return undefined;
    const found = accountOf(row as unknown as AccountRow);
    const revision = Number(row.revision);
    const isContinued = held?.history === history && held.accountId === found.id && held.revision <= revision;
    const since = isContinued ? held.revision : 0;
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
      return database.isTransaction
        ? inTurn(async () => answerAll(questions, nowMs))
        : answerAll(questions, nowMs);
    },

    read: (slug, work, wantedHistory = history) =>
      inTurn(async () => {
        if (!isSameFile(wantedHistory, history)) throw replacedMeanwhile();
        database.exec('BEGIN');
        try {
          const now = changes(slug, undefined, NO_LIMIT);
          if (now === undefined) return undefined;
          const { account, revision, changed: months } = now;
          return await work({
            state: { account, history: wantedHistory, revision, months },
            countDays: async (queries) => countDays(account.id, queries),
            shifts: async (range) => readDays(account.id, range),
          });
        } finally {
          // SQLite ends the transaction by itself after some errors.
          if (database.isTransaction) database.exec('COMMIT');
        }
      }),

    close: () => inTurn(async () => database.close()),
  };

  /**
   * Counts what `readDays` would find. Groups may be missing, because another program may have switched foreign keys
   * off.
   */
  function countDays(accountId: number, queries: readonly DayCountQuery[]): DayCounts[] {
    if (queries.length === 0) return [];
    // Looking up the group of each shift takes half as long as the count itself, and is seldom needed.
    const allListed = unlistedGroups.get({ account: accountId }) === undefined;
    return [...runsOf(queries)].flatMap((run) => countRun(accountId, run, allListed));
  }

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
