/**
 * API tokens: made from 256 random bits, shown once, kept as a hash. A plain SHA-256 is enough for secrets that nobody
 * can guess, and lets a request find its token with one index look-up.
 */

import { hash, randomBytes } from 'node:crypto';
import type { LiveToken } from '../../store/feed-store.ts';

/** Says what a leaked string is to whoever finds it. */
const PREFIX = 'shiftfeed_';
const HINT_CHARACTERS = 4;

export function makeToken(): string {
  return PREFIX + randomBytes(32).toString('base64url');
}

/** How a token begins: enough to tell which one of some it is, and no help in guessing the rest. */
export function hintOf(token: string): string {
  return token.slice(0, PREFIX.length + HINT_CHARACTERS);
}

export function hashToken(token: string): string {
  return hash('sha256', token);
}

/** Whether a token that was live when the database was asked still is: the answer may be repeated later. */
export function isLive({ expiresAtMs }: LiveToken, nowMs: number): boolean {
  return expiresAtMs === null || nowMs < expiresAtMs;
}
