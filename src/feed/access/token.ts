/**
 * API tokens: 256 random bits, shown once and stored as a hash. A plain SHA-256 is enough for secrets that nobody can
 * guess, and lets a request find its token with one index look-up.
 */

import { hash, randomBytes } from 'node:crypto';
import type { Account } from '../../store/account.ts';
import type { Token, TokenStore } from '../../store/admin/tokens.ts';
import { StoreFailure } from '../../store/failure.ts';

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
