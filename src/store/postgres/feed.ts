import { type Day, firstDayOf, formatDate, type Month, parseMonth } from '@shiftfeed/common/days';
import type { Shift } from '../../listing/shift.ts';
import { MAX_MONTHS } from '../account.ts';
import { datesOf, runsOf, shiftsOfDays, sortByMonth, unlistedGroups } from '../days.ts';
import type {
  AccountState,
  DayCountQuery,
  DayCounts,
  DayRange,
  FeedStore,
  FreshnessAnswer,
} from '../feed-store.ts';
import { ACCOUNT_COLUMNS, type AccountRow, accountOf, type ShiftRow, shiftOf } from '../rows.ts';
import type { Ask, Connection } from './connection.ts';
import { DIALECT } from './database.ts';

/** All servers behind the URL count as one database. Revisions show whether one is older than another. */
const THE_ONLY_HISTORY = '';

/**
 * Answers all questions in one statement, so from one state of the data. An answer is one column of JSON, because the
 * driver spends more time on each column than on its content.
 */
const FRESHNESS = `
  SELECT json_build_object(
    'token', CASE WHEN token.id IS NOT NULL THEN json_build_array(token.id, token.account_id, token.expires_at) END,
    'account', CASE WHEN is_held THEN to_json('unchanged'::text) WHEN account.id IS NOT NULL THEN row_to_json(account) END,
    'months', told.months, 'stamps', told.stamps) AS answer
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])
    WITH ORDINALITY AS question (hash, slug, held_account, held_revision, number)
  LEFT JOIN (shiftfeed.tokens AS token JOIN shiftfeed.accounts AS owner ON owner.id = token.account_id AND owner.premium)
    ON token.hash = question.hash AND token.role = 'api' AND token.revoked_at IS NULL
    AND (token.expires_at IS NULL OR token.expires_at > $5::bigint)
  -- The condition is part of the key: beside it, the account would be fetched first and dropped afterwards.
  LEFT JOIN shiftfeed.accounts AS account ON account.slug = CASE WHEN token.id IS NOT NULL THEN question.slug END
  CROSS JOIN LATERAL (SELECT (account.id, account.revision) = (held_account, held_revision) AS is_held) AS comparison
  LEFT JOIN LATERAL (
    SELECT array_agg(month ORDER BY month) AS months, array_agg(revision ORDER BY month) AS stamps
    FROM (
      SELECT month, revision FROM shiftfeed.months
      -- The first condition is about the account alone: where nothing changed, no month is looked at.
      WHERE is_held IS NOT TRUE AND account_id = account.id
      ORDER BY month LIMIT ${MAX_MONTHS + 1}
    ) AS first
  ) AS told ON true
  ORDER BY number`;

/**
 * Without a name, so that each plan is made for its values: where neither groups nor locations matter, an index has all
 * that is counted. Only rows that were written since the last VACUUM are looked at themselves.
 */
const COUNT_OF_DAYS = `
  SELECT (date - $2)::int AS offset, count(*)::int AS rows, count(*) FILTER (WHERE
    ($4::date IS NULL OR publish_date <= $4)
    AND ($5::bigint[] IS NULL OR group_id = ANY ($5))
    AND ($6::bigint[] IS NULL OR location_id = ANY ($6)))::int AS matching
  FROM shiftfeed.shifts
  WHERE account_id = $1 AND date >= $2 AND date < $3
    AND ($7::boolean OR group_id IN (SELECT id FROM shiftfeed.groups WHERE groups.account_id = $1 AND active))
  GROUP BY date`;

const UNLISTED_GROUPS = unlistedGroups(DIALECT);
const SHIFTS_OF_DAYS = shiftsOfDays(DIALECT);

export function feedStore(connection: Connection): FeedStore {
  return {
    mayLag: true,

    async freshness(questions, nowMs) {
      if (questions.length === 0) return [];
      const answers = await connection.askForJson<FreshnessRow>({
        name: 'freshness',
        text: FRESHNESS,
        values: [
          arrayOf(questions.map(({ tokenHash }) => tokenHash)),
          arrayOf(questions.map(({ slug }) => slug)),
          arrayOf(questions.map(({ held }) => held?.accountId)),
          arrayOf(questions.map(({ held }) => held?.revision)),
          String(nowMs),
        ],
      });
      return answers.map(answerOf);
    },

    read: (slug, work) =>
      connection.reading(async (ask) => {
        const state = await readState(ask, slug);
        if (state === undefined) return undefined;
        const { id } = state.account;
        return work({
          state,
          async countDays(queries) {
            if (queries.length === 0) return [];
            const counts: DayCounts[] = [];
            const unlisted = await ask({ text: UNLISTED_GROUPS, values: [id] });
            for (const run of runsOf(queries))
              counts.push(...(await countDays(ask, id, run, unlisted.length === 0)));
            return counts;
          },
          shifts: (range) => readDays(ask, id, range),
        });
      }),
  };
}

/** As PostgreSQL writes it. */
function arrayOf(values: readonly (string | number | undefined)[]): string {
  const entries = values.map((value) =>
    value === undefined ? 'NULL' : `"${String(value).replaceAll(/["\\]/g, '\\$&')}"`,
  );
  return `{${entries.join()}}`;
}

/** Numbers of the database are at most 2^53 - 1, so JSON keeps them. */
interface FreshnessRow {
  readonly token: readonly [id: number, accountId: number, expiresAtMs: number | null] | null;
  readonly account: (AccountRow & { readonly revision: number }) | 'unchanged' | null;
  readonly months: readonly string[] | null;
  readonly stamps: readonly number[] | null;
}

function answerOf({ token, account, months, stamps }: FreshnessRow): FreshnessAnswer {
  return {
    token: token === null ? undefined : { id: token[0], accountId: token[1], expiresAtMs: token[2] },
    account:
      account === null || account === 'unchanged'
        ? (account ?? undefined)
        : {
            account: accountOf(account),
            history: THE_ONLY_HISTORY,
            revision: account.revision,
            months: (months ?? []).map((month, i) => ({
              month: parseMonth(month),
              stamp: stamps?.[i] as number,
            })),
          },
  };
}

async function readState(ask: Ask, slug: string): Promise<AccountState | undefined> {
  const [row] = await ask<AccountRow & { revision: string }>({
    text: `SELECT ${ACCOUNT_COLUMNS}, revision FROM shiftfeed.accounts WHERE slug = $1`,
    values: [slug],
  });
  if (row === undefined) return undefined;
  const months = await ask<{ month: string; revision: string }>({
    text: 'SELECT month, revision FROM shiftfeed.months WHERE account_id = $1 ORDER BY month',
    values: [row.id],
  });
  return {
    account: accountOf(row),
    history: THE_ONLY_HISTORY,
    revision: Number(row.revision),
    months: months.map(({ month, revision }) => ({ month: parseMonth(month), stamp: Number(revision) })),
  };
}

async function countDays(
  ask: Ask,
  accountId: number,
  run: readonly DayCountQuery[],
  allListed: boolean,
): Promise<DayCounts[]> {
  const { month, rows: filter, today } = run[0] as DayCountQuery;
  const firstDay = firstDayOf(month);
  const found = await ask<{ offset: number; rows: number; matching: number }>({
    text: COUNT_OF_DAYS,
    values: [
      accountId,
      formatDate(firstDay),
      formatDate(firstDayOf((month + run.length) as Month)),
      filter.includeUnpublished ? null : formatDate(today),
      filter.groupIds ? [...filter.groupIds] : null,
      filter.locationIds ? [...filter.locationIds] : null,
      allListed,
    ],
  });
  return sortByMonth(
    run,
    found.map(({ offset, ...counted }) => ({ day: (firstDay + offset) as Day, ...counted })),
  );
}

async function readDays(ask: Ask, accountId: number, range: DayRange): Promise<Shift[]> {
  const rows = await ask<ShiftRow>({
    name: 'shifts-of-days',
    text: SHIFTS_OF_DAYS,
    values: [accountId, ...datesOf(range)],
    rowMode: 'array',
  });
  return rows.map(shiftOf);
}
