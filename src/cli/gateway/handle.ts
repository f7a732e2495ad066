/** Handles the request of a visitor: has the gateway answer it in its turn, sends the answer and counts it. */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Answer, Gateway } from '@shiftfeed/gateway';
import type { Logger } from 'pino';
import { requestIdOf } from '../../http/handle.ts';
import type { AddressOf } from '../../http/limits/client-address.ts';
import { Overloaded, type RequestTurns } from '../../http/limits/turns.ts';
import type { UnsentResponses } from '../../http/limits/unsent.ts';
import { OVERLOADED, type ProblemLog } from '../../http/observe/problem-log.ts';
import { memoize } from '../../http/protocol/memoize.ts';
import { MAX_URL_LENGTH, PROBLEMS, type Problem, respondAndClose } from '../../http/protocol/problems.ts';
import { splitUrl } from '../../http/protocol/routes.ts';
import type { GatewayMetrics } from './metrics.ts';

export interface HandlerOptions {
  readonly gateway: Gateway;
  readonly addressOf: AddressOf;
  readonly turns: RequestTurns;
  readonly unsent: UnsentResponses;
  readonly logger: Logger;
  readonly logRequests: boolean;
  readonly problems: ProblemLog;
  readonly metrics: GatewayMetrics | undefined;
}

const HEALTH_PATH = '/healthz';

export function isHealthCheck(url: string): boolean {
  return splitUrl(url).path === HEALTH_PATH;
}

/**
 * These functions are made once, and none of them is async: as one async function for each request, they would make a
 * visit cost some 5 % more that is given an answer from memory.
 */
export function makeHandler(options: HandlerOptions): RequestListener {
  const { unsent, problems, metrics, logRequests } = options;
  const isObserved = metrics !== undefined || logRequests;

  function send(handled: Handled, answer: Answer): void {
    const { request, response, id } = handled;
    const { headers, body } = sendableOf(answer);
    headers[headers.length - 1] = id;
    response.writeHead(answer.status, headers).end(body);
    // An id is a slice of a long string, which would stay in memory with it.
    headers[headers.length - 1] = '';
    // Most answers have been sent by now. One that waits for a slow client, or behind another answer, is tracked.
    if (body !== undefined && response.writableLength > 0)
      unsent.add(response, request.socket, body.length, [body]);
    if (isObserved) response.on('close', () => observe(options, handled, answer));
  }

  function sendError(handled: Handled, error: unknown): void {
    const { response, id, startedMs } = handled;
    if (error instanceof Overloaded) {
      problems.warn(OVERLOADED, { reqId: id });
      send(handled, problem(PROBLEMS.overloaded));
      return;
    }
    problems.error(`A visitor could not be answered: ${messageOf(error)}`, { reqId: id });
    metrics?.answered('none', PROBLEMS.internal.status, performance.now() - startedMs);
    respondAndClose(response, PROBLEMS.internal);
  }

  function handle(handled: Handled): Promise<void> | undefined {
    let answering: Answer | Promise<Answer>;
    try {
      answering = answerInTurn(options, handled);
    } catch (error) {
      sendError(handled, error);
      return undefined;
    }
    if (answering instanceof Promise) {
      return answering.then(
        (later) => send(handled, later),
        (error: unknown) => sendError(handled, error),
      );
    }
    send(handled, answering);
    return undefined;
  }

  return (request, response) => {
    const startedMs = isObserved ? performance.now() : 0;
    // Any further error only ends the connection.
    try {
      handle({ request, response, id: requestIdOf(request), startedMs })?.catch(() => response.destroy());
    } catch {
      response.destroy();
    }
  };
}

/** A request that is being handled. */
interface Handled {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  /** 0 if nothing is counted or logged. */
  readonly startedMs: number;
}

function answerInTurn(
  { gateway, turns }: HandlerOptions,
  { request, response }: Handled,
): Answer | Promise<Answer> {
  const target = targetOf(request.url ?? '');
  const turn = turns.begin(request, response);
  if (turn === undefined) return answerTarget(gateway, request, target);
  return turn.then(() => answerTarget(gateway, request, target));
}

/** What a URL asks for. */
interface Target {
  readonly path: string;
  /** With its question mark, or empty. */
  readonly search: string;
  readonly problem: Problem | undefined;
}

/** Visitors use few addresses and few hosts. */
const MAX_MEMOIZED_URLS = 1_000;
const MAX_MEMOIZED_HOSTS = 100;

const targetOf = memoize((url): Target => {
  const { path, search } = splitUrl(url);
  return {
    path,
    search: search === '' ? '' : `?${search}`,
    problem: url.length > MAX_URL_LENGTH ? PROBLEMS.longUrl : url.includes('#') ? PROBLEMS.badUrl : undefined,
  };
}, MAX_MEMOIZED_URLS);

function answerTarget(
  gateway: Gateway,
  { method = '', headers }: IncomingMessage,
  { path, search, problem: wrong }: Target,
): Answer | Promise<Answer> {
  if (wrong !== undefined) return problem(wrong);
  if (path === HEALTH_PATH) return json(200, { status: 'ok' });
  return gateway.answer({
    method,
    path,
    search,
    origin: () => originOf(headers.host ?? ''),
    header(name) {
      const value = headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
  });
}

/**
 * Only used for the address of the calendar on the page, which only this visitor sees. --base-url overrides it where a
 * proxy changes the host.
 */
const originOf = memoize((host: string) => {
  const isHost = /^[\w.-]+(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/i.test(host);
  // A text that looks like a host may be invalid, such as a number that is not an address.
  return isHost && URL.canParse(`http://${host}`) ? `http://${host}` : 'http://localhost';
}, MAX_MEMOIZED_HOSTS);

/** An answer as Node takes it fastest. */
interface Sendable {
  /** Alternating names and values. The last value is the id of the request, which is set each time. */
  readonly headers: string[];
  readonly body: Buffer | undefined;
}

const sendables = new WeakMap<Answer, Sendable>();

/** Kept for each answer: the gateway gives most visits that want the same the same one. */
function sendableOf(answer: Answer): Sendable {
  const known = sendables.get(answer);
  if (known !== undefined) return known;
  const { body, route } = answer;
  const made = {
    headers: [...Object.entries(answer.headers).flat(), 'x-request-id', ''],
    body: body && Buffer.from(body.buffer, body.byteOffset, body.byteLength),
  };
  // Problems, and answers without a body, are new for each visit.
  if (body !== undefined && route !== 'none') sendables.set(answer, made);
  return made;
}

function problem({ status, message, headers }: Problem): Answer {
  return json(status, { error: message }, headers);
}

function json(status: number, value: object, more: Problem['headers'] = {}): Answer {
  const body = Buffer.from(JSON.stringify(value));
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(body.length),
    'cache-control': 'no-store',
    ...more,
  };
  return { status, headers, body, route: 'none' };
}

function observe(
  { metrics, logger, logRequests, addressOf }: HandlerOptions,
  { request, id, startedMs }: Handled,
  answer: Answer,
): void {
  const ms = performance.now() - startedMs;
  metrics?.answered(answer.route, answer.status, ms);
  if (logRequests)
    logger.info({ ...loggedVisit(request, answer, id, ms), address: addressOf(request) }, 'request');
}

/** A valid query contains only dates and ids. Others may contain anything, for instance a token by mistake. */
function loggedVisit({ method, url = '' }: IncomingMessage, answer: Answer, reqId: string, ms: number) {
  const { path, search } = splitUrl(url);
  const isTaken = answer.status === 200 || answer.status === 304;
  return {
    reqId,
    method,
    route: answer.route,
    ...(answer.route === 'none' ? {} : { path: withoutLink(path) }),
    ...(search !== '' && isTaken ? { query: search } : {}),
    status: answer.status,
    ms: Math.round(ms * 1000) / 1000,
  };
}

/** Whoever knows a personal link can see the shifts of that person, so links are never logged. */
function withoutLink(path: string): string {
  return path.replace(/\/me\/[^/]*/, '/me/…');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
