/** The response headers that the API speaks of. Those of HTTP's own business, such as Date, go without saying. */

import { CACHE_HEADERS } from '../listing/response.ts';

const TEXT = { type: 'string' } as const;
const SECONDS = { type: 'integer', minimum: 0 } as const;

export const HEADERS = {
  RequestId: {
    description:
      'The id that the request had in its own `X-Request-Id`, or a new one. Operators find it in their logs.',
    required: true,
    schema: { type: 'string', pattern: '^[\\w.:/+=-]{1,128}$' },
  },
  EntityTag: {
    description:
      'Send it back in `If-None-Match`: as long as nothing that you see has changed, the answer is 304.',
    required: true,
    schema: { type: 'string', pattern: '^"[^"]+"$' },
  },
  PageLinks: {
    description:
      'The pages `first`, `prev`, `next` and `last` (RFC 8288), with all filters kept. Follow `next` until there is none, and ' +
      'resolve it against the URL you asked for. Links of queries that are thousands of characters long are left out, `next` ' +
      'at last: count pages by `meta.total_pages` then.',
    schema: TEXT,
    example:
      '</acme/api/v1/shifts?months=12&page=1>; rel="first", </acme/api/v1/shifts?months=12&page=3>; rel="next"',
  },
  Revision: {
    description:
      'Grows with every change of what the account shows. If it differs between two pages, the plan moved in between.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  TimeZone: {
    description:
      'The IANA name of the time zone in which dates and times are meant, and in which "today" is.',
    required: true,
    schema: TEXT,
    example: 'Europe/Lisbon',
  },
  Stale: {
    description:
      'Only while the database is away, and if the operator allows it: how many seconds ago it was last asked. The listing is ' +
      'as it was then.',
    schema: SECONDS,
  },
  AskFirst: {
    description: 'May be kept, but not by shared caches, and not shown again without asking.',
    required: true,
    schema: { type: 'string', const: CACHE_HEADERS['cache-control'] },
  },
  AskFirstPublic: {
    description: 'May be kept, but not shown again without asking.',
    required: true,
    schema: { type: 'string', const: 'no-cache' },
  },
  NotKept: {
    description: 'Errors are not kept.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
  Vary: { description: 'The request headers that the response depends on.', required: true, schema: TEXT },
  Encoding: {
    description: 'How the body is compressed, if it is.',
    schema: { type: 'string', enum: ['zstd', 'br', 'gzip'] },
  },
  Challenge: {
    description: 'The challenge of RFC 6750, with `error="invalid_token"` when a token was sent.',
    required: true,
    schema: { type: 'string', pattern: '^Bearer realm="shiftfeed"' },
  },
  Allow: {
    description: 'The methods that there are.',
    required: true,
    schema: { type: 'string', enum: ['GET, HEAD, OPTIONS', 'GET, HEAD'] },
  },
  RetryAfter: {
    description: 'How many seconds to wait before trying again.',
    required: true,
    schema: SECONDS,
  },
  RateLimit: {
    description:
      'Only if the operator limits requests: how many are left right now (`r`), and in how many seconds all of them would be ' +
      'back (`t`).',
    schema: { type: 'string', pattern: '^"token";r=\\d+;t=\\d+$' },
  },
  RateLimitPolicy: {
    description:
      'Only if the operator limits requests: how many (`q`) are allowed in how many seconds (`w`).',
    schema: { type: 'string', pattern: '^"token";q=\\d+;w=\\d+$' },
  },
  ServerTiming: {
    description: 'Only for requests with `Prefer: server-timing`: how many milliseconds each stage took.',
    schema: TEXT,
  },
  AllowedOrigin: {
    description: 'The origin of the page that asks, if the operator allows it.',
    schema: TEXT,
  },
  ExposedHeaders: { description: 'What scripts of an allowed origin may read.', schema: TEXT },
  AllowedMethods: { description: 'What scripts of an allowed origin may use.', schema: TEXT },
  AllowedHeaders: { description: 'What scripts of an allowed origin may send.', schema: TEXT },
  PreflightAge: { description: 'For how many seconds a browser need not ask again.', schema: SECONDS },
} as const;

export function header(name: keyof typeof HEADERS): { readonly $ref: string } {
  return { $ref: `#/components/headers/${name}` };
}
