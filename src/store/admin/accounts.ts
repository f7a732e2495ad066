/** Accounts and their settings: what commands need to find, describe, change, rename and remove them. */

import type { Account, AccountSettings } from '../account.ts';
import type { Database, Queries } from '../database.ts';
import { TABLES } from '../records.ts';
import { ACCOUNT_COLUMNS, type AccountRow, accountOf } from '../rows.ts';

export type AccountStore = ReturnType<typeof accountStore>;
export type AccountTransaction = ReturnType<typeof accountTransaction>;

export interface AccountVersion extends Account {
  /** As long as the revision is the same, so are the shifts of the account. */
  readonly revision: number;
}

export interface AccountContents {
  readonly revision: number;
  readonly groups: number;
  readonly inactiveGroups: number;
  readonly locations: number;
  readonly people: number;
  readonly tokens: number;
  readonly shifts: number;
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  /** When the last import succeeded; null if there was none. */
  readonly lastImportedAtMs: number | null;
  /** The months that have shifts, in ascending order. */
  readonly months: readonly MonthContents[];
}

export interface MonthContents {
  /** YYYY-MM */
  readonly month: string;
  readonly shifts: number;
  /** Shifts without a person. */
  readonly open: number;
  readonly unpublished: number | null;
  /** Shifts that the API never lists, because their group is not active. */
  readonly unlisted: number;
}

export function accountStore(database: Database) {
  const { main, bytewise, locked } = database.dialect;
  return {
    /** Sorted by slug. */
    async accounts(): Promise<readonly Account[]> {
      const rows = await database.all<AccountRow>(
        `SELECT ${ACCOUNT_COLUMNS} FROM ${main}.accounts ORDER BY slug COLLATE ${bytewise}`,
      );
      return rows.map(accountOf);
    },

    findAccount: (slug: string) => findAccount(database, slug),

    /**
     * Reads everything from one state of the data. Without `today`, the date in the account's time zone, the number of
     * unpublished shifts is unknown.
     */
    describeAccount: (accountId: number, today?: string) =>
      database.reading((queries) => describeAccount(queries, accountId, today)),

    /**
     * Runs `work` in one transaction. It is committed when `work` returns true, and rolled back when `work` returns false
     * or throws, or when the process dies.
     */
    write: (work: (transaction: AccountTransaction) => Promise<boolean>) =>
      database.writing(
        (queries) => work(accountTransaction(queries)),
        (isKept) => isKept,
      ),

    /** The slug must not belong to another account. */
    async renameAccount(accountId: number, slug: string): Promise<void> {
      await database.all(`UPDATE ${main}.accounts SET slug = $2 WHERE id = $1`, [accountId, slug]);
    },

    /** Removes the account with everything that belongs to it. */
    removeAccount: (accountId: number) =>
      database.writing(async ({ all }) => {
        // Like every other writer, it locks the account first.
        await all(locked(`SELECT 1 FROM ${main}.accounts WHERE id = $1`, 'UPDATE'), [accountId]);
        // Referring records go first. Everything else is deleted with the account.
        for (const table of TABLES.toReversed())
          await all(`DELETE FROM ${main}.${table} WHERE account_id = $1`, [accountId]);
        await all(`DELETE FROM ${main}.accounts WHERE id = $1`, [accountId]);
      }),
  };
}

export async function findAccount({ dialect, all }: Queries, slug: string): Promise<Account | undefined> {
  const [row] = await all<AccountRow>(
    `SELECT ${ACCOUNT_COLUMNS} FROM ${dialect.main}.accounts WHERE slug = $1`,
    [slug],
  );
  return row && accountOf(row);
}

export async function findAccountVersion(
  { dialect, all }: Queries,
  slug: string,
  { isLocked }: { isLocked: boolean },
): Promise<AccountVersion | undefined> {
  const query = `SELECT ${ACCOUNT_COLUMNS}, revision FROM ${dialect.main}.accounts WHERE slug = $1`;
  const [row] = await all<AccountRow & { revision: number }>(
    isLocked ? dialect.locked(query, 'NO KEY UPDATE') : query,
    [slug],
  );
  return row && { ...accountOf(row), revision: row.revision };
}

export function accountTransaction(queries: Queries) {
  const { all, dialect } = queries;
  const { main, lockSlug } = dialect;
  return {
    /**
     * Finds the account, and locks its slug until the transaction ends: nobody else can change the account or create one
     * with that slug.
     */
    async lockAccount(slug: string) {
      // One import at a time, even for an account that does not exist yet: two imports must not complete their records
      // from the same earlier state.
      if (lockSlug !== undefined) await all(lockSlug, [slug]);
      return findAccountVersion(queries, slug, { isLocked: true });
    },

    /** Creates the account, or updates the settings of the one with that slug. Returns its id. */
    async saveAccount({ slug, name, premium, timeZone, sort }: AccountSettings) {
      const [row] = await all<{ id: number }>(
        `INSERT INTO ${main}.accounts (slug, name, premium, time_zone, sort) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (slug) DO UPDATE SET
          name = excluded.name, premium = excluded.premium, time_zone = excluded.time_zone, sort = excluded.sort
        RETURNING id`,
        [slug, name, premium, timeZone, sort],
      );
      return row?.id as number;
    },
  };
}

async function describeAccount(
  { dialect: { main, asText, monthOf }, all }: Queries,
  accountId: number,
  today: string | undefined,
): Promise<AccountContents> {
  const from = (table: string) => `FROM ${main}.${table} WHERE account_id = $1`;
  const [contents] = await all<Omit<AccountContents, 'months'>>(
    `SELECT revision,
      (SELECT count(*) ${from('groups')}) AS groups,
      (SELECT count(*) ${from('groups')} AND NOT active) AS "inactiveGroups",
      (SELECT count(*) ${from('locations')}) AS locations,
      (SELECT count(*) ${from('people')}) AS people,
      (SELECT count(*) ${from('tokens')} AND role = 'api') AS tokens,
      (SELECT count(*) ${from('shifts')}) AS shifts,
      (SELECT ${asText('min(date)')} ${from('shifts')}) AS "firstDate",
      (SELECT ${asText('max(date)')} ${from('shifts')}) AS "lastDate",
      (SELECT succeeded_at ${from('imports')}) AS "lastImportedAtMs"
    FROM ${main}.accounts WHERE id = $1`,
    [accountId],
  );
  const months = await all<MonthContents>(
    `SELECT ${monthOf('date')} AS month, count(*) AS shifts,
      count(*) FILTER (WHERE person_id IS NULL) AS open,
      ${today === undefined ? 'NULL' : 'count(*) FILTER (WHERE publish_date > $2)'} AS unpublished,
      count(*) FILTER (WHERE groups.id IS NULL) AS unlisted
    FROM ${main}.shifts
    LEFT JOIN ${main}.groups ON groups.account_id = shifts.account_id AND groups.id = group_id AND groups.active
    WHERE shifts.account_id = $1 GROUP BY 1 ORDER BY 1`,
    today === undefined ? [accountId] : [accountId, today],
  );
  return { ...(contents as Omit<AccountContents, 'months'>), months };
}
