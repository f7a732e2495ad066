/** The two queries of a listing: how many shifts match, and the page. On SQLite or PostgreSQL, by one query builder. */

import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { type ExpressionBuilder, Kysely, PostgresDialect, type SqliteDatabase, SqliteDialect } from 'kysely';
import { Pool, types } from 'pg';

/** SQLite has no booleans. */
type Flag = boolean | 0 | 1;

export interface Tables {
  accounts: { id: number; slug: string; premium: Flag };
  tokens: { hash: string; account_id: number; expires_at: number | null; revoked_at: number | null };
  groups: { id: number; account_id: number; name: string; active: Flag };
  locations: { id: number; account_id: number; name: string; address: string };
  people: { id: number; account_id: number; name: string };
  shifts: Record<'date' | 'start_time' | 'end_time' | 'end_date' | 'publish_date' | 'remarks', string> &
    Record<'id' | 'account_id' | 'group_id', number> &
    Record<'location_id' | 'person_id', number | null> &
    Record<'starred' | 'cancelled' | 'noshow', Flag>;
}

/** The parameters that the benchmark uses. */
export type Query = Readonly<
  Partial<Record<'group_ids' | 'weeks' | 'days' | 'years' | 'published' | 'page' | 'per_page', string>>
>;

const MAX_PER_PAGE = 500;
const DAY_MS = 24 * 3_600_000;

export async function listShifts(db: Kysely<Tables>, accountId: number, query: Query) {
  const page = Number(query.page ?? 1);
  const perPage = Math.min(Number(query.per_page ?? MAX_PER_PAGE), MAX_PER_PAGE);
  const match = await matchOf(db, accountId, query);
  const [total, shifts] = await Promise.all([
    countShifts(db, match),
    readPage(db, match, perPage, (page - 1) * perPage),
  ]);
  return { shifts, meta: { total, page, per_page: perPage, total_pages: Math.ceil(total / perPage) } };
}

type Match = Awaited<ReturnType<typeof matchOf>>;

/**
 * The condition of both queries. Inactive groups are rare: they are looked up first, instead of joined to every row.
 */
async function matchOf(db: Kysely<Tables>, accountId: number, query: Query) {
  const inactive = await db
    .selectFrom('groups')
    .select('id')
    .where('account_id', '=', accountId)
    .where((eb) => eb.not('active'))
    .execute();
  const inactiveIds = inactive.map(({ id }) => id);
  const today = dateOf(Date.now());
  const { from, to } = rangeOf(query, today);
  const { days, group_ids: groupIds, published } = query;
  return (eb: ExpressionBuilder<Tables, 'shifts'>) =>
    eb.and([
      eb('account_id', '=', accountId),
      // A few dozen dates are found by the index; asking each row for its weekday would read them all.
      days
        ? eb('date', 'in', datesOn(Number(days), from, to))
        : eb.and([eb('date', '>=', from), eb('date', '<=', to)]),
      ...(groupIds ? [eb('group_id', 'in', groupIds.split(',').map(Number))] : []),
      ...(inactiveIds.length > 0 ? [eb('group_id', 'not in', inactiveIds)] : []),
      ...(published === 'false' ? [] : [eb('publish_date', '<=', today)]),
    ]);
}

async function countShifts(db: Kysely<Tables>, match: Match): Promise<number> {
  const { count } = await db
    .selectFrom('shifts')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(match)
    .executeTakeFirstOrThrow();
  return count;
}

/** Finds the ids of the page in an index first, so that a deep page does not read the rows that it skips. */
async function readPage(db: Kysely<Tables>, match: Match, limit: number, offset: number) {
  const rows = await db
    .with('page', (query) =>
      query
        .selectFrom('shifts')
        .select('id')
        .where(match)
        .orderBy('date')
        .orderBy('start_time')
        .orderBy('id')
        .limit(limit)
        .offset(offset),
    )
    .selectFrom('page')
    .innerJoin('shifts', 'shifts.id', 'page.id')
    .innerJoin('groups', 'groups.id', 'shifts.group_id')
    .leftJoin('locations', 'locations.id', 'shifts.location_id')
    .leftJoin('people', 'people.id', 'shifts.person_id')
    .select(['shifts.id', 'date', 'start_time', 'end_time', 'end_date', 'publish_date', 'remarks'])
    .select(['starred', 'cancelled', 'noshow', 'group_id', 'groups.name as group_name'])
    .select(['locations.name as location_name', 'locations.address as location_address'])
    .select('people.name as person_name')
    .orderBy('date')
    .orderBy('start_time')
    .orderBy('shifts.id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    date: row.date,
    start_time: row.start_time,
    end_time: row.end_time,
    end_date: row.end_date,
    group: { id: row.group_id, name: row.group_name },
    location: row.location_name === null ? null : { name: row.location_name, address: row.location_address },
    person: row.person_name === null ? null : { name: row.person_name },
    publish_date: row.publish_date,
    remarks: row.remarks,
    starred: Boolean(row.starred),
    cancelled: Boolean(row.cancelled),
    noshow: Boolean(row.noshow),
  }));
}

/** The twelve months from today on, a year, or a week of it; both ends included. */
function rangeOf({ years: year, weeks: week }: Query, today: string) {
  if (year === undefined) {
    const nextYear = `${Number(today.slice(0, 4)) + 1}${today.slice(4)}`;
    return { from: today, to: nextYear.replace('02-29', '02-28') };
  }
  if (week === undefined) return { from: `${year}-01-01`, to: `${year}-12-31` };
  // 4 January is always in the first week.
  const fourthMs = Date.UTC(Number(year), 0, 4);
  const firstMondayMs = fourthMs - ((new Date(fourthMs).getUTCDay() + 6) % 7) * DAY_MS;
  const mondayMs = firstMondayMs + (Number(week) - 1) * 7 * DAY_MS;
  return { from: dateOf(mondayMs), to: dateOf(mondayMs + 6 * DAY_MS) };
}

/** 1 is Sunday. */
function datesOn(weekday: number, from: string, to: string): string[] {
  const dates: string[] = [];
  for (let ms = Date.parse(from); ms <= Date.parse(to); ms += DAY_MS) {
    if (new Date(ms).getUTCDay() + 1 === weekday) dates.push(dateOf(ms));
  }
  return dates;
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export function openDatabase(url: string): Kysely<Tables> {
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  const dialect =
    path === undefined
      ? new PostgresDialect({ pool: new Pool({ connectionString: url, max: 10 }) })
      : new SqliteDialect({ database: openSqlite(path) });
  return new Kysely<Tables>({ dialect });
}

// Dates go out as they come; making a Date of each would be slow and would bring time zones in. Counts are not that
// large.
types.setTypeParser(types.builtins.DATE, (text) => text);
types.setTypeParser(types.builtins.INT8, Number);

/** What Kysely expects of a driver, made from `node:sqlite`. A statement is prepared once for each text. */
function openSqlite(path: string): SqliteDatabase {
  const database = new DatabaseSync(path, { readOnly: true });
  database.exec('PRAGMA cache_size = -65536; PRAGMA mmap_size = 1073741824');
  const statements = new Map<string, StatementSync>();
  return {
    close: () => database.close(),
    prepare(sql) {
      const statement = statements.get(sql) ?? database.prepare(sql);
      statements.set(sql, statement);
      const all = (parameters: readonly unknown[]) => statement.all(...(parameters as SQLInputValue[]));
      const neverCalled = () => {
        throw new Error('The service only reads whole results.');
      };
      return { reader: true, all, run: neverCalled, iterate: neverCalled };
    },
  };
}
