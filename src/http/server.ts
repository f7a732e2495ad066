/**
 * Node's HTTP server as the app uses it: how long clients may take, and an answer to everything that Node does not take for an
 * ordinary request. Whatever hands a socket over passes through `connections`, which answers in turn and closes it.
 */

import type { RequestListener, Server } from 'node:http';
import { answerProblem, MAX_HEADER_BYTES, PROBLEMS, type Problem, problemOfBrokenRequest } from './errors.ts';
import type { Connections } from './limits/connections.ts';
import type { ServerLimits } from './limits/limits.ts';

// Not imported: an import loads whatever the module offers, fetch included, which takes a tenth of the time to start.
const { createServer } = process.getBuiltinModule('node:http');

/** How long a whole request may take to arrive, of which only the head is looked at. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How long a connection may stand still in the middle of a request: longer than any load takes. */
const CONNECTION_TIMEOUT_MS = 90_000;
const CHECK_INTERVAL_MS = 1_000;

export interface ServerOptions {
  readonly limits: Pick<ServerLimits, 'headerTimeoutMs' | 'idleTimeoutMs'>;
  readonly connections: Connections;
  /** Called with the status of each answer that the request listener knows nothing of. */
  readonly onRefused: (status: number) => void;
}

export function makeServer(handle: RequestListener, options: ServerOptions): Server {
  const { limits, connections, onRefused } = options;
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    requireHostHeader: false,
    headersTimeout: limits.headerTimeoutMs,
    requestTimeout: Math.max(REQUEST_TIMEOUT_MS, limits.headerTimeoutMs),
    keepAliveTimeout: limits.idleTimeoutMs,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
  });
  server.setTimeout(CONNECTION_TIMEOUT_MS);
  connections.watch(server);

  const answer = connections.inTurn(handle);
  server.on('request', answer);
  // Nobody reads a body here, so nobody needs to be told to send one.
  server.on('checkContinue', answer);
  server.on(
    'checkExpectation',
    connections.inTurn((_request, response) => {
      answerProblem(response, PROBLEMS.badExpectation);
      onRefused(PROBLEMS.badExpectation.status);
    }),
  );

  const refuse = (socket: Parameters<Connections['refuse']>[0], problem: Problem) => {
    connections.refuse(socket, problem);
    onRefused(problem.status);
  };
  server.on('connect', (request, stream) => {
    // Node has taken its own listener away, and an error that nobody listens to ends the process.
    for (const emitter of [stream, request.socket]) emitter.on('error', () => undefined);
    refuse(request.socket, PROBLEMS.wrongMethod);
  });
  server.on('clientError', (error: Error & { code?: string }, stream) => {
    const socket = stream as Parameters<Connections['refuse']>[0];
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else refuse(socket, problemOfBrokenRequest(error));
  });
  return server;
}
