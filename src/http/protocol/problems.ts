/** The table of all problems that a client may be told, with their statuses and sentences. */

import type { ServerResponse } from 'node:http';
import { count } from '@shiftfeed/common/quote';
import type { RefusalKind } from '../../feed/refusal.ts';
import { type Answer, jsonAnswer, listOf } from './exchange.ts';

/** The body of every error. */
export interface ErrorBody {
  readonly error: string;
}

export interface Problem {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Ends a request with a problem. */
export class Refused extends Error {
  readonly problem: Problem;
  /** For the log. */
  readonly warning: string | undefined;

  constructor(problem: Problem, warning?: string) {
    super(problem.message);
    this.name = 'Refused';
    this.problem = problem;
    this.warning = warning;
  }
}

/** For a client that has exceeded a rate limit. */
export function tooManyRequests(sentence: string, retryAfterSeconds: number): Refused {
  const wait = count(retryAfterSeconds, 'second', 'seconds');
  return new Refused({
    status: 429,
    message: `${sentence} Try again in ${wait}.`,
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

const CHALLENGE = 'Bearer realm="shiftfeed"';
const RETRY_AFTER_SECONDS = '2';
const STREAM_RETRY_AFTER_SECONDS = '30';
export const MAX_STREAMS_OF_TOKEN = 100;

export const REFUSALS: { readonly [K in RefusalKind]: Omit<Problem, 'message'> } = {
  'no-token': { status: 401, headers: { 'www-authenticate': CHALLENGE } },
  'dead-token': { status: 401, headers: { 'www-authenticate': `${CHALLENGE}, error="invalid_token"` } },
  'unknown-account': { status: 404 },
  'too-many-months': { status: 500 },
  'bad-parameters': { status: 400 },
};

/** What does not last long. */
function unavailable(message: string, retryAfterSeconds = RETRY_AFTER_SECONDS) {
  return { status: 503, message, headers: { 'retry-after': retryAfterSeconds } } as const;
}

export const MAX_URL_LENGTH = 16_384;
export const MAX_HEADER_BYTES = 32_768;

export const PROBLEMS = {
  wrongMethod: {
    status: 405,
    message: 'Shifts can only be read: expected the method GET, HEAD or OPTIONS.',
    headers: { allow: 'GET, HEAD, OPTIONS' },
  },
  readOnly: {
    status: 405,
    message: 'This can only be read: expected the method GET or HEAD.',
    headers: { allow: 'GET, HEAD' },
  },
  notAcceptable: {
    status: 406,
    message:
      'The Accept-Encoding header rules out every encoding: expected it to allow zstd, br, gzip or identity.',
  },
  badUrl: { status: 400, message: 'The URL is not valid: check its percent-encoding, and remove any #.' },
  longUrl: { status: 414, message: `The URL is longer than ${MAX_URL_LENGTH} characters.` },
  largeHeaders: {
    status: 431,
    message: `The URL and the headers together are larger than ${MAX_HEADER_BYTES} bytes.`,
  },
  slowRequest: { status: 408, message: 'The request took too long to arrive.' },
  noHost: { status: 400, message: 'The request has no Host header.' },
  badExpectation: {
    status: 417,
    message: 'The Expect header is not supported: expected 100-continue, or no such header.',
  },
  tooManyPipelined: {
    status: 429,
    message: 'Too many requests were sent ahead on this connection: wait for responses before sending more.',
    headers: { 'retry-after': RETRY_AFTER_SECONDS },
  },
  tooManyConnections: unavailable('The server has too many connections at the moment: try again soon.'),
  tooBusy: unavailable(
    'The server is compressing too many pages at the moment: try again soon, or accept the encoding identity.',
  ),
  overloaded: unavailable('The server has more requests than it can answer at the moment: try again soon.'),
  tooManyStreams: unavailable(
    'The server has too many streams open at the moment: try again later, or ask now and then.',
    STREAM_RETRY_AFTER_SECONDS,
  ),
  tooManyStreamsOfToken: unavailable(
    `This token has ${MAX_STREAMS_OF_TOKEN} streams open: close one, or ask for the listing now and then.`,
    STREAM_RETRY_AFTER_SECONDS,
  ),
  streamBody: { status: 400, message: 'A stream takes no body: send the request without one.' },
  streamRange: {
    status: 400,
    message: 'A stream has no ranges: leave out the Range header. Last-Event-ID says what is known already.',
  },
  streamAmongOthers: {
    status: 400,
    message: 'A stream needs a connection of its own: other requests were sent ahead on this one.',
  },
  stopping: unavailable('The server is about to stop: send requests to another one.'),
  internal: { status: 500, message: 'An internal error occurred.' },
  unavailable: unavailable('The database cannot be read at the moment: try again soon.'),
} as const satisfies Record<string, Problem>;

export function unknownPath(pathPrefix: string, hasPages: boolean): Problem {
  const description = hasPages ? 'docs' : 'openapi.json';
  return {
    status: 404,
    message:
      `There is nothing at this address: shifts are listed at ${pathPrefix}/<account>/api/v1/shifts, and ` +
      `${pathPrefix}/${description} describes the API.`,
  };
}

export function problemAnswer({ status, message, headers = {} }: Problem): Answer {
  const body: ErrorBody = { error: message };
  return jsonAnswer(status, body, ['cache-control', 'no-store', ...listOf(headers)]);
}

// An import would load everything that the module offers, fetch included, which takes a tenth of the startup time.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** An error response that no route sends. The connection is closed after it. */
export function respondAndClose(response: ServerResponse, problem: Problem): void {
  const { headers, body } = closingResponse(problem);
  response.writeHead(problem.status, headers).end(body);
}

/** The bytes of a whole response, for sockets without a response object. */
export function rawResponse(problem: Problem): string {
  const { headers, body } = closingResponse(problem);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`;
}

function closingResponse({ message, headers }: Problem) {
  const body = JSON.stringify({ error: message } satisfies ErrorBody);
  return {
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      connection: 'close',
      ...headers,
    },
  };
}
