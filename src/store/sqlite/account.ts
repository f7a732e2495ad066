import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { SortOrder } from '../../listing/shift.ts';
import type { Account, AccountSettings, AccountTransaction } from '../store.ts';

export const ACCOUNT_COLUMNS = 'id, slug, name, premium, time_zone, sort';

export function accountOf(row: Record<string, SQLOutputValue>): Account {
  return {
    id: Number(row.id),
    slug: String(row.slug),
    name: String(row.name),
    premium: row.premium === 1,
    timeZone: String(row.time_zone),
    sort: row.sort as SortOrder,
  };
}

export function findAccount(database: DatabaseSync, slug: string): Account | undefined {
  const row = database.prepare(`SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE slug = ?`).get(slug);
  return row && accountOf(row);
}

/** For a connection that is in a transaction. */
export function accountTransaction(database: DatabaseSync): AccountTransaction {
  return {
    async findAccount(slug) {
      const row = database
        .prepare(`SELECT ${ACCOUNT_COLUMNS}, revision FROM accounts WHERE slug = ?`)
        .get(slug);
      return row && { ...accountOf(row), revision: Number(row.revision) };
    },

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
  };
}
