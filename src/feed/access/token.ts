/**
 * Tokens of the API and keys of the desk: 256 random bits, shown once and stored as a hash. A plain SHA-256 is enough for secrets that nobody can
 * guess, and lets a request find its token with one index look-up.
 */

import { hash, randomBytes } from 'node:crypto';
import type { Account } from '../../store/account.ts';
import {
  type DeskKey,
  type NewDeskKey,
  stateOf,
  type Token,
  type TokenStore,
} from '../../store/admin/tokens.ts';
import { isAway, StoreFailure } from '../../store/failure.ts';
import type { ServerStore } from '../../store/server-store.ts';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../waiting.ts';

/** Tells whoever finds a leaked string what it is. */
const PREFIX = 'shiftfeed_';
const HINT_CHARACTERS = 4;

/** `kind` tells keys of the desk from tokens. */
export function makeToken(kind = ''): string {
  return PREFIX + kind + randomBytes(32).toString('base64url');
}

/** Stores the hash of a new token. Its text is kept nowhere. */
export async function issueToken(
  store: Pick<TokenStore, 'addToken'>,
  account: Account,
  label: string,
  expiresAtMs: number | null,
  nowMs: number,
): Promise<{ text: string; token: Token }> {
  if (!account.premium) {
    throw new StoreFailure(
      'refused',
      `The account ${account.slug} is not premium, and only premium accounts have tokens: ` +
        `"shiftfeed account set ${account.slug} --premium true" changes that.`,
    );
  }
  const text = makeToken();
  const secrets = { hash: hashToken(text), hint: hintOf(text) };
  const times = { createdAtMs: nowMs, expiresAtMs };
  const token = await store.addToken({ accountId: account.id, ...secrets, label, ...times });
  return { text, token };
}

/** The first characters of a token: enough to tell some tokens apart, and no help in guessing the rest. */
function hintOf(token: string): string {
  return token.slice(0, PREFIX.length + HINT_CHARACTERS);
}

export function hashToken(token: string): string {
  return hash('sha256', token);
}

const HOUR_MS = 3_600_000;
/** Beyond this number, uses are forgotten and written again, which changes nothing. */
const MAX_KNOWN_TOKENS = 100_000;

/**
 * Records when tokens are used, by the hour. A request only records the use in memory, and a timer writes it later, so
 * a request never writes. A failed write is tried again; uses that are not written before the process ends are lost.
 */
export function keepTokenUses(store: Pick<ServerStore, 'writeUses'>, clock: Clock) {
  /** The last recorded hour of each token. */
  const known = new Map<string, number>();
  let unwritten = new Map<string, number>();
  /** After a failure, the earliest time of the next attempt. */
  let resumeMs = Number.NEGATIVE_INFINITY;

  return {
    note(tokenHash: string): void {
      const nowMs = clock();
      const hourMs = nowMs - (nowMs % HOUR_MS);
      if (known.get(tokenHash) === hourMs) return;
      if (known.size >= MAX_KNOWN_TOKENS) known.clear();
      known.set(tokenHash, hourMs);
      unwritten.set(tokenHash, hourMs);
    },

    /** Writes the uses since the last write. Never rejects; resolves to the reason if they could not be written. */
    async write(): Promise<unknown> {
      if (unwritten.size === 0 || clock() < resumeMs) return undefined;
      const uses = unwritten;
      unwritten = new Map();
      try {
        await store.writeUses(uses);
        return undefined;
      } catch (error) {
        // Uses that were recorded meanwhile are newer.
        unwritten = new Map([...uses, ...unwritten]);
        if (!isAway(error)) resumeMs = clock() + HOUR_MS;
        return error;
      }
    },
  };
}

export const DEFAULT_KEY_EXPIRY = '90d';

export function makeKey(): string {
  return makeToken('desk_');
}

/** Stores the hash of a new key. Returns its text, which is kept nowhere; undefined if somebody of that name has one. */
export async function issueKey(
  store: Pick<Store, 'addDeskKey'>,
  given: Omit<NewDeskKey, 'hash' | 'createdAtMs'>,
  nowMs: number,
): Promise<string | undefined> {
  const text = makeKey();
  const key = await store.addDeskKey({ ...given, hash: hashToken(text), createdAtMs: nowMs });
  return key && text;
}

/** The key is in the fragment, which browsers do not send, so no log has it. */
export function linkOf(url: string, key: string): string {
  return `${url}/#key=${key}`;
}

export function describeKey(key: DeskKey, nowMs: number): object {
  return { id: key.id, name: key.label, role: key.role, ...lifeOf(key, true, nowMs) };
}

/** From when until when a token can be used. */
export function lifeOf(token: Token, isPremium: boolean, nowMs: number) {
  return {
    state: stateOf(token, isPremium, nowMs),
    created_at: instant(token.createdAtMs),
    expires_at: instant(token.expiresAtMs),
    last_used_at: instant(token.lastUsedAtMs),
  };
}

export function instant(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
