/** Handles a request: checks it, has its route answer it, sends the answer and counts it. */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { answerErrors } from './error-handler.ts';
import type { AddressOf } from './limits/client-address.ts';
import type { RequestTurns } from './limits/request-turns.ts';
import type { UnsentResponses } from './limits/unsent.ts';
import { parameterOf } from './listing/parameters.ts';
import type { Metrics } from './observe/metrics.ts';
import type { ProblemLog } from './observe/problem-log.ts';
import { requestIdOf } from './observe/request-id.ts';
import { requestLogEntry } from './observe/request-log.ts';
import { allowOrigin } from './protocol/cors.ts';
import { type Answer, type Chunks, type Exchange, listOf, SMALL_BYTES } from './protocol/exchange.ts';
import { PROBLEMS, problemAnswer } from './protocol/problems.ts';
import { checkRequest, makeTargets, type Route, type Target } from './protocol/routes.ts';

export interface HandlerOptions {
  readonly routes: readonly Route[];
  readonly pathPrefix: string;
  /** Whether there are pages for people that the answer to a wrong path can mention. */
  readonly hasPages: boolean;
  readonly corsOrigins: ReadonlySet<string> | undefined;
  readonly addressOf: AddressOf;
  readonly turns: RequestTurns;
  readonly unsent: UnsentResponses;
  readonly log: ProblemLog;
  readonly logger: Logger;
  readonly logRequests: boolean;
  readonly metrics: Metrics | undefined;
}

export function makeHandler(options: HandlerOptions): RequestListener {
  const { routes, corsOrigins = NO_ORIGINS, turns, unsent, log } = options;
  const targetOf = makeTargets(routes, options);
  const answerToError = answerErrors(log);
  const observe = makeObserver(options);
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const target = checkRequest(request, targetOf(request.url ?? ''));
    const id = requestIdOf(request);
    const { search } = target;
    const exchange: Exchange = { id, request, response, search, headers: ['x-request-id', id] };
    if (corsOrigins.size > 0) allowOrigin(corsOrigins, exchange);
    observe?.(exchange, target);
    let answer: Answer;
    try {
      const turn = turns.of(request, response);
      if (turn !== undefined) await turn;
      answer = await answerTarget(exchange, target);
    } catch (error) {
      answer = answerToError(error, exchange);
    }
    send(exchange, answer, unsent);
  };
  // Any further error only ends the connection.
  return (request, response) => void handle(request, response).catch(() => response.destroy());
}

const NO_ORIGINS: ReadonlySet<string> = new Set();
const OPTIONS_ANSWER: Answer = { status: 204, headers: listOf(PROBLEMS.wrongMethod.headers), chunks: [] };

function answerTarget(exchange: Exchange, { found, problem }: Target): Answer | Promise<Answer> {
  if (problem !== undefined || found === undefined) return problemAnswer(problem ?? PROBLEMS.internal);
  return exchange.request.method === 'OPTIONS' ? OPTIONS_ANSWER : found.route.answer(exchange, found.account);
}

/**
 * Counts and logs each request when its response has been sent. Without metrics and log, nothing has to be observed.
 */
function makeObserver({ metrics, logger, logRequests, pathPrefix, addressOf }: HandlerOptions) {
  if (!metrics && !logRequests) return undefined;
  return (exchange: Exchange, { found }: Target) => {
    const { request, response } = exchange;
    const startedMs = performance.now();
    const route = found === undefined ? 'none' : pathPrefix + (found.route.path || '/');
    response.on('finish', () => {
      const ms = performance.now() - startedMs;
      metrics?.countResponse(route, response.statusCode, ms);
      if (!logRequests) return;
      const answered = { route, account: found?.account ?? '', ms, address: addressOf(request) };
      logger.info(requestLogEntry(exchange, answered, isParameter), 'request');
    });
  };
}

function isParameter(name: string): boolean {
  return parameterOf(name) !== undefined;
}

function send({ request, response, headers }: Exchange, answer: Answer, unsent: UnsentResponses): void {
  // The client has disconnected.
  if (response.destroyed) return;
  headers.push(...answer.headers);
  response.writeHead(answer.status, headers);
  const body = request.method === 'HEAD' ? [] : answer.chunks;
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
