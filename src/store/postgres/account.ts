import type { PoolClient } from 'pg';
import type { AccountSettings } from '../account.ts';
import type { AccountTransaction, AccountVersion } from '../import-store.ts';
import { ACCOUNT_COLUMNS, type AccountRow, accountOf } from '../rows.ts';

/** `lock` is appended to the query, such as FOR UPDATE. */
export async function findAccountVersion(
  client: PoolClient,
  slug: string,
  lock = '',
): Promise<AccountVersion | undefined> {
  const { rows } = await client.query<AccountRow & { revision: string }>(
    `SELECT ${ACCOUNT_COLUMNS}, revision FROM shiftfeed.accounts WHERE slug = $1 ${lock}`,
    [slug],
  );
  return rows[0] && { ...accountOf(rows[0]), revision: Number(rows[0].revision) };
}

export function accountTransaction(client: PoolClient): AccountTransaction {
  return {
    async lockAccount(slug) {
      // One import at a time, even for an account that does not exist yet: two imports must not complete their records
      // from the same earlier state.
      await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [slug]);
      return findAccountVersion(client, slug, 'FOR NO KEY UPDATE');
    },

    async saveAccount({ slug, name, premium, timeZone, sort }: AccountSettings) {
      const { rows } = await client.query<{ id: string }>(
        `INSERT INTO shiftfeed.accounts (slug, name, premium, time_zone, sort) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (slug) DO UPDATE SET
          name = excluded.name, premium = excluded.premium, time_zone = excluded.time_zone, sort = excluded.sort
        RETURNING id`,
        [slug, name, premium, timeZone, sort],
      );
      return Number(rows[0]?.id);
    },

    async noteImport(accountId) {
      // Not now(), which is the start of the transaction: that also covers reading the document.
      await client.query(
        `INSERT INTO shiftfeed.imports (account_id, succeeded_at)
        VALUES ($1, floor(extract(epoch FROM clock_timestamp()) * 1000))
        ON CONFLICT (account_id) DO UPDATE SET succeeded_at = excluded.succeeded_at`,
        [accountId],
      );
    },
  };
}
