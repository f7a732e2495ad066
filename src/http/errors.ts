/**
 * Errors → responses. Every one of them, from a wrong parameter to a request that is not even HTTP, has the
 * body {"error": sentence}. What is not expected is logged and told as an internal error: neither
 * stack traces nor data leave the process.
 */

import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, type RefusalKind } from '../feed/refusal.ts';
import { StoreFailure } from '../store/failure.ts';
import type { ProblemLog } from './observe/problem-log.ts';
import { noteRequest } from './observe/request-log.ts';

// Not imported: an import loads whatever the module offers, fetch included, which takes a tenth of the time to start.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** The body of every error. */
export interface ErrorBody {
  readonly error: string;
}

export interface Problem {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** More was asked of the service than the operator allows. */
export class TooManyRequests extends Error {
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.name = 'TooManyRequests';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** There is no room for the work that a request asks for, and nothing cheaper that it would take instead. */
export class TooBusy extends Error {}

const CHALLENGE = 'Bearer realm="shiftfeed"';
const RETRY_AFTER_SECONDS = '2';

const REFUSALS: { readonly [K in RefusalKind]: Omit<Problem, 'message'> } = {
  'no-token': { status: 401, headers: { 'www-authenticate': CHALLENGE } },
  'dead-token': { status: 401, headers: { 'www-authenticate': `${CHALLENGE}, error="invalid_token"` } },
  'unknown-account': { status: 404 },
  'bad-parameters': { status: 400 },
};

export const MAX_URL_LENGTH = 16_384;
export const MAX_HEADER_BYTES = 32_768;

export const PROBLEMS = {
  wrongMethod: {
    status: 405,
    message: 'Shifts can only be read: expected the method GET, HEAD or OPTIONS.',
    headers: { allow: 'GET, HEAD, OPTIONS' },
  },
  onlyRead: {
    status: 405,
    message: 'This can only be read: expected the method GET or HEAD.',
    headers: { allow: 'GET, HEAD' },
  },
  notAcceptable: {
    status: 406,
    message:
      'The Accept-Encoding header refuses everything: expected one of zstd, br, gzip or identity to be allowed.',
  },
  badUrl: { status: 400, message: 'The URL is not valid: check its percent-encoding, and that it has no #.' },
  longUrl: { status: 414, message: `The URL is longer than ${MAX_URL_LENGTH} characters.` },
  largeHeaders: {
    status: 431,
    message: `The URL and the headers are together larger than ${MAX_HEADER_BYTES} bytes.`,
  },
  slowRequest: { status: 408, message: 'The request took too long to arrive.' },
  noHost: { status: 400, message: 'The request has no Host header.' },
  badExpectation: {
    status: 417,
    message: 'The Expect header asks for something that this server does not do.',
  },
  tooFarAhead: {
    status: 429,
    message: 'Too many requests were sent ahead on this connection: wait for answers before sending more.',
    headers: { 'retry-after': RETRY_AFTER_SECONDS },
  },
  crowded: {
    status: 503,
    message: 'The server has too many connections at the moment: try again soon.',
    headers: { 'retry-after': RETRY_AFTER_SECONDS },
  },
  busy: {
    status: 503,
    message: 'The server is compressing too many pages at the moment: try again soon, or accept identity.',
    headers: { 'retry-after': RETRY_AFTER_SECONDS },
  },
  internal: { status: 500, message: 'An internal error occurred.' },
  unavailable: {
    status: 503,
    message: 'The database cannot be read at the moment: try again soon.',
    headers: { 'retry-after': RETRY_AFTER_SECONDS },
  },
} as const satisfies Record<string, Problem>;

export function unknownPath(pathPrefix: string): Problem {
  return {
    status: 404,
    message:
      `There is nothing at this address: shifts are listed at ${pathPrefix}/<account>/api/v1/shifts, and ` +
      `${pathPrefix}/docs describes the API.`,
  };
}

export function sendProblem(reply: FastifyReply, { status, message, headers }: Problem): FastifyReply {
  const body: ErrorBody = { error: message };
  return reply
    .code(status)
    .headers({ 'cache-control': 'no-store', ...headers })
    .send(body);
}

/** The one error handler of the app. */
export function errorHandler(log: ProblemLog) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (error instanceof Refusal) {
      if (error.kind === 'bad-parameters') noteRequest(request, { wrong: error.parameters });
      return sendProblem(reply, { ...REFUSALS[error.kind], message: error.message });
    }
    if (error instanceof TooManyRequests) return sendProblem(reply, tooManyRequests(error));
    const reqId = request.id;
    if (error instanceof TooBusy) {
      log.warn('Too many pages are compressed at a time: who takes nothing else is refused.', { reqId });
      return sendProblem(reply, PROBLEMS.busy);
    }
    if (error instanceof StoreFailure) {
      // Its sentence is for the operator: it may name files and hosts.
      log.error(error.message, { reqId });
      return sendProblem(reply, PROBLEMS.unavailable);
    }
    log.error(error instanceof Error ? error.message : String(error), { reqId, err: error });
    const { status, message } = PROBLEMS.internal;
    return sendProblem(reply, { status, message: `${message} Its log entry has the id ${reqId}.` });
  };
}

function tooManyRequests({ message, retryAfterSeconds }: TooManyRequests): Problem {
  const wait = `${retryAfterSeconds} ${retryAfterSeconds === 1 ? 'second' : 'seconds'}`;
  return {
    status: 429,
    message: `${message} Try again in ${wait}.`,
    headers: { 'retry-after': String(retryAfterSeconds) },
  };
}

// Requests that never become one: what arrived is not HTTP, too large, or too slow.

const BROKEN_REQUESTS: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: PROBLEMS.largeHeaders,
  ERR_HTTP_REQUEST_TIMEOUT: PROBLEMS.slowRequest,
};
const NOT_HTTP: Problem = { status: 400, message: 'The request is not valid HTTP.' };

export function problemOfBrokenRequest({ code }: { readonly code?: string }): Problem {
  return BROKEN_REQUESTS[code ?? ''] ?? NOT_HTTP;
}

/** A whole response, for where there is no response object. The connection has to be closed after it. */
export function problemBytes(problem: Problem): string {
  const { headers, body } = closingAnswer(problem);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`;
}

/** Answers a request that Fastify is not to see, and closes the connection. */
export function answerProblem(response: ServerResponse, problem: Problem): void {
  const { headers, body } = closingAnswer(problem);
  response.writeHead(problem.status, headers).end(body);
}

function closingAnswer({ message, headers }: Problem) {
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
