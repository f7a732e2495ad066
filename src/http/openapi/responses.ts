/** The responses, by name: what each means, its headers and its body. */

import { type ErrorBody, PROBLEMS } from '../errors.ts';
import { examplesOf } from './examples.ts';
import { HEADERS, header } from './headers.ts';
import { reference, type SCHEMAS } from './schemas.ts';

const ALWAYS = {
  'X-Request-Id': header('RequestId'),
  'Access-Control-Allow-Origin': header('AllowedOrigin'),
  'Access-Control-Expose-Headers': header('ExposedHeaders'),
};
/** On every answer to a live token. */
const LIMITS = { RateLimit: header('RateLimit'), 'RateLimit-Policy': header('RateLimitPolicy') };
const OF_LISTING = {
  ...LIMITS,
  'Server-Timing': header('ServerTiming'),
  'Shiftfeed-Revision': header('Revision'),
  'Shiftfeed-Time-Zone': header('TimeZone'),
  'Shiftfeed-Stale': header('Stale'),
  'Cache-Control': header('AskFirst'),
  Vary: header('Vary'),
  ...ALWAYS,
};
const OF_DESCRIPTION = { 'Cache-Control': header('AskFirstPublic'), Vary: header('Vary'), ...ALWAYS };
export const RESPONSES = {
  Listing: {
    description: 'The shifts that match, one page of them.',
    headers: {
      Link: header('PageLinks'),
      ETag: header('EntityTag'),
      ...OF_LISTING,
      'Content-Encoding': header('Encoding'),
    },
    content: json('Listing', { examples: examplesOf(200) }),
  },
  ListingNotModified: {
    description: 'What you have is still right: `If-None-Match` names it.',
    headers: { ETag: header('EntityTag'), ...OF_LISTING },
  },
  Allowed: {
    description: 'What is allowed. Browsers ask this before they read from another origin.',
    headers: {
      ...ALWAYS,
      Allow: header('Allow'),
      'Access-Control-Allow-Methods': header('AllowedMethods'),
      'Access-Control-Allow-Headers': header('AllowedHeaders'),
      'Access-Control-Max-Age': header('PreflightAge'),
    },
  },
  Status: {
    description: 'All is well.',
    headers: ALWAYS,
    content: json('Status'),
  },
  Description: {
    description: 'This description.',
    headers: { ETag: header('EntityTag'), ...OF_DESCRIPTION, 'Content-Encoding': header('Encoding') },
    content: { 'application/json': { schema: { type: 'object' } } },
  },
  DescriptionNotModified: {
    description: 'What you have is still right.',
    headers: { ETag: header('EntityTag'), ...OF_DESCRIPTION },
  },
  BadRequest: problem(
    'A parameter is not right, or the request is not valid HTTP. The sentence names what is wrong and what is expected.',
    { examples: examplesOf(400) },
    {
      ...LIMITS,
      'X-Request-Id': {
        ...HEADERS.RequestId,
        description: 'As ever, unless the request was not even HTTP.',
        required: false,
      },
    },
  ),
  Unauthorized: problem(
    'The token is missing, not live, or of another account.',
    { examples: examplesOf(401) },
    { 'WWW-Authenticate': header('Challenge') },
  ),
  NotFound: problem('There is no such account, which only a live token is told, or nothing at this path.', {
    examples: examplesOf(404),
  }),
  WrongMethod: problem(
    'Another method than GET, HEAD or OPTIONS was used.',
    { examples: examplesOf(405) },
    { Allow: header('Allow') },
  ),
  NotAcceptable: problem(
    '`Accept-Encoding` allows nothing that there is: `zstd`, `br`, `gzip` or `identity`.',
    { examples: examplesOf(406) },
    LIMITS,
  ),
  SlowRequest: brokenRequest('The request did not arrive in time.', PROBLEMS.slowRequest),
  LongUrl: problem('The URL is too long.', sentenceOf(PROBLEMS.longUrl)),
  BadExpectation: brokenRequest('The `Expect` header cannot be met.', PROBLEMS.badExpectation),
  TooManyRequests: problem(
    'More requests than the operator allows. There is no limit unless the operator sets one.',
    {},
    { ...LIMITS, 'Retry-After': header('RetryAfter') },
  ),
  LargeHeaders: brokenRequest('The headers are too large.', PROBLEMS.largeHeaders),
  InternalError: problem(
    'Something went wrong on the server. The sentence also holds the id of the log entry.',
    sentenceOf(PROBLEMS.internal),
    LIMITS,
  ),
  Unavailable: problem('The database cannot be read at the moment.', sentenceOf(PROBLEMS.unavailable), {
    ...LIMITS,
    'Retry-After': header('RetryAfter'),
  }),
};

export function response(name: keyof typeof RESPONSES): { readonly $ref: string } {
  return { $ref: `#/components/responses/${name}` };
}

function problem(description: string, shown: object, headers: object = {}) {
  return {
    description,
    headers: { 'Cache-Control': header('NotKept'), ...ALWAYS, ...headers },
    content: json('Error', shown),
  };
}

/** The answer to a request that never became one: nobody knows its id or its origin. */
function brokenRequest(description: string, cause: ErrorCause) {
  return {
    description,
    headers: { 'Cache-Control': header('NotKept') },
    content: json('Error', sentenceOf(cause)),
  };
}

type ErrorCause = (typeof PROBLEMS)[keyof typeof PROBLEMS];

function sentenceOf({ message }: ErrorCause): { readonly example: ErrorBody } {
  return { example: { error: message } };
}

function json(schema: keyof typeof SCHEMAS, shown: object = {}) {
  return { 'application/json': { schema: reference(schema), ...shown } };
}
