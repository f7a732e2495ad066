/** Tokens: what commands need to make, list and revoke them. */

import type { Database } from '../database.ts';

export type TokenStore = ReturnType<typeof tokenStore>;

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

const TOKEN = `id, account_id AS "accountId", hint, label, created_at AS "createdAtMs", expires_at AS "expiresAtMs",
  revoked_at AS "revokedAtMs", last_used_at AS "lastUsedAtMs"`;

export function tokenStore({ dialect: { main }, all }: Database) {
  return {
    async addToken({ accountId, hash, hint = '', label, createdAtMs, expiresAtMs }: NewToken) {
      const [row] = await all<Token>(
        `INSERT INTO ${main}.tokens (account_id, hash, hint, label, created_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${TOKEN}`,
        [accountId, hash, hint, label, createdAtMs, expiresAtMs],
      );
      return row as Token;
    },

    /** The tokens of an account, or all tokens. */
    tokens: (accountId?: number) =>
      accountId === undefined
        ? all<Token>(`SELECT ${TOKEN} FROM ${main}.tokens ORDER BY id`)
        : all<Token>(`SELECT ${TOKEN} FROM ${main}.tokens WHERE account_id = $1 ORDER BY id`, [accountId]),

    /** Returns false when there is no such token. A token that is already revoked keeps its first revocation time. */
    async revokeToken(id: number, atMs: number) {
      const rows = await all(
        `UPDATE ${main}.tokens SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1 RETURNING id`,
        [id, atMs],
      );
      return rows.length === 1;
    },
  };
}
