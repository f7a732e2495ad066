/**
 * Tokens: what commands and the desk need to make, list and revoke them. Those with the role `api` open the API and nothing
 * else; those with another one are keys of the desk, and open nothing else.
 */

import { foldName } from '@shiftfeed/common/names';
import type { Account } from '../account.ts';
import type { Database, Queries, RecordRow } from '../database.ts';
import { ACCOUNT_COLUMNS, type AccountRow, accountOf } from '../rows.ts';

export type TokenStore = ReturnType<typeof tokenStore>;

/** What a key of the desk allows. */
export const DESK_ROLES = ['planner', 'owner'] as const;
export type DeskRole = (typeof DESK_ROLES)[number];

interface NewToken {
  readonly accountId: number;
  readonly hash: string;
  /** The first characters of the token. */
  readonly hint?: string;
  /** What it is for; of a key, who has it. */
  readonly label: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
}

export interface NewDeskKey extends NewToken {
  readonly role: DeskRole;
}

export interface Token extends Required<Omit<NewToken, 'hash'>> {
  readonly id: number;
  readonly role: 'api' | DeskRole;
  readonly revokedAtMs: number | null;
  /** Rounded to the hour. Recent uses may not be written yet. */
  readonly lastUsedAtMs: number | null;
}

export type DeskKey = Token & { readonly role: DeskRole };

export const TOKEN_FIELDS = [
  'hash',
  'hint',
  'label',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
] as const;
export type TokenField = (typeof TOKEN_FIELDS)[number];

/** What a copy has of each token for the API, named as in the schema. Instants are milliseconds. */
export type TokenRecord = Readonly<
  Record<'hash' | 'hint' | 'label', string> &
    Record<'created_at', number> &
    Record<'expires_at' | 'revoked_at' | 'last_used_at', number | null>
>;

export function tokenOf(row: RecordRow): TokenRecord {
  return Object.fromEntries(TOKEN_FIELDS.map((name) => [name, row[name]])) as TokenRecord;
}

/** All tokens of an account for the API, in an order that does not depend on the database. */
export function selectTokens({ main, bytewise }: Queries['dialect'], accountId: number): string {
  return `SELECT ${TOKEN_FIELDS.join(', ')} FROM ${main}.tokens WHERE account_id = ${accountId} AND role = 'api'
    ORDER BY created_at, hash COLLATE ${bytewise}`;
}

type TokenState = 'live' | 'revoked' | 'expired' | 'asleep';

/** Tokens of an account that is not premium are asleep. */
export function stateOf(token: Token, isPremium: boolean, nowMs: number): TokenState {
  if (token.revokedAtMs !== null) return 'revoked';
  if (token.expiresAtMs !== null && token.expiresAtMs <= nowMs) return 'expired';
  return isPremium ? 'live' : 'asleep';
}

const TOKEN = `id, account_id AS "accountId", role, hint, label, created_at AS "createdAtMs", expires_at AS "expiresAtMs",
  revoked_at AS "revokedAtMs", last_used_at AS "lastUsedAtMs"`;

export function tokenStore(database: Database) {
  const { main, locked } = database.dialect;
  const { all } = database;
  return {
    addToken: (token: NewToken) => insert<Token>(database, 'api', token),

    /** The tokens of an account for the API, or those of all accounts. */
    tokens: (accountId?: number) =>
      all<Token>(
        `SELECT ${TOKEN} FROM ${main}.tokens WHERE role = 'api' AND account_id = coalesce($1, account_id) ORDER BY id`,
        [accountId],
      ),

    /** Returns false when there is no such token. A token that is already revoked keeps its first revocation time. */
    async revokeToken(id: number, atMs: number) {
      const rows = await all(
        `UPDATE ${main}.tokens SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1 AND role = 'api' RETURNING id`,
        [id, atMs],
      );
      return rows.length === 1;
    },

    /** Returns undefined when somebody of that name has a live key of the account. */
    addDeskKey: (key: NewDeskKey) =>
      database.writing(async (queries): Promise<DeskKey | undefined> => {
        const account = locked(`SELECT 1 FROM ${main}.accounts WHERE id = $1`, 'NO KEY UPDATE');
        await queries.all(account, [key.accountId]);
        const held = await liveKeys(queries, key.accountId, { name: key.label }, key.createdAtMs);
        return held.length === 0 ? insert<DeskKey>(queries, key.role, key) : undefined;
      }),

    /** The oldest first. */
    deskKeys: (accountId: number) =>
      all<DeskKey>(
        `SELECT ${TOKEN} FROM ${main}.tokens WHERE account_id = $1 AND role <> 'api' ORDER BY id`,
        [accountId],
      ),

    /** Ends the keys of an account that have this id or this name. Returns how many were live. */
    async revokeDeskKeys(accountId: number, which: WhichKeys, atMs: number) {
      const ids = await liveKeys(database, accountId, which, atMs);
      if (ids.length === 0) return 0;
      const rows = await all(
        `UPDATE ${main}.tokens SET revoked_at = $1
        WHERE id IN (${ids.join(', ')}) AND ${isLiveKeyAt('$1')} RETURNING id`,
        [atMs],
      );
      return rows.length;
    },

    /** The key with this hash, live or not, and its account. */
    async findDeskKey(hash: string): Promise<{ key: DeskKey; account: Account } | undefined> {
      const [key] = await all<DeskKey>(
        `SELECT ${TOKEN} FROM ${main}.tokens WHERE hash = $1 AND role <> 'api'`,
        [hash],
      );
      if (key === undefined) return undefined;
      const query = `SELECT ${ACCOUNT_COLUMNS} FROM ${main}.accounts WHERE id = $1`;
      const [row] = await all<AccountRow>(query, [key.accountId]);
      return row && { key, account: accountOf(row) };
    },
  };
}

async function insert<T extends Token>(
  { dialect: { main }, all }: Queries,
  role: T['role'],
  token: NewToken,
): Promise<T> {
  const { accountId, hash, hint = '', label, createdAtMs, expiresAtMs } = token;
  const [row] = await all<T>(
    `INSERT INTO ${main}.tokens (account_id, hash, role, hint, label, created_at, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING ${TOKEN}`,
    [accountId, hash, role, hint, label, createdAtMs, expiresAtMs],
  );
  return row as T;
}

type WhichKeys = { readonly id: number } | { readonly name: string };

/** The ids of the live keys of an account that have this id, or a name that is equal as names of people are. */
async function liveKeys(
  { dialect: { main }, all }: Queries,
  accountId: number,
  which: WhichKeys,
  atMs: number,
): Promise<readonly number[]> {
  const keys = await all<{ id: number; label: string }>(
    `SELECT id, label FROM ${main}.tokens WHERE account_id = $1 AND ${isLiveKeyAt('$2')}`,
    [accountId, atMs],
  );
  const isMeant = ({ id, label }: (typeof keys)[number]) =>
    'id' in which ? id === which.id : foldName(label) === foldName(which.name);
  return keys.filter(isMeant).map(({ id }) => id);
}

function isLiveKeyAt(time: string): string {
  return `role <> 'api' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${time})`;
}
