/**
 * Who gets in, and how often. The token is looked at first, always: so a limit on failed tokens can slow down whoever
 * guesses, but never keeps out a live token that comes from the same address.
 */

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access, Feed } from '../../feed/feed.ts';
import { Refusal } from '../../feed/refusal.ts';
import { TooManyRequests } from '../errors.ts';
import { addressKey } from '../limits/client-key.ts';
import type { Allowance, Rate, RateLimiter } from '../limits/rate-limit.ts';
import { bearerToken } from './bearer.ts';

export interface Limits {
  /** On requests with a live token, by token. */
  readonly rateLimit?: RateLimiter | undefined;
  /** On requests with a token that is not live, by address. */
  readonly failedTokenLimit?: RateLimiter | undefined;
}

/** Lets a request in, or throws a Refusal or TooManyRequests. */
export async function admit(
  feed: Feed,
  { rateLimit, failedTokenLimit }: Limits,
  request: FastifyRequest<{ Params: { account: string } }>,
  reply: FastifyReply,
): Promise<Access> {
  const token = bearerToken(request.headers.authorization);
  const access = await feed.authorize(token, request.params.account).catch((error: unknown) => {
    if (failedTokenLimit && error instanceof Refusal && error.kind === 'dead-token') {
      const { isGranted, retryAfterSeconds } = failedTokenLimit.take(addressKey(request.ip));
      if (!isGranted) throw new TooManyRequests(tooManyFailures(failedTokenLimit.rate), retryAfterSeconds);
    }
    throw error;
  });
  if (rateLimit) {
    const allowance = rateLimit.take(access.tokenHash);
    reply.headers(limitHeaders(rateLimit.rate, allowance));
    if (!allowance.isGranted)
      throw new TooManyRequests(tooManyRequests(rateLimit.rate), allowance.retryAfterSeconds);
  }
  return access;
}

/** As of the IETF's draft "RateLimit header fields for HTTP". */
function limitHeaders({ quota, windowSeconds }: Rate, { remaining, fullInSeconds }: Allowance) {
  return {
    'ratelimit-policy': `"token";q=${quota};w=${windowSeconds}`,
    ratelimit: `"token";r=${remaining};t=${fullInSeconds}`,
  };
}

function tooManyRequests(rate: Rate): string {
  return `This token has asked too often: at most ${describe(rate)} are allowed.`;
}

function tooManyFailures(rate: Rate): string {
  return `Too many tokens from this address were not valid: at most ${describe(rate)} may have such a token.`;
}

function describe({ quota, windowSeconds }: Rate): string {
  return `${quota} requests in ${windowSeconds} ${windowSeconds === 1 ? 'second' : 'seconds'}`;
}
