/**
 * How the instant API is asked for the first page of the default window, and the function in the database that makes it
 * possible.
 */

import { Client } from 'pg';

/** PostGraphile turns a function that returns rows of a table into a connection, with pages and a total. */
const LISTED_SHIFTS = `
  CREATE FUNCTION typical.listed_shifts(account text) RETURNS SETOF typical.shifts LANGUAGE sql STABLE AS $$
    SELECT shifts.* FROM typical.shifts
    WHERE account_id = (SELECT id FROM typical.accounts WHERE slug = account)
      AND group_id NOT IN (SELECT id FROM typical.groups WHERE NOT active)
      AND date BETWEEN (now() AT TIME ZONE 'UTC')::date AND (now() AT TIME ZONE 'UTC')::date + interval '12 months'
      AND publish_date <= (now() AT TIME ZONE 'UTC')::date
    ORDER BY date, start_time, shifts.id
  $$`;

export async function addListedShifts(typicalUrl: string): Promise<void> {
  const client = new Client(typicalUrl);
  await client.connect();
  await client.query(LISTED_SHIFTS);
  await client.end();
}

/** Path and search of the request; the fields are those of the listing. */
export function instantQuery(slug: string, perPage: number): string {
  const query = `{
    listedShifts(account: "${slug}", first: ${perPage}) {
      totalCount
      nodes {
        rowId date startTime endTime endDate publishDate remarks starred cancelled noshow
        group: groupByGroupId { rowId name }
        location: locationByLocationId { name address }
        person: personByPersonId { name }
      }
    }
  }`.replaceAll(/\s+/g, ' ');
  return `/graphql?query=${encodeURIComponent(query)}`;
}

export function readInstantPage(body: string): { readonly ids: readonly number[]; readonly total: number } {
  const { listedShifts } = JSON.parse(body).data;
  return {
    ids: listedShifts.nodes.map(({ rowId }: { rowId: number }) => rowId),
    total: listedShifts.totalCount,
  };
}
