/**
 * An app on Node's HTTP server, within limits: whatever clients send, others hardly notice. The service and the gateway
 * are such apps, with other targets.
 */

import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { makeHandler } from './handle.ts';
import { type AddressOf, addressBehind, clientKey, healthCheckKey } from './limits/client-address.ts';
import { type Connections, limitConnections } from './limits/connections.ts';
import { DEFAULT_LIMITS, type ServerLimits } from './limits/limits.ts';
import { makeStreams, type Streams } from './limits/streams.ts';
import { makeRequestTurns, makeTurns, type RequestTurns, type Turns } from './limits/turns.ts';
import { trackUnsentResponses } from './limits/unsent.ts';
import type { AppCounts, Metrics } from './observe/metrics.ts';
import type { ProblemLog } from './observe/problem-log.ts';
import { routeOf, type Sent } from './observe/request-log.ts';
import { MAX_HEADER_BYTES, PROBLEMS, type Problem, respondAndClose } from './protocol/problems.ts';
import { type FindTarget, splitUrl, withoutSlash } from './protocol/routes.ts';

export interface App {
  readonly server: Server;
  /** Sends clients elsewhere, before it closes: see AppParts. Requests are answered as before. */
  drain(): void;
  /** Resolves when the running requests are answered, or their time is up. */
  close(): Promise<void>;
  counts(): AppCounts;
}

/** What the targets of an app may use of it. */
export interface AppParts {
  readonly addressOf: AddressOf;
  readonly turns: RequestTurns;
  /** Whether the app is about to close, so that it should not be sent new requests. */
  readonly isDraining: () => boolean;
  readonly streams: Streams;
}

export interface AppOptions {
  readonly targets: (parts: AppParts) => FindTarget;
  /** The origins whose pages may read responses in a browser. */
  readonly corsOrigins?: ReadonlySet<string> | undefined;
  readonly log: ProblemLog;
  /** The paths of health checks, which are answered even if there are too many connections. */
  readonly healthPaths: readonly string[];
  /** Who a request counts for in an overload. By default its address. */
  readonly askerOf?: (request: IncomingMessage, addressOf: AddressOf) => string;
  /** Whether a cache keeps this buffer anyway, so that a client that reads slowly costs no memory. */
  readonly isCached?: (buffer: ArrayBufferLike) => boolean;
  readonly metrics?: Pick<Metrics, 'countResponse' | 'countStream' | 'collectFromApp'> | undefined;
  /** Logs a response. Without this and metrics, nothing is observed, which saves some time. */
  readonly logSent?: ((sent: Sent) => void) | undefined;
  /** The proxies whose X-Forwarded-For is trusted: addresses or networks. */
  readonly trustProxy?: readonly string[] | undefined;
  readonly limits?: Partial<ServerLimits> | undefined;
  /** How long it drains before it closes. */
  readonly drainMs?: number | undefined;
  /** By default those of the event loop. */
  readonly turns?: Turns | undefined;
}

export function makeApp(options: AppOptions): App {
  const { log, healthPaths, metrics } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const isHealthCheck = (url: string) => healthPaths.includes(withoutSlash(splitUrl(url).path));
  const addressOf = addressBehind(options.trustProxy ?? []);
  const askerOf = options.askerOf ?? byAddress;
  const turns = options.turns ?? makeTurns(limits);
  const requestTurns = makeRequestTurns(turns, (request) =>
    isHealthCheck(request.url ?? '') ? healthCheckKey(addressOf(request)) : askerOf(request, addressOf),
  );
  const connections = limitConnections({
    ...limits,
    isHealthCheck,
    onTooManyPipelined: () => log.warn('A connection was closed, because it sent too many requests ahead.'),
    onTooManyConnections: () =>
      log.warn(
        `All ${limits.maxConnections} connections are in use: those that are idle, or of an address that has most, make room for others.`,
      ),
  });
  const unsent = trackUnsentResponses({
    ...limits,
    isCached: options.isCached ?? (() => false),
    onAbort: () => log.warn('A connection was cut off, because its client read too slowly.'),
  });
  const streams = makeStreams({
    ...limits,
    drainMs: options.drainMs ?? 0,
    takeConnection: connections.takeLast,
    onTooMany: () => log.warn('Too many streams are open: new ones are refused.'),
  });
  let isDraining = false;
  const handle = makeHandler({
    ...options,
    find: options.targets({ addressOf, turns: requestTurns, isDraining: () => isDraining, streams }),
    addressOf,
    turns: requestTurns,
    unsent,
    onSent: makeObserver(options),
  });
  const onRejected = (status: number) => metrics?.countResponse('none', status, 0);
  const server = makeServer(handle, { limits, connections, onRejected });
  // Until the server listens, errors are handled by whoever starts it.
  server.once('listening', () => server.on('error', (error) => log.error(error.message)));
  const app: App = {
    server,
    drain() {
      isDraining = true;
      connections.drain();
      streams.drain();
    },
    close: makeClose(server, connections, streams, requestTurns, log),
    counts: () => ({
      connections: connections.count(),
      streams: streams.count(),
      unsentBytes: unsent.bytes(),
      ...turns.counts(),
    }),
  };
  metrics?.collectFromApp(app);
  return app;
}

/** Counts and logs each response. */
function makeObserver({ metrics, logSent }: AppOptions) {
  if (!metrics && !logSent) return undefined;
  return (sent: Sent) => {
    const { answer, ms } = sent;
    if (answer.stream) metrics?.countStream(routeOf(sent), answer.status, answer.stream.reason());
    else metrics?.countResponse(routeOf(sent), answer.status, ms);
    logSent?.(sent);
  };
}

function byAddress(request: IncomingMessage, addressOf: AddressOf): string {
  return clientKey(addressOf(request));
}

function makeClose(
  server: Server,
  connections: Connections,
  streams: Streams,
  turns: RequestTurns,
  log: ProblemLog,
) {
  return async () => {
    streams.close();
    await turns.drain();
    // One that could not start does not listen.
    if (server.listening) {
      const closed = once(server, 'close');
      // Node's HTTP server would also close idle connections now, and among them those that were accepted a moment ago
      // and whose requests were not read yet.
      NetServer.prototype.close.call(server);
      await connections.close(server);
      await closed;
      // Ends its timers.
      server.close();
    }
    log.flush();
  };
}

// An import would load everything that the module offers, fetch included, which takes a tenth of the startup time.
const { createServer } = process.getBuiltinModule('node:http');

/** How long a connection may be inactive during a request. Longer than any load takes. */
const SOCKET_TIMEOUT_MS = 90_000;
const TIMEOUT_CHECK_INTERVAL_MS = 1_000;

export interface ServerOptions {
  readonly limits: Pick<ServerLimits, 'headerTimeoutMs' | 'requestTimeoutMs' | 'idleTimeoutMs'>;
  readonly connections: Connections;
  /** Called with the status of each response that the request listener does not see. */
  readonly onRejected: (status: number) => void;
}

/**
 * Node's HTTP server with timeouts, and with a response to everything that Node does not treat as an ordinary request.
 * Every socket that Node hands over goes to `connections`, which responds in order and closes it.
 */
export function makeServer(handle: RequestListener, options: ServerOptions): Server {
  const { limits, connections, onRejected } = options;
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    // Hardly any request has a body, so Node need not prepare for one.
    optimizeEmptyRequests: true,
    requireHostHeader: false,
    headersTimeout: limits.headerTimeoutMs,
    requestTimeout: Math.max(limits.requestTimeoutMs, limits.headerTimeoutMs),
    keepAliveTimeout: limits.idleTimeoutMs,
    connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
  });
  // A client may close its side after the request and still want the answer; by default, Node would end the connection.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.setTimeout(SOCKET_TIMEOUT_MS);
  connections.attach(server);

  const handleInOrder = connections.inOrder(handle);
  server.on('request', handleInOrder);
  // Whoever reads the body tells the client to continue.
  server.on('checkContinue', handleInOrder);
  server.on(
    'checkExpectation',
    connections.inOrder((_request, response) => {
      respondAndClose(response, PROBLEMS.badExpectation);
      onRejected(PROBLEMS.badExpectation.status);
    }),
  );

  const reject = (socket: Socket, problem: Problem) => {
    connections.reject(socket, problem);
    onRejected(problem.status);
  };
  server.on('connect', (request, stream) => {
    // Node has removed its own error listener, and an error without a listener would end the process.
    for (const emitter of [stream, request.socket]) emitter.on('error', () => undefined);
    reject(request.socket, PROBLEMS.wrongMethod);
  });
  server.on('clientError', (error: Error & { code?: string }, stream) => {
    const socket = stream as Socket;
    // Further input is read and ignored: closing while it arrives could destroy the last response.
    if (connections.isClosing(socket) && error.code !== 'ECONNRESET') return;
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else reject(socket, CLIENT_ERRORS[error.code ?? ''] ?? NOT_HTTP);
  });
  return server;
}

const NOT_HTTP: Problem = { status: 400, message: 'The request is not valid HTTP.' };
const CLIENT_ERRORS: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: PROBLEMS.largeHeaders,
  ERR_HTTP_REQUEST_TIMEOUT: PROBLEMS.slowRequest,
};
