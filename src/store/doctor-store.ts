/**
 * What a check-up needs of a database.
 */

import type { Table } from './records.ts';

export interface DoctorStore {
  /** Looks at everything, in one state of the data, and changes nothing. Throws where tables are missing. */
  examine(): Promise<Examination>;
}

export interface Examination {
  /** What the database itself finds damaged, in its own words; undefined when it cannot be asked. */
  readonly damage: readonly string[] | undefined;
  readonly schema: readonly SchemaFlaw[];
  readonly looseRows: readonly LooseRows[];
  /** The first of them, where the database has taken any. */
  readonly impossibleDates: readonly ImpossibleDate[];
  readonly stamps: readonly StampFlaw[];
  /** The statement that stamps every month anew. */
  readonly stampStatement: string;
}

/** Something that the migrations make, and that is not as they make it. */
export interface SchemaFlaw {
  /** Such as "trigger shifts_inserted". */
  readonly part: string;
  readonly flaw: 'missing' | 'changed' | 'switched off' | 'not checked';
  /** The statement that mends it, where one does. */
  readonly repair?: string | undefined;
}

/** Rows of an account that refer to what is not there, or that have no account. */
export interface LooseRows {
  readonly table: Table | 'tokens' | 'months' | 'imports';
  readonly lacking: 'account' | 'group' | 'location' | 'person';
  readonly slug: string | undefined;
  readonly count: number;
  /** The smallest id among them; months and imports have none. */
  readonly firstId: number | undefined;
}

/** A date of a shift that no calendar has. */
export interface ImpossibleDate {
  readonly slug: string;
  readonly shiftId: number;
  readonly column: 'date' | 'end_date' | 'publish_date';
  readonly value: string;
  /** The statement that mends it, once the dots are a date. */
  readonly repair: string;
}

export interface StampFlaw {
  readonly slug: string;
  readonly month: string;
  /** There are shifts, but no stamp; the stamp is newer than its account; or this is no month. */
  readonly flaw: 'missing' | 'ahead' | 'malformed';
}

/** What refers to what. */
export const LOOSE_ROW_CHECKS: readonly (readonly [
  LooseRows['table'],
  LooseRows['lacking'],
  column: string,
  target: string,
])[] = [
  ['tokens', 'account', 'account_id', 'accounts'],
  ['groups', 'account', 'account_id', 'accounts'],
  ['locations', 'account', 'account_id', 'accounts'],
  ['people', 'account', 'account_id', 'accounts'],
  ['shifts', 'account', 'account_id', 'accounts'],
  ['months', 'account', 'account_id', 'accounts'],
  ['imports', 'account', 'account_id', 'accounts'],
  ['shifts', 'group', 'group_id', 'groups'],
  ['shifts', 'location', 'location_id', 'locations'],
  ['shifts', 'person', 'person_id', 'people'],
];

/** Counts them by account. `schema` stands before the names of tables. */
export function looseRowsQuery(
  [table, lacking, column, target]: (typeof LOOSE_ROW_CHECKS)[number],
  schema: string,
): string {
  const isTarget =
    lacking === 'account'
      ? `target.id = source.${column}`
      : `target.account_id = source.account_id AND target.id = source.${column}`;
  const firstId = table === 'months' || table === 'imports' ? 'NULL' : 'min(source.id)';
  return `
    SELECT max(accounts.slug) AS slug, count(*) AS count, ${firstId} AS first_id
    FROM ${schema}${table} AS source LEFT JOIN ${schema}accounts ON accounts.id = source.account_id
    WHERE source.${column} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${schema}${target} AS target WHERE ${isTarget})
    GROUP BY source.account_id ORDER BY source.account_id`;
}

/** `monthOfDate` and `isMonth` are written as the database writes them. */
export function stampFlawsQuery(schema: string, monthOfDate: string, isMonth: string): string {
  return `
    SELECT slug, used.month, 'missing' AS flaw
    FROM (SELECT DISTINCT account_id, ${monthOfDate} AS month FROM ${schema}shifts) AS used
    JOIN ${schema}accounts ON accounts.id = used.account_id
    LEFT JOIN ${schema}months ON months.account_id = used.account_id AND months.month = used.month
    WHERE months.month IS NULL
    UNION ALL
    SELECT slug, month, CASE WHEN ${isMonth} THEN 'ahead' ELSE 'malformed' END
    FROM ${schema}months JOIN ${schema}accounts ON accounts.id = account_id
    WHERE months.revision > accounts.revision OR NOT (${isMonth})
    ORDER BY 1, 2`;
}
