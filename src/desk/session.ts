/**
 * Who asks. A key comes once, from the fragment of a link, and is kept by the browser as a cookie. The database holds
 * hashes only, and is asked at every request, so a key that was revoked or has expired ends with the next one.
 */

import type { IncomingMessage } from 'node:http';
import { hashToken } from '../feed/access/token.ts';
import { clientKey } from '../http/limits/client-address.ts';
import { makeRateLimiter } from '../http/limits/rate-limit.ts';
import { tooManyRequests } from '../http/protocol/problems.ts';
import type { Account } from '../store/account.ts';
import { type DeskRole, stateOf } from '../store/admin/tokens.ts';
import type { DeskDatabase } from './database.ts';
import { DeskRefusal } from './request.ts';

export interface Session {
  /** The name of who has the key, as the history shows it. */
  readonly name: string;
  readonly role: DeskRole;
  readonly slug: string;
  /** undefined: the first import makes it. */
  readonly account: Account | undefined;
  readonly expiresAtMs: number | null;
}

interface SessionOptions {
  readonly database: DeskDatabase;
  /** A key that only this process knows, of an owner. */
  readonly runKey: { readonly slug: string; readonly hash: string } | undefined;
  readonly isSecure: boolean;
  readonly nowMs: () => number;
}

/** What the history calls whoever started the desk. */
const WHO_STARTED_IT = 'desk';
const WRONG_KEYS = { quota: 10, windowSeconds: 60 };
const HOUR_MS = 60 * 60 * 1_000;
/** Browsers keep no cookie for longer. */
const MAX_AGE_SECONDS = 400 * 24 * 60 * 60;

export type Sessions = ReturnType<typeof makeSessions>;

export function makeSessions({ database, runKey, isSecure, nowMs }: SessionOptions) {
  const cookie = isSecure ? '__Host-shiftfeed_desk' : 'shiftfeed_desk';
  const attributes = `HttpOnly; SameSite=Strict; Path=/${isSecure ? '; Secure' : ''}`;
  const wrongKeys = makeRateLimiter(WRONG_KEYS, nowMs);

  const isOfThisRun = (key: string) => hashToken(key) === runKey?.hash;

  async function sessionOf(key: string): Promise<Session | undefined> {
    const store = await database.store();
    if (runKey !== undefined && isOfThisRun(key)) {
      const account = await store.findAccount(runKey.slug);
      return { name: WHO_STARTED_IT, role: 'owner', slug: runKey.slug, account, expiresAtMs: null };
    }
    const hash = hashToken(key);
    const found = await store.findDeskKey(hash);
    if (found === undefined || stateOf(found.key, true, nowMs()) !== 'live') return undefined;
    const { label, role, expiresAtMs, lastUsedAtMs } = found.key;
    const hour = Math.floor(nowMs() / HOUR_MS) * HOUR_MS;
    if ((lastUsedAtMs ?? 0) < hour) database.noteUse(hash, hour);
    return { name: label, role, slug: found.account.slug, account: found.account, expiresAtMs };
  }

  function countWrongKey(address: string): void {
    const { isAllowed, retryAfterSeconds } = wrongKeys.take(clientKey(address));
    if (!isAllowed) throw tooManyRequests('Too many wrong keys came from this address.', retryAfterSeconds);
  }

  return {
    /** undefined: there is no cookie, or its key is not live. */
    async find({ headers }: IncomingMessage): Promise<Session | undefined> {
      const key = cookieOf(headers.cookie ?? '', cookie);
      return key === undefined ? undefined : sessionOf(key);
    },

    /** Whose key was sent, and the cookie for it. */
    async begin(key: unknown, address: string) {
      const text = typeof key === 'string' && KEY.test(key) ? key : '';
      const session = text === '' ? undefined : await sessionOf(text);
      // A browser with the cookie of yesterday guesses nothing, so only what is sent here is counted.
      if (session === undefined) {
        countWrongKey(address);
        throw new DeskRefusal(401, 'This link is not valid any more: ask for a new one.');
      }
      const { expiresAtMs } = session;
      const leftSeconds = expiresAtMs === null ? MAX_AGE_SECONDS : Math.ceil((expiresAtMs - nowMs()) / 1_000);
      // The key of this run ends with it, and the browser need not keep it longer than it runs itself.
      const age = isOfThisRun(text) ? '' : `; Max-Age=${Math.min(leftSeconds, MAX_AGE_SECONDS)}`;
      return { session, cookie: `${cookie}=${text}; ${attributes}${age}` };
    },

    /** The cookie that ends a session. */
    ended: `${cookie}=; ${attributes}; Max-Age=0`,
  };
}

const KEY = /^[\w-]{1,200}$/;

function cookieOf(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const [key = '', value = ''] = pair.split('=', 2).map((part) => part.trim());
    if (key === name && KEY.test(value)) return value;
  }
  return undefined;
}
