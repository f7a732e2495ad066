import type { DatabaseSync } from 'node:sqlite';
import { TOKEN_COLUMNS, type TokenRow, tokenOf } from '../rows.ts';
import type { TokenStore } from '../token-store.ts';
import { goFirst } from './right-of-way.ts';

export function tokenStore(database: DatabaseSync, path: string): TokenStore {
  return {
    async addToken({ accountId, hash, hint = '', label, createdAtMs, expiresAtMs }) {
      const insert = database.prepare(
        `INSERT INTO tokens (account_id, hash, hint, label, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)
        RETURNING ${TOKEN_COLUMNS}`,
      );
      const row = goFirst(database, path, () =>
        insert.get(accountId, hash, hint, label, createdAtMs, expiresAtMs),
      );
      return tokenOf(row as unknown as TokenRow);
    },

    async tokens(accountId) {
      const select = `SELECT ${TOKEN_COLUMNS} FROM tokens`;
      const rows =
        accountId === undefined
          ? database.prepare(`${select} ORDER BY id`).all()
          : database.prepare(`${select} WHERE account_id = ? ORDER BY id`).all(accountId);
      return rows.map((row) => tokenOf(row as unknown as TokenRow));
    },

    async revokeToken(id, atMs) {
      const update = database.prepare('UPDATE tokens SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?');
      const { changes } = goFirst(database, path, () => update.run(atMs, id));
      return changes === 1;
    },
  };
}
