/** Tokens: what commands need to make, list and revoke them. */

import type { Database, Queries, RecordRow } from '../database.ts';

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

/** What a document has of each token, named as in the schema. Instants are milliseconds. */
export interface TokenRecord {
  readonly hash: string;
  readonly hint: string;
  readonly label: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly last_used_at: number | null;
}

export type TokenField = keyof TokenRecord;

export const TOKEN_COLUMNS = {
  hash: 'text',
  hint: 'text',
  label: 'text',
  created_at: 'integer',
  expires_at: 'integer',
  revoked_at: 'integer',
  last_used_at: 'integer',
} as const satisfies Readonly<Record<TokenField, string>>;

export const TOKEN_FIELDS = Object.keys(TOKEN_COLUMNS) as readonly TokenField[];

/** From columns whose names begin with the prefix. */
export function tokenOf(row: RecordRow, prefix = ''): TokenRecord {
  return Object.fromEntries(TOKEN_FIELDS.map((name) => [name, row[prefix + name]])) as unknown as TokenRecord;
}

/** All tokens of an account, in an order that does not depend on the database. */
export function selectTokens({ main, bytewise }: Queries['dialect'], accountId: number): string {
  return `SELECT ${TOKEN_FIELDS.join(', ')} FROM ${main}.tokens WHERE account_id = ${accountId}
    ORDER BY created_at, hash COLLATE ${bytewise}`;
}

export type TokenState = 'live' | 'revoked' | 'expired' | 'asleep';

/** Tokens of an account that is not premium are asleep. */
export function stateOf(token: Token, isPremium: boolean, nowMs: number): TokenState {
  if (token.revokedAtMs !== null) return 'revoked';
  if (token.expiresAtMs !== null && token.expiresAtMs <= nowMs) return 'expired';
  return isPremium ? 'live' : 'asleep';
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
