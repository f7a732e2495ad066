import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { SortOrder } from '../../listing/shift.ts';
import type { Account } from '../store.ts';

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
