/**
 * The embedded database as a server uses it: read-only, with one connection on the request thread for freshness, and
 * one on each loading thread for reading months.
 */

import type { DatabaseSync } from 'node:sqlite';
import { type Day, formatDate, formatMonth, type Month, parseDate, parseMonth } from '@shiftfeed/common/days';
import { LRUCache } from 'lru-cache';
import type { Shift } from '../../listing/shift.ts';
import { MAX_MONTHS } from '../account.ts';
import { datesOf, runsOf, shiftsOfDays, sortByMonth, unlistedGroups } from '../days.ts';
import { StoreFailure } from '../failure.ts';
import type {
  AccountState,
  DayCountQuery,
  DayCounts,
  DayRange,
  FeedReader,
  FreshnessAnswer,
  FreshnessQuestion,
  MonthStamp,
} from '../feed-store.ts';
import { LAST_DATE } from '../records.ts';
import { ACCOUNT_COLUMNS, type AccountRow, accountOf, type ShiftRow, shiftOf } from '../rows.ts';
import { connect, oneAtATime, oneState } from './connection.ts';
import { DIALECT, prepare } from './database.ts';
import { explain, explainErrors, explained } from './explain.ts';
import { followFile, isSameFile } from './follow.ts';
import { checkSchema } from './schema.ts';

/** Always reads the file that is currently at the path. */
export function openSqliteReader(path: string): FeedReader {
  const file = explained(path, () => followFile(path, (history) => openFile(path, history)));
  return {
    mayLag: false,
    async freshness(questions, nowMs) {
      try {
        return await file.lately().freshness(questions, nowMs);
      } catch (error) {
        throw explain(path, error);
      }
    },
    ...explainErrors<Pick<FeedReader, 'read' | 'close'>>(path, {
      read: (slug, work, history) => file.now().read(slug, work, history),
      close: async () => file.close(),
    }),
  };
}

function openFile(path: string, history: string): Omit<FeedReader, 'mayLag'> {
  const database = connect(path, 'reader');
  try {
    checkSchema(database, path, 'read');
    return feedStore(database, history);
  } catch (error) {
    database.close();
    throw explain(path, error);
  }
}

/** SQLite's own value. */
const NO_LIMIT = -1;

function feedStore(database: DatabaseSync, history: string): Omit<FeedReader, 'mayLag'> {
  const inOrder = oneAtATime();
  const find = makeFindState(database, history);
  const answerAll = repeatUnchanged(database, makeAnswer(database, find));
  const countDays = makeCountDays(database);
  const readDays = makeReadDays(database);
  return {
    async freshness(questions, nowMs) {
      return database.isTransaction
        ? inOrder(async () => answerAll(questions, nowMs))
        : answerAll(questions, nowMs);
    },

    read: (slug, work, wantedHistory = history) =>
      inOrder(async () => {
        if (!isSameFile(wantedHistory, history)) {
          const sentence = 'The database was replaced by another file at this moment.';
          throw new StoreFailure('unavailable', sentence);
        }
        using _reading = oneState(database);
        const found = find.account(slug);
        if (found === undefined) return undefined;
        const { account } = found;
        return await work({
          state: { ...found, history: wantedHistory, months: find.months(account.id, NO_LIMIT) },
          countDays: async (queries) => countDays(account.id, queries),
          shifts: async (range) => readDays(account.id, range),
        });
      }),

    close: () => inOrder(async () => database.close()),
  };
}

/** Finds what an account is like, in two steps, because the second takes longer. */
function makeFindState(database: DatabaseSync, history: string) {
  const account = database.prepare(`SELECT ${ACCOUNT_COLUMNS}, revision FROM accounts WHERE slug = ?`);
  const months = database.prepare(
    'SELECT month, revision FROM months WHERE account_id = ? ORDER BY month LIMIT ?',
  );
  // Reading rows as arrays takes half as long as reading them as objects.
  months.setReturnArrays(true);
  return {
    account(slug: string): Omit<AccountState, 'months'> | undefined {
      const row = account.get(slug);
      return (
        row && { account: accountOf(row as unknown as AccountRow), history, revision: Number(row.revision) }
      );
    },
    /** In ascending order, up to a limit. */
    months(accountId: number, maxMonths: number): readonly MonthStamp[] {
      const rows = months.all(accountId, maxMonths) as unknown as [month: string, revision: number][];
      return rows.map(([month, stamp]) => ({ month: parseMonth(month), stamp }));
    },
  };
}

/** An answer, and the period for which it is valid; the end is exclusive. */
interface TimedAnswer {
  readonly answer: FreshnessAnswer;
  readonly fromMs: number;
  readonly untilMs: number;
}

type Answer = (question: FreshnessQuestion, nowMs: number) => TimedAnswer;

export const ALWAYS = { fromMs: Number.NEGATIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY };
const NOT_LIVE: FreshnessAnswer = { token: undefined, account: undefined };

function makeAnswer(database: DatabaseSync, find: ReturnType<typeof makeFindState>): Answer {
  // Expiry is not checked here, because answers are repeated as time goes on.
  const token = database.prepare(`
    SELECT tokens.id, tokens.account_id, tokens.expires_at FROM tokens JOIN accounts ON accounts.id = tokens.account_id
    WHERE tokens.hash = ? AND tokens.role = 'api' AND tokens.revoked_at IS NULL AND accounts.premium`);

  function accountNow({ slug, held }: FreshnessQuestion): FreshnessAnswer['account'] {
    const found = find.account(slug);
    if (found === undefined) return undefined;
    const { account, history, revision } = found;
    const isHeld = held?.accountId === account.id && held.history === history && held.revision === revision;
    return isHeld ? 'unchanged' : { ...found, months: find.months(account.id, MAX_MONTHS + 1) };
  }

  return (question, nowMs) => {
    const row = token.get(question.tokenHash);
    if (row === undefined) return { answer: NOT_LIVE, ...ALWAYS };
    const expiresAtMs = row.expires_at as number | null;
    if (expiresAtMs !== null && expiresAtMs <= nowMs)
      return { answer: NOT_LIVE, ...ALWAYS, fromMs: expiresAtMs };
    return {
      answer: {
        token: { id: Number(row.id), accountId: Number(row.account_id), expiresAtMs },
        account: accountNow(question),
      },
      ...ALWAYS,
      untilMs: expiresAtMs ?? ALWAYS.untilMs,
    };
  };
}

/** For as many tokens as may have streams open. */
const MAX_KEPT_ANSWERS = 10_000;

/**
 * A read-only connection repeats its answers as long as nobody writes to the database. SQLite's `data_version` tells
 * whether somebody did, several times faster than a query. It does not count the connection's own writes. The answer
 * about a token that expires also depends on the time, so each answer has the period for which it is valid.
 */
export function repeatUnchanged(
  database: DatabaseSync,
  answer: Answer,
): (questions: readonly FreshnessQuestion[], nowMs: number) => readonly FreshnessAnswer[] {
  const dataVersion = database.prepare('PRAGMA data_version');
  dataVersion.setReturnArrays(true);
  /** The last answer about each token. */
  const kept = new LRUCache<string, TimedAnswer & { readonly question: FreshnessQuestion }>({
    max: MAX_KEPT_ANSWERS,
  });
  let version: number | undefined;

  function forgetIfChanged(): void {
    const [now] = dataVersion.get() as unknown as [number];
    if (now !== version) kept.clear();
    version = now;
  }

  function find(question: FreshnessQuestion, nowMs: number): FreshnessAnswer | undefined {
    const found = kept.get(question.tokenHash);
    if (found === undefined || found.fromMs > nowMs || nowMs >= found.untilMs) return undefined;
    return isSame(found.question, question) ? found.answer : undefined;
  }

  function answerAndKeep(question: FreshnessQuestion, nowMs: number): FreshnessAnswer {
    const answered = answer(question, nowMs);
    kept.set(question.tokenHash, { ...answered, question });
    return answered.answer;
  }

  return (questions, nowMs) => {
    forgetIfChanged();
    const known: FreshnessAnswer[] = [];
    for (const question of questions) {
      const found = find(question, nowMs);
      if (found === undefined) break;
      known.push(found);
    }
    if (known.length === questions.length) return known;
    using _reading = oneState(database);
    // Somebody may have written since. All answers must come from the state that is read now.
    forgetIfChanged();
    return questions.map((question) => find(question, nowMs) ?? answerAndKeep(question, nowMs));
  };
}

/** Whether two questions about one token are the same. */
function isSame({ slug, held }: FreshnessQuestion, { slug: otherSlug, held: other }: FreshnessQuestion) {
  return (
    slug === otherSlug &&
    held?.accountId === other?.accountId &&
    held?.revision === other?.revision &&
    held?.history === other?.history
  );
}

function makeReadDays(database: DatabaseSync) {
  const statement = prepare(database, shiftsOfDays(DIALECT));
  statement.setReturnArrays(true);
  return function* (accountId: number, range: DayRange): Iterable<Shift> {
    for (const row of statement.iterate(accountId, ...datesOf(range)))
      yield shiftOf(row as unknown as ShiftRow);
  };
}

/** Counts the shifts that `readDays` would find. */
function makeCountDays(database: DatabaseSync) {
  const findUnlisted = prepare(database, unlistedGroups(DIALECT));
  const countPublished = database.prepare(COUNT_PUBLISHED);
  const countMatching = database.prepare(COUNT_MATCHING);

  function countRun(accountId: number, run: readonly DayCountQuery[], allListed: boolean): DayCounts[] {
    const { month, rows: filter, today } = run[0] as DayCountQuery;
    const { includeUnpublished, groupIds, locationIds } = filter;
    const asked = {
      account: accountId,
      first: `${formatMonth(month)}-01`,
      last: `${formatMonth((month + run.length - 1) as Month)}-31`,
      today: includeUnpublished ? LAST_DATE : formatDate(today),
    };
    const found =
      allListed && groupIds === undefined && locationIds === undefined
        ? countPublished.all(asked)
        : countMatching.all({
            ...asked,
            all_listed: allListed ? 1 : 0,
            groups: groupIds ? JSON.stringify([...groupIds]) : null,
            locations: locationIds ? JSON.stringify([...locationIds]) : null,
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

  return (accountId: number, queries: readonly DayCountQuery[]): DayCounts[] => {
    if (queries.length === 0) return [];
    const allListed = findUnlisted.get(accountId) === undefined;
    return [...runsOf(queries)].flatMap((run) => countRun(accountId, run, allListed));
  };
}

/** Steps from day to day through an index. GROUP BY would compare the date of each row with that of the row before. */
const DAYS = `
  days (date) AS (
    SELECT min(date) FROM shifts WHERE account_id = :account AND date BETWEEN :first AND :last
    UNION ALL
    SELECT (SELECT min(date) FROM shifts WHERE account_id = :account AND date > days.date AND date <= :last)
    FROM days WHERE date IS NOT NULL
  )`;

/** Counts entries of the index `shifts_to_count`: 13 ms for a year of 128,000 shifts, where the other takes 29 ms. */
const COUNT_PUBLISHED = `
  WITH RECURSIVE ${DAYS},
  counted (date, matching, others) AS MATERIALIZED (
    SELECT date,
      (SELECT count(*) FROM shifts WHERE account_id = :account AND date = days.date AND publish_date <= :today),
      (SELECT count(*) FROM shifts WHERE account_id = :account AND date = days.date AND publish_date > :today)
    FROM days WHERE date IS NOT NULL
  )
  SELECT date, matching + others AS rows, matching FROM counted`;

/** Looks at each shift. */
const COUNT_MATCHING = `
  WITH RECURSIVE ${DAYS},
  counted (date, counts) AS MATERIALIZED (
    SELECT date, (
      SELECT json_array(count(*), count(*) FILTER (WHERE
        publish_date <= :today
        AND (:groups IS NULL OR group_id IN (SELECT value FROM json_each(:groups)))
        AND (:locations IS NULL OR location_id IN
          (SELECT id FROM locations WHERE account_id = :account AND id IN (SELECT value FROM json_each(:locations))))))
      FROM shifts WHERE account_id = :account AND shifts.date = days.date
        AND (:all_listed OR group_id IN (SELECT id FROM groups WHERE account_id = :account AND active)))
    FROM days WHERE date IS NOT NULL
  )
  SELECT date, counts ->> 0 AS rows, counts ->> 1 AS matching FROM counted`;
