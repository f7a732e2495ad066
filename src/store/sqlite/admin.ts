import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { AdminStore, Token } from '../admin-store.ts';
import { ACCOUNT_COLUMNS, type AccountRow, accountOf } from '../rows.ts';
import { findAccount } from './account.ts';
import { goFirst } from './right-of-way.ts';

const TOKEN_COLUMNS = 'id, account_id, hint, label, created_at, expires_at, revoked_at, last_used_at';

export function adminStore(database: DatabaseSync, path: string): AdminStore {
  return {
    async accounts() {
      return database
        .prepare(`SELECT ${ACCOUNT_COLUMNS} FROM accounts ORDER BY slug`)
        .all()
        .map((row) => accountOf(row as unknown as AccountRow));
    },

    findAccount: async (slug) => findAccount(database, slug),

    async addToken({ accountId, hash, hint = '', label, createdAtMs, expiresAtMs }) {
      const insert = database.prepare(
        `INSERT INTO tokens (account_id, hash, hint, label, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)
        RETURNING ${TOKEN_COLUMNS}`,
      );
      const row = goFirst(database, path, () =>
        insert.get(accountId, hash, hint, label, createdAtMs, expiresAtMs),
      );
      return tokenOf(row ?? {});
    },

    async tokens(accountId) {
      const select = `SELECT ${TOKEN_COLUMNS} FROM tokens`;
      const rows =
        accountId === undefined
          ? database.prepare(`${select} ORDER BY id`).all()
          : database.prepare(`${select} WHERE account_id = ? ORDER BY id`).all(accountId);
      return rows.map(tokenOf);
    },

    async revokeToken(id, atMs) {
      const update = database.prepare('UPDATE tokens SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?');
      const { changes } = goFirst(database, path, () => update.run(atMs, id));
      return changes === 1;
    },
  };
}

function tokenOf(row: Record<string, SQLOutputValue>): Token {
  return {
    id: Number(row.id),
    accountId: Number(row.account_id),
    hint: String(row.hint),
    label: String(row.label),
    createdAtMs: Number(row.created_at),
    expiresAtMs: row.expires_at as number | null,
    revokedAtMs: row.revoked_at as number | null,
    lastUsedAtMs: row.last_used_at as number | null,
  };
}
