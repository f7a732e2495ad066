import type { AdminStore, Token } from '../admin-store.ts';
import { ACCOUNT_COLUMNS, type AccountRow, accountOf } from '../rows.ts';
import type { Connection } from './connection.ts';

const TOKEN_COLUMNS = 'id, account_id, hint, label, created_at, expires_at, revoked_at, last_used_at';

export function adminStore(connection: Connection): AdminStore {
  return {
    async accounts() {
      const rows = await connection.ask<AccountRow>({
        text: `SELECT ${ACCOUNT_COLUMNS} FROM shiftfeed.accounts ORDER BY slug COLLATE "C"`,
      });
      return rows.map(accountOf);
    },

    async findAccount(slug) {
      const [row] = await connection.ask<AccountRow>({
        text: `SELECT ${ACCOUNT_COLUMNS} FROM shiftfeed.accounts WHERE slug = $1`,
        values: [slug],
      });
      return row && accountOf(row);
    },

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

interface TokenRow {
  readonly id: string;
  readonly account_id: string;
  readonly hint: string;
  readonly label: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
}

function tokenOf(row: TokenRow): Token {
  const instant = (text: string | null) => (text === null ? null : Number(text));
  return {
    id: Number(row.id),
    accountId: Number(row.account_id),
    hint: row.hint,
    label: row.label,
    createdAtMs: Number(row.created_at),
    expiresAtMs: instant(row.expires_at),
    revokedAtMs: instant(row.revoked_at),
    lastUsedAtMs: instant(row.last_used_at),
  };
}
