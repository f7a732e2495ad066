/** The two queries of a listing: how many shifts match, and the page. */

import type { ExpressionBuilder, ExpressionWrapper, Kysely, SqlBool } from 'kysely';
import type { Tables } from './database.ts';
import type { Filter } from './filter.ts';

export async function countShifts(db: Kysely<Tables>, match: Match): Promise<number> {
  const { count } = await db
    .selectFrom('shifts')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(match)
    .executeTakeFirstOrThrow();
  return count;
}

/** Finds the ids of the page in an index first, so that a deep page does not read the rows that it skips. */
export async function readPage(db: Kysely<Tables>, match: Match, { page, perPage }: Filter) {
  const rows = await db
    .with('page', (query) =>
      query
        .selectFrom('shifts')
        .select('id')
        .where(match)
        .orderBy('date')
        .orderBy('start_time')
        .orderBy('id')
        .limit(perPage)
        .offset((page - 1) * perPage),
    )
    .selectFrom('page')
    .innerJoin('shifts', 'shifts.id', 'page.id')
    .innerJoin('groups', 'groups.id', 'shifts.group_id')
    .leftJoin('locations', 'locations.id', 'shifts.location_id')
    .leftJoin('people', 'people.id', 'shifts.person_id')
    .select([
      'shifts.id',
      'shifts.date',
      'shifts.start_time',
      'shifts.end_time',
      'shifts.end_date',
      'shifts.publish_date',
      'shifts.remarks',
      'shifts.starred',
      'shifts.cancelled',
      'shifts.noshow',
      'groups.id as group_id',
      'groups.name as group_name',
      'locations.name as location_name',
      'locations.address as location_address',
      'people.name as person_name',
    ])
    .orderBy('shifts.date')
    .orderBy('shifts.start_time')
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

export type Match = (eb: ExpressionBuilder<Tables, 'shifts'>) => ExpressionWrapper<Tables, 'shifts', SqlBool>;

/**
 * The condition of both queries. Inactive groups are rare: they are looked up first, instead of joined to every row.
 */
export async function matchOf(db: Kysely<Tables>, accountId: number, filter: Filter): Promise<Match> {
  const inactive = await db
    .selectFrom('groups')
    .select('id')
    .where('account_id', '=', accountId)
    .where((eb) => eb.not('active'))
    .execute();
  const inactiveIds = inactive.map(({ id }) => id);
  return (eb) => {
    const ranges = filter.ranges.map(({ from, to }) =>
      eb.and([eb('date', '>=', from), eb('date', '<=', to)]),
    );
    return eb.and([
      eb('account_id', '=', accountId),
      filter.dates ? eb('date', 'in', filter.dates) : eb.or(ranges),
      ...(filter.groupIds ? [eb('group_id', 'in', filter.groupIds)] : []),
      ...(inactiveIds.length > 0 ? [eb('group_id', 'not in', inactiveIds)] : []),
      ...(filter.publishedOn ? [eb('publish_date', '<=', filter.publishedOn)] : []),
    ]);
  };
}
