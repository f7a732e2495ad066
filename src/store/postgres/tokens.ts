import { TOKEN_COLUMNS, type TokenRow, tokenOf } from '../rows.ts';
import type { TokenStore } from '../token-store.ts';
import type { Connection } from './connection.ts';

export function tokenStore(connection: Connection): TokenStore {
  return {
    async addToken({ accountId, hash, hint = '', label, createdAtMs, expiresAtMs }) {
      const [row] = await connection.ask<TokenRow>({
        text: `INSERT INTO shiftfeed.tokens (account_id, hash, hint, label, created_at, expires_at)
          VALUES ($1, $2, $3, $4, $5, $6)
          RETURNING ${TOKEN_COLUMNS}`,
        values: [accountId, hash, hint, label, createdAtMs, expiresAtMs],
      });
      return tokenOf(row as TokenRow);
    },

    async tokens(accountId) {
      const rows = await connection.ask<TokenRow>({
        text: `SELECT ${TOKEN_COLUMNS} FROM shiftfeed.tokens WHERE account_id = $1 OR $1::bigint IS NULL ORDER BY id`,
        values: [accountId ?? null],
      });
      return rows.map(tokenOf);
    },

    async revokeToken(id, atMs) {
      const rows = await connection.ask({
        text: 'UPDATE shiftfeed.tokens SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1 RETURNING id',
        values: [id, atMs],
      });
      return rows.length === 1;
    },
  };
}
