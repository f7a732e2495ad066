/**
 * Node's HTTP server with timeouts, and with a response to everything that Node does not treat as an ordinary request.
 * Every socket that Node hands over goes to `connections`, which responds in order and closes it.
 */

import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections } from './limits/connections.ts';
import type { ServerLimits } from './limits/limits.ts';
import { MAX_HEADER_BYTES, PROBLEMS, type Problem, respondAndClose } from './protocol/problems.ts';

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
