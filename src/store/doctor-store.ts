/**
 * What a check-up needs of a database.
 */

import { MAX_MONTHS } from './account.ts';
import type { Table } from './records.ts';

export interface DoctorStore {
  /** Checks everything on one state of the data, and changes nothing. Throws if tables are missing. */
  examine(): Promise<Examination>;
}

export interface Examination {
  /** Damage that the database itself reports, in its own words; undefined if it has no check for damage. */
  readonly damage: readonly string[] | undefined;
  readonly schema: readonly SchemaFlaw[];
  readonly looseRows: readonly LooseRows[];
  /** The first impossible dates, if the database has accepted any. */
  readonly impossibleDates: readonly ImpossibleDate[];
  readonly stamps: readonly StampFlaw[];
  /** Accounts that have or had shifts in more than MAX_MONTHS months. */
  readonly crowded: readonly CrowdedAccount[];
  /** The statement that stamps every month anew. */
  readonly stampStatement: string;
}

/** A part of the schema that differs from what the migrations create. */
export interface SchemaFlaw {
  /** Such as "trigger shifts_inserted". */
  readonly part: string;
  readonly flaw: 'missing' | 'changed' | 'switched off' | 'not checked';
  /** The statement that repairs it, if there is one. */
  readonly repair?: string | undefined;
}

/** Rows that refer to a missing record, or to a missing account. */
export interface LooseRows {
  readonly table: Table | 'tokens' | 'months' | 'imports';
  readonly lacking: 'account' | 'group' | 'location' | 'person';
  readonly slug: string | undefined;
  readonly count: number;
  /** The smallest id among them; months and imports have none. */
  readonly firstId: number | undefined;
}

/** A date of a shift that does not exist in the calendar. */
export interface ImpossibleDate {
  readonly slug: string;
  readonly shiftId: number;
  readonly column: 'date' | 'end_date' | 'publish_date';
  readonly value: string;
  /** The statement that repairs it. The user has to replace the dots with a date. */
  readonly repair: string;
}

export interface StampFlaw {
  readonly slug: string;
  readonly month: string;
  /**
   * missing: there are shifts but no stamp; ahead: the stamp is newer than its account; malformed: this is not a month.
   */
  readonly flaw: 'missing' | 'ahead' | 'malformed';
}

export interface CrowdedAccount {
  readonly slug: string;
  readonly months: number;
  /** The statements that repair it. The user has to replace the dots with a date and its month. */
  readonly repair: string;
}

/** The references to check. */
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

/** Counts loose rows by account. `schema` is the prefix of table names. */
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

/** `monthOfDate` and `isMonth` are SQL expressions of the database. */
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

/** `schema` is the prefix of table names. Shifts and stamps have to go in one transaction. */
export function crowdedAccountsQuery(schema: string): string {
  const where = (column: string) => `WHERE account_id = ' || accounts.id || ' AND ${column} < ''…''`;
  return `
    SELECT slug, count(*) AS months, 'BEGIN; DELETE FROM ${schema}shifts ${where('date')}; ' ||
      'DELETE FROM ${schema}months ${where('month')}; COMMIT;' AS repair
    FROM ${schema}months JOIN ${schema}accounts ON accounts.id = account_id
    GROUP BY accounts.id, slug HAVING count(*) > ${MAX_MONTHS} ORDER BY slug`;
}

export function crowdedAccountOf(row: Readonly<Record<string, unknown>>): CrowdedAccount {
  return { slug: String(row.slug), months: Number(row.months), repair: String(row.repair) };
}
