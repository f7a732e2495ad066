/** Tokens: what commands need to make, list and revoke them. */

import type { Database } from '../database.ts';
import type { Integer } from '../rows.ts';

export interface TokenStore {
  addToken(token: NewToken): Promise<Token>;
  /** The tokens of an account, or all tokens. */
  tokens(accountId?: number): Promise<readonly Token[]>;
  /** Returns false when there is no such token. A token that is already revoked keeps its first revocation time. */
  revokeToken(id: number, atMs: number): Promise<boolean>;
}

export interface NewToken {
  readonly accountId: number;
  readonly hash: string;
  /** The first characters of the token. */
  readonly hint?: string;
  readonly label: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
}

export interface Token extends Required<Omit<NewToken, 'hash'>> {
  readonly id: number;
  readonly revokedAtMs: number | null;
  /** Rounded to the hour. Recent uses may not be written yet. */
  readonly lastUsedAtMs: number | null;
}

const COLUMNS = 'id, account_id, hint, label, created_at, expires_at, revoked_at, last_used_at';

export function tokenStore({ dialect: { main }, all }: Database): TokenStore {
  return {
    async addToken({ accountId, hash, hint = '', label, createdAtMs, expiresAtMs }) {
      const [row] = await all<TokenRow>(
        `INSERT INTO ${main}.tokens (account_id, hash, hint, label, created_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${COLUMNS}`,
        [accountId, hash, hint, label, createdAtMs, expiresAtMs],
      );
      return tokenOf(row as TokenRow);
    },

    async tokens(accountId) {
      const rows = await (accountId === undefined
        ? all<TokenRow>(`SELECT ${COLUMNS} FROM ${main}.tokens ORDER BY id`)
        : all<TokenRow>(`SELECT ${COLUMNS} FROM ${main}.tokens WHERE account_id = $1 ORDER BY id`, [
            accountId,
          ]));
      return rows.map(tokenOf);
    },

    async revokeToken(id, atMs) {
      const rows = await all(
        `UPDATE ${main}.tokens SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1 RETURNING id`,
        [id, atMs],
      );
      return rows.length === 1;
    },
  };
}

interface TokenRow {
  readonly id: Integer;
  readonly account_id: Integer;
  readonly hint: string;
  readonly label: string;
  readonly created_at: Integer;
  readonly expires_at: Integer | null;
  readonly revoked_at: Integer | null;
  readonly last_used_at: Integer | null;
}

function tokenOf(row: TokenRow): Token {
  const instant = (value: Integer | null) => (value === null ? null : Number(value));
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
