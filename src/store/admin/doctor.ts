/** What a check-up needs of a database. */

import { MAX_MONTHS } from '../account.ts';
import type { Database, Dialect, Queries } from '../database.ts';
import { REFERENCES, TABLES, type Table } from '../records.ts';

export type DoctorStore = ReturnType<typeof doctorStore>;

export interface Examination {
  /** Damage that the database itself reports, in its own words; undefined if it has no check for damage. */
  readonly damage: readonly string[] | undefined;
  readonly schema: readonly SchemaFlaw[];
  readonly looseRows: readonly LooseRows[];
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

/** Rows that refer to a missing record, a missing account, or an entry of the history that has none. */
export interface LooseRows {
  readonly table: (typeof TABLES_OF_ACCOUNTS)[number] | 'replaced_records';
  readonly lacking: 'account' | 'entry' | 'group' | 'location' | 'person';
  readonly slug: string | undefined;
  readonly count: number;
  /** The smallest id among them; undefined in tables that have none. */
  readonly firstId: number | undefined;
  /** The statement that deletes them, if they belong to nobody. */
  readonly repair?: string;
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
  /** The statements that repair it. The user has to put a month in place of (YYYY-MM), which comes before all months. */
  readonly repair: string;
}

/** What is examined in another way on each database. */
export interface OwnChecks extends Pick<Examination, 'stampStatement'> {
  damage(queries: Queries): Promise<Examination['damage']>;
  schema(queries: Queries): Promise<Examination['schema']>;
  /** The condition that a column `month` is one. */
  readonly isMonth: string;
}

export function doctorStore(database: Database, own: OwnChecks) {
  return {
    /** Checks everything on one state of the data, and changes nothing. Throws if tables are missing. */
    examine: (): Promise<Examination> =>
      database.reading(async (queries) => ({
        damage: await own.damage(queries),
        schema: await own.schema(queries),
        looseRows: await looseRowsOf(queries),
        stamps: await queries.all<StampFlaw>(stampFlawsQuery(queries.dialect, own.isMonth)),
        crowded: await queries.all<CrowdedAccount>(crowdedAccountsQuery(queries.dialect)),
        stampStatement: own.stampStatement,
      })),
  };
}

/** Shifts come before what they refer to, so that foreign keys let the rows be deleted in this order. */
const TABLES_OF_ACCOUNTS = [
  'tokens',
  ...TABLES.toReversed(),
  'months',
  'imports',
  'desk_layouts',
  'import_history',
] as const;
const WITHOUT_IDS: readonly LooseRows['table'][] = ['months', 'imports', 'desk_layouts', 'replaced_records'];

async function looseRowsOf(queries: Queries): Promise<LooseRows[]> {
  const { dialect, all } = queries;
  const loose: LooseRows[] = [];
  const { main } = dialect;
  const accounts = `SELECT id FROM ${main}.accounts`;
  for (const table of TABLES_OF_ACCOUNTS)
    loose.push(...(await rowsOfNobody(queries, table, 'account', `account_id NOT IN (${accounts})`)));
  const entries = `SELECT id FROM ${main}.import_history WHERE account_id IN (${accounts})`;
  loose.push(...(await rowsOfNobody(queries, 'replaced_records', 'entry', `entry_id NOT IN (${entries})`)));
  for (const [column, target, lacking] of REFERENCES) {
    const rows = await all<{ slug: string | null; count: number; firstId: number }>(
      looseShiftsQuery(dialect, column, target),
    );
    for (const { slug, ...found } of rows)
      loose.push({ table: 'shifts', lacking, slug: slug ?? undefined, ...found });
  }
  return loose;
}

/** Ids are unique only within an account, so the same condition finds the rows and deletes them. */
async function rowsOfNobody(
  { dialect, all }: Queries,
  table: LooseRows['table'],
  lacking: LooseRows['lacking'],
  condition: string,
): Promise<LooseRows[]> {
  const ofNobody = `FROM ${dialect.main}.${table} WHERE ${condition}`;
  const first = WITHOUT_IDS.includes(table) ? 'NULL' : 'min(id)';
  const rows = await all<{ count: number; firstId: number | null }>(
    `SELECT count(*) AS count, ${first} AS "firstId" ${ofNobody}`,
  );
  return rows
    .filter(({ count }) => count > 0)
    .map(({ count, firstId }) => ({
      table,
      lacking,
      slug: undefined,
      count,
      firstId: firstId ?? undefined,
      repair: `DELETE ${ofNobody};`,
    }));
}

/** Counts loose shifts by account. */
function looseShiftsQuery({ main }: Dialect, column: string, target: Table): string {
  return `
    SELECT max(accounts.slug) AS slug, count(*) AS count, min(source.id) AS "firstId"
    FROM ${main}.shifts AS source LEFT JOIN ${main}.accounts ON accounts.id = source.account_id
    WHERE source.${column} IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM ${main}.${target} AS target WHERE target.account_id = source.account_id AND target.id = source.${column})
    GROUP BY source.account_id ORDER BY source.account_id`;
}

function stampFlawsQuery({ main, monthOf }: Dialect, isMonth: string): string {
  return `
    SELECT slug, used.month, 'missing' AS flaw
    FROM (SELECT DISTINCT account_id, ${monthOf('date')} AS month FROM ${main}.shifts) AS used
    JOIN ${main}.accounts ON accounts.id = used.account_id
    LEFT JOIN ${main}.months ON months.account_id = used.account_id AND months.month = used.month
    WHERE months.month IS NULL
    UNION ALL
    SELECT slug, month, CASE WHEN ${isMonth} THEN 'ahead' ELSE 'malformed' END
    FROM ${main}.months JOIN ${main}.accounts ON accounts.id = account_id
    WHERE months.revision > accounts.revision OR NOT (${isMonth})
    ORDER BY 1, 2`;
}

/** Shifts and stamps have to go in one transaction. */
function crowdedAccountsQuery({ main }: Dialect): string {
  const remove = (table: string, column: string, before: string) =>
    `DELETE FROM ${main}.${table} WHERE account_id = ' || accounts.id || ' AND ${column} < ''${before}''; `;
  return `
    SELECT slug, count(*) AS months,
      'BEGIN; ${remove('shifts', 'date', '(YYYY-MM)-01')}${remove('months', 'month', '(YYYY-MM)')}COMMIT;' AS repair
    FROM ${main}.months JOIN ${main}.accounts ON accounts.id = account_id
    GROUP BY accounts.id, slug HAVING count(*) > ${MAX_MONTHS} ORDER BY slug`;
}
