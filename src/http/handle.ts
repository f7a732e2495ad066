/**
 * Handles a request: finds its target, has it answered in its turn, and sends the answer. This is also the one place
 * where errors become answers. The body of every error is {"error": sentence}. An unexpected error is logged, and the
 * client only learns that there was one: neither stack traces nor data leave the process.
 */

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Refusal } from '../feed/refusal.ts';
import { StoreFailure } from '../store/failure.ts';
import type { AddressOf } from './limits/client-address.ts';
import type { RequestTurns } from './limits/turns.ts';
import type { UnsentResponses } from './limits/unsent.ts';
import type { ProblemLog } from './observe/problem-log.ts';
import { addToRequestLog, type Sent } from './observe/request-log.ts';
import { type Answer, type Chunks, type Exchange, listOf, SMALL_BYTES } from './protocol/exchange.ts';
import { PROBLEMS, problemAnswer, REFUSALS, Refused } from './protocol/problems.ts';
import { type FindTarget, type Found, makeTargets, problemOf } from './protocol/routes.ts';

export interface HandlerOptions {
  readonly find: FindTarget;
  /** The origins whose pages may read responses in a browser. */
  readonly corsOrigins?: ReadonlySet<string> | undefined;
  readonly addressOf: AddressOf;
  readonly turns: RequestTurns;
  readonly unsent: UnsentResponses;
  readonly log: ProblemLog;
  /** Called when a response has been sent. */
  readonly onSent?: ((sent: Sent) => void) | undefined;
}

export function makeHandler(options: HandlerOptions): RequestListener {
  const { corsOrigins = NO_ORIGINS, addressOf, turns, unsent, log, onSent } = options;
  const targetOf = makeTargets(options.find);
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const startedMs = onSent === undefined ? 0 : performance.now();
    const found = targetOf(request.url ?? '');
    const id = requestIdOf(request);
    const exchange: Exchange = { id, request, response, headers: ['x-request-id', id] };
    if (corsOrigins.size > 0) allowOrigin(corsOrigins, exchange);
    let answer: Answer;
    try {
      const turn = turns.begin(request, response);
      if (turn !== undefined) await turn;
      answer = await answerFound(exchange, found);
    } catch (error) {
      answer = answerError(error, exchange, log);
    }
    if (onSent !== undefined) {
      const target = 'respond' in found ? found : undefined;
      const address = () => addressOf(request);
      // A client that leaves gives no finish, and every stream is left at last.
      response.on(answer.stream ? 'close' : 'finish', () =>
        onSent({ exchange, target, answer, ms: performance.now() - startedMs, address }),
      );
    }
    send(exchange, answer, unsent);
  };
  // Any further error only ends the connection.
  return (request, response) => void handle(request, response).catch(() => response.destroy());
}

const NO_ORIGINS: ReadonlySet<string> = new Set();
const OPTIONS_ANSWER: Answer = { status: 204, headers: listOf(PROBLEMS.wrongMethod.headers), chunks: [] };

function answerFound(exchange: Exchange, found: Found): Answer | Promise<Answer> {
  if (!('respond' in found)) return problemAnswer(found);
  const problem = problemOf(exchange.request, found);
  if (problem !== undefined) return problemAnswer(problem);
  const isPreflight = exchange.request.method === 'OPTIONS' && found.methods !== 'all';
  return isPreflight ? OPTIONS_ANSWER : found.respond(exchange);
}

function answerError(error: unknown, exchange: Exchange, log: ProblemLog): Answer {
  const reqId = exchange.id;
  if (error instanceof Refusal) {
    if (error.kind === 'bad-parameters') addToRequestLog(exchange, { wrong: error.parameters });
    if (error.kind === 'too-many-months') log.error(error.message, { reqId });
    return problemAnswer({ ...REFUSALS[error.kind], message: error.message });
  }
  if (error instanceof Refused) {
    if (error.warning !== undefined) log.warn(error.warning, { reqId });
    return problemAnswer(error.problem);
  }
  if (error instanceof StoreFailure) {
    // The message is for the operator: it may name files and hosts.
    log.error(error.message, { reqId });
    return problemAnswer(PROBLEMS.unavailable);
  }
  log.error(error instanceof Error ? error.message : String(error), { reqId, err: error });
  const { status, message } = PROBLEMS.internal;
  return problemAnswer({ status, message: `${message} Its log entry has the id ${reqId}.` });
}

function send({ request, response, headers }: Exchange, answer: Answer, unsent: UnsentResponses): void {
  // The client has disconnected.
  if (response.destroyed) return;
  headers.push(...answer.headers);
  response.writeHead(answer.status, headers);
  const body = request.method === 'HEAD' ? [] : answer.chunks;
  if (answer.stream !== undefined) {
    response.write(joined(body), 'latin1');
    answer.stream.begin();
    return;
  }
  const bytes = sizeOf(body);
  const isSmall = bytes <= SMALL_BYTES;
  const chunks = isSmall ? [joined(body)] : body;
  if (isSmall) response.end(chunks[0], 'latin1');
  else writeChunks(response, chunks);
  // Most answers have been sent by now. An answer that waits for a slow client, or behind another answer, is tracked.
  if (response.writableLength > 0)
    unsent.add(response, request.socket, bytes, answer.isPermanent && !isSmall ? [] : chunks);
}

/** If head and body are one string, they are written to the system at once. */
function joined(chunks: Chunks): string {
  let text = '';
  for (const chunk of chunks)
    text +=
      typeof chunk === 'string'
        ? chunk
        : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
  return text;
}

/**
 * Ends a response only when all of it was passed to the socket: a server that shuts down closes connections whose
 * responses have ended, even if some bytes are still buffered.
 */
function writeChunks(response: ServerResponse, chunks: Chunks): void {
  let isFlushed = true;
  for (const chunk of chunks) isFlushed = response.write(chunk, 'latin1');
  if (isFlushed) response.end();
  else response.once('drain', () => response.end());
}

function sizeOf(chunks: Chunks): number {
  let bytes = 0;
  for (const chunk of chunks) bytes += chunk.length;
  return bytes;
}

/** The start of our tokens. A token that was sent in the wrong header must not be logged or sent back. */
const TOKEN_PREFIX = /shiftfeed_/i;

/** The id that the client or a proxy sent, if it is safe to log and to send back; otherwise a new one. */
function requestIdOf({ headers }: IncomingMessage): string {
  const header = headers['x-request-id'];
  const isSafe =
    typeof header === 'string' && /^[\w.:/+=-]{1,128}$/.test(header) && !TOKEN_PREFIX.test(header);
  return isSafe ? header : newId();
}

const ID_CHARACTERS = 32;
/** Drawing bytes for many ids at once takes next to nothing for each. */
const IDS_AT_ONCE = 256;
let drawn = '';
let used = 0;

function newId(): string {
  if (used === drawn.length) {
    drawn = randomBytes((IDS_AT_ONCE * ID_CHARACTERS) / 2).toString('hex');
    used = 0;
  }
  used += ID_CHARACTERS;
  return drawn.slice(used - ID_CHARACTERS, used);
}

const EXPOSED_HEADERS =
  'ETag, Last-Modified, Link, RateLimit, RateLimit-Policy, Retry-After, Server-Timing, Shiftfeed-Listing, Shiftfeed-Revision, Shiftfeed-Stale, Shiftfeed-Time-Zone, X-Request-Id';
const ALLOWED_HEADERS = 'Authorization, If-None-Match, Last-Event-ID, Prefer, X-Request-Id';
const PREFLIGHT_MAX_AGE_SECONDS = 600;

/**
 * Lets pages of the origins that the operator allows read responses. Other origins get no CORS headers, so browsers
 * refuse them access.
 */
function allowOrigin(origins: ReadonlySet<string>, { request, headers }: Exchange): void {
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
