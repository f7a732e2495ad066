/**
 * Decides who may read, and how often. The token is always checked first. So the limit on failed tokens slows down
 * guessing, but never locks out a live token that comes from the same address.
 */

import type { IncomingMessage } from 'node:http';
import { memoize } from '@shiftfeed/common/memoize';
import { count } from '@shiftfeed/common/quote';
import type { Access } from '../../feed/access/freshness.ts';
import { hashToken } from '../../feed/access/token.ts';
import type { Feed } from '../../feed/feed.ts';
import { Refusal } from '../../feed/refusal.ts';
import { type AddressOf, clientKey } from '../limits/client-address.ts';
import type { Rate, RateLimiter, RateLimitState } from '../limits/rate-limit.ts';
import type { Exchange, HeaderList } from '../protocol/exchange.ts';
import { tooManyRequests } from '../protocol/problems.ts';

export interface TokenLimiters {
  /** Limits requests with a live token, by token. Undefined unless the operator sets it, like the next one. */
  readonly rateLimit: RateLimiter | undefined;
  /** Limits requests with a dead token, by client address. */
  readonly failedTokenLimit: RateLimiter | undefined;
  /** The address of the client that sent a request. */
  readonly addressOf: AddressOf;
}

/** Throws a Refusal, or Refused, when the request may not read. */
export async function admit(
  feed: Feed,
  { rateLimit, failedTokenLimit, addressOf }: TokenLimiters,
  { request, headers }: Exchange,
  account: string,
): Promise<Access> {
  const tokenHash = tokenHashOf(request);
  try {
    const access = await feed.open(tokenHash, account);
    if (!liveTokens.has(access.tokenHash)) rememberLive(access.tokenHash);
    if (rateLimit) countRequest(rateLimit, access.tokenHash, headers);
    return access;
  } catch (error) {
    const isFailedToken = error instanceof Refusal && error.kind === 'dead-token';
    if (tokenHash && isFailedToken) liveTokens.delete(tokenHash);
    if (failedTokenLimit && isFailedToken) countFailedToken(failedTokenLimit, addressOf(request));
    throw error;
  }
}

/** Who asks, as far as that is known before the token is checked: a token that was live lately, or an address. */
export function askerOf(request: IncomingMessage, addressOf: AddressOf): string {
  const tokenHash = tokenHashOf(request);
  return tokenHash && liveTokens.has(tokenHash) ? tokenHash : clientKey(addressOf(request));
}

/**
 * Hashes of tokens that were live when they were last checked. Only a token that is live gets in, so whoever makes up
 * tokens pushes none out.
 */
const liveTokens = new Set<string>();
const MAX_LIVE_TOKENS = 10_000;

function rememberLive(tokenHash: string): void {
  liveTokens.add(tokenHash);
  const [oldest] = liveTokens;
  if (liveTokens.size > MAX_LIVE_TOKENS && oldest !== undefined) liveTokens.delete(oldest);
}

function tokenHashOf({ headers: { authorization } }: IncomingMessage): string | undefined {
  return authorization === undefined ? undefined : bearerOf(authorization).tokenHash;
}

/** Many requests share few tokens, so finding and hashing one is done once. */
const MAX_MEMOIZED_TOKENS = 2_000;

/** Reads an `Authorization: Bearer …` header (RFC 6750). */
const bearerOf = memoize((authorization: string): { readonly tokenHash: string | undefined } => {
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  return { tokenHash: token && hashToken(token) };
}, MAX_MEMOIZED_TOKENS);

function countFailedToken(limiter: RateLimiter, address: string): void {
  const { isAllowed, retryAfterSeconds } = limiter.take(clientKey(address));
  if (isAllowed) return;
  throw tooManyRequests(
    `Too many invalid tokens came from this address: at most ${describe(limiter.rate)} may carry one.`,
    retryAfterSeconds,
  );
}

function countRequest(limiter: RateLimiter, tokenHash: string, headers: HeaderList): void {
  const state = limiter.take(tokenHash);
  headers.push(...rateLimitHeaders(limiter.rate, state));
  if (state.isAllowed) return;
  throw tooManyRequests(
    `This token has sent too many requests: at most ${describe(limiter.rate)} are allowed.`,
    state.retryAfterSeconds,
  );
}

/** The fields of the IETF draft "RateLimit header fields for HTTP". */
function rateLimitHeaders(
  { quota, windowSeconds }: Rate,
  { remaining, fullInSeconds }: RateLimitState,
): HeaderList {
  return [
    ...['ratelimit-policy', `"token";q=${quota};w=${windowSeconds}`],
    ...['ratelimit', `"token";r=${remaining};t=${fullInSeconds}`],
  ];
}

function describe({ quota, windowSeconds }: Rate): string {
  return `${quota} requests in ${count(windowSeconds, 'second', 'seconds')}`;
}
