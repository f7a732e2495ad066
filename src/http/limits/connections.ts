/**
 * Limits the number of connections, and of running requests on each. Requests that a client sends ahead (pipelining)
 * wait in a queue, and while they wait nothing more is read from that connection. So a client that sends thousands of
 * requests at once slows down nobody else. On connections beyond the limit, only health checks are answered.
 */

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { rawResponse, respondAndClose } from '../protocol/closing-response.ts';
import { PROBLEMS, type Problem } from '../protocol/problems.ts';
import { closeLingering, destroyAfter } from './lingering-close.ts';
import { pauseReading, resumeReading } from './reading.ts';

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** How many requests of one connection may run at a time. */
  readonly maxPipelined: number;
  /** How long running requests may take when the server stops. */
  readonly drainTimeoutMs?: number;
}

export interface ConnectionsOptions extends ConnectionLimits {
  /** Whether a request is answered even on a connection beyond the limit. */
  readonly isHealthCheck: (url: string) => boolean;
  /** Called for each connection that is closed because it pipelines too many requests. */
  readonly onTooManyPipelined: () => void;
  /** Called for each connection beyond the limit. */
  readonly onTooManyConnections: () => void;
}

export interface Connections {
  /** Applies the limits to the connections of a server. */
  attach(server: Server): void;
  /** Wraps a listener: each request reaches it when the earlier requests of its connection allow. */
  inTurn(handle: RequestListener): RequestListener;
  /** Responds to invalid input, after the responses to running requests, and closes the connection. */
  reject(socket: Socket, problem: Problem): void;
  /** Whether its last response has been chosen. */
  isClosing(socket: Socket): boolean;
  /**
   * Closes the connections of a server that shuts down: idle ones at once, the others when they are done or time is up.
   */
  drain(server: Server): void;
  count(): number;
}

/**
 * How many connections beyond the limit may be open at a time. A new one evicts an older one, preferably one that has
 * its response, or has sent nothing.
 */
const MAX_OVER_LIMIT = 16;
const OVER_LIMIT_LIFETIME_MS = 2_000;
/** How many requests may wait in the queue of a connection, as a multiple of `maxPipelined`. */
const QUEUE_FACTOR = 4;
const DRAIN_TIMEOUT_MS = 10_000;
const DRAIN_INTERVAL_MS = 50;

export function limitConnections(options: ConnectionsOptions): Connections {
  const { maxConnections, maxPipelined, isHealthCheck, onTooManyConnections } = options;
  const connections = new Map<Socket, Connection>();
  const overLimit = new Set<Connection>();
  let isDraining = false;

  function accept(socket: Socket): void {
    const connection = newConnection(socket, maxPipelined);
    connections.set(socket, connection);
    socket.once('close', () => {
      connections.delete(socket);
      overLimit.delete(connection);
      connection.queue.length = 0;
    });
    if (connections.size - overLimit.size <= maxConnections) return;
    connection.isOverLimit = true;
    overLimit.add(connection);
    destroyAfter(socket, OVER_LIMIT_LIFETIME_MS);
    if (overLimit.size > MAX_OVER_LIMIT) evictFor(connection, overLimit);
    onTooManyConnections();
  }

  return {
    attach(server) {
      server.on('connection', accept);
    },
    inTurn: (handle) => (request, response) => {
      const connection = connections.get(request.socket);
      // The connection has ended, or its last response has been chosen already.
      if (connection === undefined || connection.isClosing) return;
      // Tells the client to send further requests elsewhere.
      if (isDraining) response.shouldKeepAlive = false;
      if (connection.isOverLimit && !isHealthCheck(request.url ?? '')) {
        respondAndClose(response, PROBLEMS.tooManyConnections);
      } else if (connection.requestsInFlight < maxPipelined && connection.queue.length === 0) {
        start(connection, handle, request, response);
      } else {
        enqueue(connection, () => start(connection, handle, request, response), options);
      }
    },
    reject(socket, problem) {
      const connection = connections.get(socket);
      if (connection !== undefined) reject(connection, problem);
    },
    isClosing: (socket) => connections.get(socket)?.isClosing === true,
    drain(server) {
      isDraining = true;
      const closing = setInterval(() => server.closeIdleConnections(), DRAIN_INTERVAL_MS).unref();
      const timeout = setTimeout(() => {
        for (const socket of connections.keys()) socket.destroy();
      }, options.drainTimeoutMs ?? DRAIN_TIMEOUT_MS).unref();
      server.once('close', () => {
        clearInterval(closing);
        clearTimeout(timeout);
      });
    },
    count: () => connections.size,
  };
}

function evictFor(newest: Connection, overLimit: ReadonlySet<Connection>): void {
  const others = [...overLimit].filter((connection) => connection !== newest);
  const answered = others.find(({ isClosing }) => isClosing);
  const silent = others.find(({ socket }) => socket.bytesRead === 0);
  (answered ?? silent ?? others[0])?.socket.destroy();
}

interface Connection {
  readonly socket: Socket;
  readonly maxPipelined: number;
  /** Whether it was opened beyond the limit of connections. */
  isOverLimit: boolean;
  requestsInFlight: number;
  /** Requests that were sent ahead. Each function starts one. */
  readonly queue: (() => void)[];
  /** While reading is paused, nothing is read from the socket. */
  isPaused: boolean;
  isScheduled: boolean;
  /** Whether its last response has been chosen. Further input is ignored. */
  isClosing: boolean;
  /** The last response, if it is none to a request. */
  closingProblem: Problem | undefined;
  /** Called when a response has ended. */
  readonly onResponseEnd: () => void;
}

function newConnection(socket: Socket, maxPipelined: number): Connection {
  const connection: Connection = {
    socket,
    maxPipelined,
    isOverLimit: false,
    requestsInFlight: 0,
    queue: [],
    isPaused: false,
    isScheduled: false,
    isClosing: false,
    closingProblem: undefined,
    onResponseEnd() {
      connection.requestsInFlight--;
      proceed(connection);
    },
  };
  // Node calls it when the last response has been sent. Node's own would reset a connection with unread input.
  socket.destroySoon = () => close(connection);
  return connection;
}

function start(
  connection: Connection,
  handle: RequestListener,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  connection.requestsInFlight++;
  response.on('close', connection.onResponseEnd);
  handle(request, response);
}

function enqueue(
  connection: Connection,
  startRequest: () => void,
  { maxPipelined, onTooManyPipelined }: ConnectionsOptions,
): void {
  if (connection.queue.length < QUEUE_FACTOR * maxPipelined) {
    connection.queue.push(startRequest);
    pause(connection);
  } else {
    onTooManyPipelined();
    reject(connection, PROBLEMS.tooManyPipelined);
  }
}

/** Called whenever a response has ended. */
function proceed(connection: Connection): void {
  if (connection.queue.length > 0) schedule(connection);
  else if (!connection.isClosing) resume(connection);
  else if (connection.requestsInFlight === 0 && connection.closingProblem !== undefined) {
    connection.socket.write(rawResponse(connection.closingProblem));
    close(connection);
  }
}

/** Starts queued requests in a later turn of the event loop, so that other connections get their turn in between. */
function schedule(connection: Connection): void {
  if (connection.isScheduled) return;
  connection.isScheduled = true;
  setImmediate(() => {
    connection.isScheduled = false;
    const count = connection.maxPipelined - connection.requestsInFlight;
    for (const startRequest of connection.queue.splice(0, count)) startRequest();
  });
}

function reject(connection: Connection, problem: Problem): void {
  if (connection.isClosing) return;
  connection.isClosing = true;
  connection.closingProblem = problem;
  pause(connection);
  proceed(connection);
}

function pause(connection: Connection): void {
  if (connection.isPaused) return;
  connection.isPaused = true;
  pauseReading(connection.socket);
}

function resume(connection: Connection): void {
  if (!connection.isPaused) return;
  connection.isPaused = false;
  resumeReading(connection.socket);
}

function close(connection: Connection): void {
  connection.isClosing = true;
  connection.closingProblem = undefined;
  connection.queue.length = 0;
  resume(connection);
  closeLingering(connection.socket);
}
