/** The gateway on Node's HTTP server, under the same limits as the service. */

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer, Gateway } from '@shiftfeed/gateway';
import type { Logger } from 'pino';
import { type AddressOf, addressBehind } from '../../http/limits/client-address.ts';
import { clientKey } from '../../http/limits/client-key.ts';
import { type Connections, limitConnections } from '../../http/limits/connections.ts';
import type { ServerLimits } from '../../http/limits/limits.ts';
import { makeRequestTurns, type RequestTurns } from '../../http/limits/request-turns.ts';
import { makeTurns, Overloaded, type Turns } from '../../http/limits/turns.ts';
import { trackUnsentResponses, type UnsentResponses } from '../../http/limits/unsent.ts';
import { OVERLOADED, type ProblemLog } from '../../http/observe/problem-log.ts';
import { requestIdOf } from '../../http/observe/request-id.ts';
import { respondAndClose } from '../../http/protocol/closing-response.ts';
import { memoize } from '../../http/protocol/memoize.ts';
import { MAX_URL_LENGTH, PROBLEMS, type Problem } from '../../http/protocol/problems.ts';
import { splitUrl } from '../../http/protocol/url.ts';
import { makeServer } from '../../http/server.ts';
import { count } from '../print.ts';
import { type Address, listenFailure, urlOf } from '../serve/address.ts';
import type { RunningServer } from '../serve/server.ts';
import type { GatewayMetrics } from './metrics.ts';

export interface GatewayServerOptions {
  readonly gateway: Gateway;
  readonly address: Address;
  readonly limits: Omit<ServerLimits, 'maxCompressionBytes'>;
  readonly logger: Logger;
  readonly logRequests: boolean;
  readonly problems: ProblemLog;
  readonly metrics: GatewayMetrics | undefined;
  /** The proxies whose X-Forwarded-For is trusted: addresses or networks. */
  readonly trustProxy?: readonly string[] | undefined;
  /** By default those of the event loop. */
  readonly turns?: Turns;
}

const HEALTH_PATH = '/healthz';
/** How often to check whether a copy is due. `max_age` is in seconds. */
const REFRESH_INTERVAL_MS = 1_000;

export async function startGatewayServer(options: GatewayServerOptions): Promise<RunningServer> {
  const { gateway, address, limits, problems, metrics, turns = makeTurns(limits) } = options;
  const addressOf = addressBehind(options.trustProxy ?? []);
  const connections = connectionsOf(options);
  const unsent = trackUnsentResponses({
    ...limits,
    isCached: () => false,
    onAbort: () => problems.warn('A connection was cut off, because its client read too slowly.'),
  });
  const requestTurns = makeRequestTurns(turns, (request) => clientKey(addressOf(request)));
  const handling = { ...options, addressOf, requestTurns, unsent };
  metrics?.watch({ gateway, connections, turns, unsent });
  const server = makeServer(
    (request, response) => void handle(handling, request, response).catch(() => response.destroy()),
    {
      limits,
      connections,
      onRejected: (status) => metrics?.answered('none', status, 0),
    },
  );
  server.listen(address.port, address.host);
  await once(server, 'listening').catch((error: unknown) => {
    throw listenFailure(error, address);
  });
  server.on('error', (error) => problems.error(`A connection could not be accepted: ${error.message}.`));

  // A visitor who comes after a quiet hour should not see data that is an hour old.
  gateway.refresh();
  const refreshing = setInterval(gateway.refresh, REFRESH_INTERVAL_MS);
  return {
    url: urlOf(server.address() as AddressInfo),
    async stop() {
      clearInterval(refreshing);
      await requestTurns.drain();
      connections.drain(server);
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}

function connectionsOf({ limits, problems }: GatewayServerOptions): Connections {
  return limitConnections({
    ...limits,
    isHealthCheck: (url) => splitUrl(url).path === HEALTH_PATH,
    onTooManyPipelined: () =>
      problems.warn('A connection was closed, because it sent too many requests ahead.'),
    onTooManyConnections: () =>
      problems.warn(
        `${count(limits.maxConnections, 'connection is', 'connections are')} open, the most that are allowed: others are refused.`,
      ),
  });
}

interface Handling extends GatewayServerOptions {
  readonly addressOf: AddressOf;
  readonly requestTurns: RequestTurns;
  readonly unsent: UnsentResponses;
}

async function handle(
  { gateway, addressOf, requestTurns, unsent, logger, logRequests, problems, metrics }: Handling,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const startedMs = performance.now();
  const reqId = requestIdOf(request);
  let answer: Answer;
  try {
    const answering = answerInTurn(gateway, requestTurns, request, response);
    answer = answering instanceof Promise ? await answering : answering;
  } catch (error) {
    if (!(error instanceof Overloaded)) {
      problems.error(`A visitor could not be answered: ${messageOf(error)}`, { reqId });
      metrics?.answered('none', PROBLEMS.internal.status, performance.now() - startedMs);
      return respondAndClose(response, PROBLEMS.internal);
    }
    problems.warn(OVERLOADED, { reqId });
    answer = problem(PROBLEMS.overloaded);
  }
  const { status, headers, body } = answer;
  response.writeHead(status, { ...headers, 'x-request-id': reqId }).end(body);
  // Most answers have been sent by now. One that waits for a slow client, or behind another answer, is tracked.
  if (body !== undefined && response.writableLength > 0)
    unsent.add(response, request.socket, body.length, [body]);
  if (metrics === undefined && !logRequests) return;
  response.on('close', () => {
    const ms = performance.now() - startedMs;
    metrics?.answered(answer.route, status, ms);
    if (logRequests)
      logger.info({ ...loggedVisit(request, answer, reqId, ms), address: addressOf(request) }, 'request');
  });
}

function answerInTurn(
  gateway: Gateway,
  requestTurns: RequestTurns,
  request: IncomingMessage,
  response: ServerResponse,
): Answer | Promise<Answer> {
  const { path, search } = splitUrl(request.url ?? '');
  if (path === HEALTH_PATH) return json(200, { status: 'ok' });
  const turn = requestTurns.of(request, response);
  if (turn === undefined) return answerRequest(gateway, request, path, search);
  return turn.then(() => answerRequest(gateway, request, path, search));
}

function answerRequest(
  gateway: Gateway,
  { method = '', url = '', headers }: IncomingMessage,
  path: string,
  search: string,
): Answer | Promise<Answer> {
  if (url.length > MAX_URL_LENGTH) return problem(PROBLEMS.longUrl);
  if (url.includes('#')) return problem(PROBLEMS.badUrl);
  return gateway.answer({
    method,
    path,
    search: search === '' ? '' : `?${search}`,
    origin: () => originOf(headers.host ?? ''),
    header(name) {
      const value = headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
  });
}

/** Visitors use few hosts. */
const MAX_MEMOIZED_HOSTS = 100;

/**
 * Only used for the address of the calendar on the page, which only this visitor sees. --base-url overrides it where a
 * proxy changes the host.
 */
const originOf = memoize((host: string) => {
  const isHost = /^[\w.-]+(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/i.test(host);
  // A text that looks like a host may be invalid, such as a number that is not an address.
  return isHost && URL.canParse(`http://${host}`) ? `http://${host}` : 'http://localhost';
}, MAX_MEMOIZED_HOSTS);

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
