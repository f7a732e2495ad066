import type { DatabaseSync } from 'node:sqlite';
import type { Account, AccountSettings } from '../account.ts';
import type { AccountTransaction, AccountVersion } from '../import-store.ts';
import { ACCOUNT_COLUMNS, type AccountRow, accountOf } from '../rows.ts';

export function findAccount(database: DatabaseSync, slug: string): Account | undefined {
  const row = database.prepare(`SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE slug = ?`).get(slug);
  return row && accountOf(row as unknown as AccountRow);
}

export function findAccountVersion(database: DatabaseSync, slug: string): AccountVersion | undefined {
  const row = database.prepare(`SELECT ${ACCOUNT_COLUMNS}, revision FROM accounts WHERE slug = ?`).get(slug);
  return row && { ...accountOf(row as unknown as AccountRow), revision: Number(row.revision) };
}

/** For a connection that holds the write lock, so nobody else changes anything meanwhile. */
export function accountTransaction(database: DatabaseSync): AccountTransaction {
  return {
    lockAccount: async (slug) => findAccountVersion(database, slug),

    async saveAccount({ slug, name, premium, timeZone, sort }: AccountSettings) {
      const row = database
        .prepare(
          `INSERT INTO accounts (slug, name, premium, time_zone, sort) VALUES (?, ?, ?, ?, ?)
          ON CONFLICT (slug) DO UPDATE SET
            name = excluded.name, premium = excluded.premium, time_zone = excluded.time_zone, sort = excluded.sort
          RETURNING id`,
        )
        .get(slug, name, premium ? 1 : 0, timeZone, sort);
      return Number(row?.id);
    },

    async noteImport(accountId) {
      database
        .prepare(
          `INSERT INTO imports (account_id, succeeded_at) VALUES (?, CAST(round(unixepoch('subsec') * 1000) AS INTEGER))
          ON CONFLICT (account_id) DO UPDATE SET succeeded_at = excluded.succeeded_at`,
        )
        .run(accountId);
    },
  };
}
