/** The responses by name, each with its meaning, headers and body. */

import { type ErrorBody, PROBLEMS } from '../protocol/problems.ts';
import { examplesOf } from './examples.ts';
import { HEADERS, header } from './headers.ts';
import { reference, type SCHEMAS } from './schemas.ts';

const COMMON_HEADERS = {
  'X-Request-Id': header('RequestId'),
  'Access-Control-Allow-Origin': header('AllowedOrigin'),
  'Access-Control-Expose-Headers': header('ExposedHeaders'),
};
/** Sent with every response to a live token. */
const RATE_LIMIT_HEADERS = { RateLimit: header('RateLimit'), 'RateLimit-Policy': header('RateLimitPolicy') };
const LISTING_HEADERS = {
  ...RATE_LIMIT_HEADERS,
  'Server-Timing': header('ServerTiming'),
  'Last-Modified': header('LastModified'),
  'Shiftfeed-Listing': header('ListingTag'),
  'Shiftfeed-Revision': header('Revision'),
  'Shiftfeed-Time-Zone': header('TimeZone'),
  'Shiftfeed-Stale': header('Stale'),
  'Cache-Control': header('PrivateNoCache'),
  Vary: header('Vary'),
  ...COMMON_HEADERS,
};
const DESCRIPTION_HEADERS = { 'Cache-Control': header('NoCache'), Vary: header('Vary'), ...COMMON_HEADERS };
export const RESPONSES = {
  Listing: {
    description: 'One page of the matching shifts.',
    headers: {
      Link: header('PageLinks'),
      ETag: header('EntityTag'),
      ...LISTING_HEADERS,
      'Content-Encoding': header('Encoding'),
    },
    content: json('Listing', { examples: examplesOf(200) }),
  },
  ListingNotModified: {
    description: 'The response that `If-None-Match` names is still current.',
    headers: { ETag: header('EntityTag'), ...LISTING_HEADERS },
  },
  Allowed: {
    description: 'The allowed methods. Browsers send this request before they read from another origin.',
    headers: {
      ...COMMON_HEADERS,
      Allow: header('Allow'),
      'Access-Control-Allow-Methods': header('AllowedMethods'),
      'Access-Control-Allow-Headers': header('AllowedHeaders'),
      'Access-Control-Max-Age': header('PreflightMaxAge'),
    },
  },
  Status: {
    description: 'All is well.',
    headers: COMMON_HEADERS,
    content: json('Status'),
  },
  Description: {
    description: 'This description.',
    headers: { ETag: header('EntityTag'), ...DESCRIPTION_HEADERS, 'Content-Encoding': header('Encoding') },
    content: { 'application/json': { schema: { type: 'object' } } },
  },
  DescriptionNotModified: {
    description: 'The description that `If-None-Match` names is still current.',
    headers: { ETag: header('EntityTag'), ...DESCRIPTION_HEADERS },
  },
  BadRequest: error(
    'A parameter is invalid, or the request is not valid HTTP. The message says what is wrong and what is expected.',
    { examples: examplesOf(400) },
    {
      ...RATE_LIMIT_HEADERS,
      'X-Request-Id': {
        ...HEADERS.RequestId,
        description: 'The id of the request. Missing when the request was not valid HTTP.',
        required: false,
      },
    },
  ),
  Unauthorized: error(
    'The token is missing, not live, or belongs to another account.',
    { examples: examplesOf(401) },
    { 'WWW-Authenticate': header('Challenge') },
  ),
  NotFound: error('There is no such account (only a live token learns that), or nothing at this path.', {
    examples: examplesOf(404),
  }),
  WrongMethod: error(
    'The method is not GET, HEAD or OPTIONS.',
    { examples: examplesOf(405) },
    { Allow: header('Allow') },
  ),
  NotAcceptable: error(
    '`Accept-Encoding` allows none of `zstd`, `br`, `gzip` and `identity`.',
    { examples: examplesOf(406) },
    RATE_LIMIT_HEADERS,
  ),
  SlowRequest: rejectedRequest('The request did not arrive in time.', PROBLEMS.slowRequest),
  LongUrl: error('The URL is too long.', exampleOf(PROBLEMS.longUrl)),
  BadExpectation: rejectedRequest('The `Expect` header is not supported.', PROBLEMS.badExpectation),
  TooManyRequests: error(
    'More requests than the operator allows. There is no rate limit unless the operator sets one.',
    {},
    { ...RATE_LIMIT_HEADERS, 'Retry-After': header('RetryAfter') },
  ),
  LargeHeaders: rejectedRequest('The headers are too large.', PROBLEMS.largeHeaders),
  InternalError: error(
    'Something went wrong on the server. The message also contains the id of the log entry.',
    exampleOf(PROBLEMS.internal),
    RATE_LIMIT_HEADERS,
  ),
  Unavailable: error('The database cannot be read at the moment.', exampleOf(PROBLEMS.unavailable), {
    ...RATE_LIMIT_HEADERS,
    'Retry-After': header('RetryAfter'),
  }),
};

export function response(name: keyof typeof RESPONSES): { readonly $ref: string } {
  return { $ref: `#/components/responses/${name}` };
}

function error(description: string, example: object, headers: object = {}) {
  return {
    description,
    headers: { 'Cache-Control': header('NoStore'), ...COMMON_HEADERS, ...headers },
    content: json('Error', example),
  };
}

/** The response to a request that reaches no route: it has neither an id nor CORS headers. */
function rejectedRequest(description: string, problem: KnownProblem) {
  return {
    description,
    headers: { 'Cache-Control': header('NoStore') },
    content: json('Error', exampleOf(problem)),
  };
}

type KnownProblem = (typeof PROBLEMS)[keyof typeof PROBLEMS];

function exampleOf({ message }: KnownProblem): { readonly example: ErrorBody } {
  return { example: { error: message } };
}

function json(schema: keyof typeof SCHEMAS, example: object = {}) {
  return { 'application/json': { schema: reference(schema), ...example } };
}
