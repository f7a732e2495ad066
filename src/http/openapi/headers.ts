/** The response headers of the API. General ones such as Date are left out. */

import { CACHE_CONTROL } from '../listing/response.ts';

const TEXT = { type: 'string' } as const;
const SECONDS = { type: 'integer', minimum: 0 } as const;

export const HEADERS = {
  RequestId: {
    description: 'The `X-Request-Id` of the request, or a new id. Operators find it in their logs.',
    required: true,
    schema: { type: 'string', pattern: '^[\\w.:/+=-]{1,128}$' },
  },
  EntityTag: {
    description: 'Send it back in `If-None-Match`: the response is 304 as long as the page has not changed.',
    required: true,
    schema: { type: 'string', pattern: '^"[^"]+"$' },
  },
  PageLinks: {
    description:
      'The pages `first`, `prev`, `next` and `last` (RFC 8288), with all filters kept. Follow `next` until there is none, and ' +
      'resolve it against the URL that you requested. If the query is thousands of characters long, links are left out, `next` ' +
      'last of all: then count up to `meta.total_pages`.',
    schema: TEXT,
    example:
      '</acme/api/v1/shifts?months=12&page=1>; rel="first", </acme/api/v1/shifts?months=12&page=3>; rel="next"',
  },
  LastModified: {
    description:
      'When the months that the query touches were last written to. Left out if they never were. Shifts that are published at ' +
      'midnight do not change it, so `If-Modified-Since` is ignored: use the `ETag`.',
    schema: {
      type: 'string',
      pattern: '^[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4} \\d{2}:\\d{2}:\\d{2} GMT$',
    },
    example: 'Mon, 16 Nov 2026 09:30:00 GMT',
  },
  ListingTag: {
    description:
      'Names the state of the listing. It is the same on all pages, whatever `per_page` and encoding. If it differs between two ' +
      'pages, shifts may have moved from one to the other. Writes to months that the query does not touch keep it.',
    required: true,
    schema: { type: 'string', pattern: '^[\\w-]+$' },
  },
  Revision: {
    description: 'Grows with every change to what the account shows, whatever the query touches.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  TimeZone: {
    description:
      'The IANA name of the time zone of the account. Dates, times and "today" are meant in this zone.',
    required: true,
    schema: TEXT,
    example: 'Europe/Lisbon',
  },
  Stale: {
    description:
      'Sent only while the database is unavailable, and only if the operator allows it. The listing is as it was this many seconds ago.',
    schema: SECONDS,
  },
  PrivateNoCache: {
    description:
      'Clients may store the response, but must revalidate it before each use. Shared caches must not store it.',
    required: true,
    schema: { type: 'string', const: CACHE_CONTROL },
  },
  NoCache: {
    description: 'Caches may store the response, but must revalidate it before each use.',
    required: true,
    schema: { type: 'string', const: 'no-cache' },
  },
  NoStore: {
    description: 'Errors must not be stored.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
  Vary: { description: 'The request headers that the response depends on.', required: true, schema: TEXT },
  Encoding: {
    description: 'The compression of the body, if any.',
    schema: { type: 'string', enum: ['zstd', 'br', 'gzip'] },
  },
  Challenge: {
    description: 'The challenge of RFC 6750, with `error="invalid_token"` when a token was sent.',
    required: true,
    schema: { type: 'string', pattern: '^Bearer realm="shiftfeed"' },
  },
  Allow: {
    description: 'The allowed methods.',
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
      'Sent only if the operator limits requests: how many are left right now (`r`), and after how many seconds the whole ' +
      'quota is available again (`t`).',
    schema: { type: 'string', pattern: '^"token";r=\\d+;t=\\d+$' },
  },
  RateLimitPolicy: {
    description:
      'Sent only if the operator limits requests: how many (`q`) are allowed in how many seconds (`w`).',
    schema: { type: 'string', pattern: '^"token";q=\\d+;w=\\d+$' },
  },
  ServerTiming: {
    description: 'Sent only to requests with `Prefer: server-timing`: how many milliseconds each stage took.',
    schema: TEXT,
  },
  AllowedOrigin: {
    description: 'The origin of the requesting page, if the operator allows it.',
    schema: TEXT,
  },
  ExposedHeaders: {
    description: 'The response headers that scripts of an allowed origin may read.',
    schema: TEXT,
  },
  AllowedMethods: { description: 'The methods that scripts of an allowed origin may use.', schema: TEXT },
  AllowedHeaders: {
    description: 'The request headers that scripts of an allowed origin may send.',
    schema: TEXT,
  },
  PreflightMaxAge: {
    description: 'For how many seconds a browser may cache this response.',
    schema: SECONDS,
  },
} as const;

export function header(name: keyof typeof HEADERS): { readonly $ref: string } {
  return { $ref: `#/components/headers/${name}` };
}
