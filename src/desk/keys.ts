/** Keys of the desk: how they are made, and what is told of them. */

import { hashToken, makeToken } from '../feed/access/token.ts';
import { type DeskKey, type NewDeskKey, stateOf } from '../store/admin/tokens.ts';
import type { Store } from '../store/store.ts';

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
  return {
    id: key.id,
    name: key.label,
    role: key.role,
    state: stateOf(key, true, nowMs),
    created_at: instant(key.createdAtMs),
    expires_at: instant(key.expiresAtMs),
    last_used_at: instant(key.lastUsedAtMs),
  };
}

export function instant(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
