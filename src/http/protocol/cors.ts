/**
 * Lets pages of the origins that the operator allows read responses. Other origins get no CORS headers, so browsers
 * refuse them access.
 */

import type { Exchange } from './exchange.ts';

const EXPOSED_HEADERS =
  'ETag, Last-Modified, Link, RateLimit, RateLimit-Policy, Retry-After, Server-Timing, Shiftfeed-Listing, Shiftfeed-Revision, Shiftfeed-Stale, Shiftfeed-Time-Zone, X-Request-Id';
const ALLOWED_HEADERS = 'Authorization, If-None-Match, Prefer, X-Request-Id';
const PREFLIGHT_MAX_AGE_SECONDS = 600;

export function allowOrigin(origins: ReadonlySet<string>, { request, headers }: Exchange): void {
  const { origin } = request.headers;
  if (origin === undefined || !origins.has(origin)) return;
  headers.push('access-control-allow-origin', origin, 'access-control-expose-headers', EXPOSED_HEADERS);
  if (request.method !== 'OPTIONS') return;
  headers.push(
    ...['access-control-allow-methods', 'GET, HEAD'],
    ...['access-control-allow-headers', ALLOWED_HEADERS],
    ...['access-control-max-age', PREFLIGHT_MAX_AGE_SECONDS],
  );
}
