/**
 * API tokens: 256 random bits, shown once and stored as a hash. A plain SHA-256 is enough for secrets that nobody can
 * guess, and lets a request find its token with one index look-up.
 */

import { hash, randomBytes } from 'node:crypto';

/** Tells whoever finds a leaked string what it is. */
const PREFIX = 'shiftfeed_';
const HINT_CHARACTERS = 4;

export function makeToken(): string {
  return PREFIX + randomBytes(32).toString('base64url');
}

/** The first characters of a token: enough to tell some tokens apart, and no help in guessing the rest. */
export function hintOf(token: string): string {
  return token.slice(0, PREFIX.length + HINT_CHARACTERS);
}

export function hashToken(token: string): string {
  return hash('sha256', token);
}
