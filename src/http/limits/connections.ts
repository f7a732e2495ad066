/**
 * Limits the number of connections, and of running requests on each. Requests that a client sends ahead (pipelining)
 * wait in a queue, and while they wait nothing more is read from that connection. So a client that sends thousands of
 * requests at once slows down nobody else. Beyond the limit of connections, one of whoever holds most makes room for a
 * new one; if none can, only health checks are answered on the new one.
 */

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { rawResponse, respondAndClose } from '../protocol/closing-response.ts';
import { PROBLEMS, type Problem } from '../protocol/problems.ts';
import { clientKey } from './client-key.ts';
import { type Holder, type Holders, makeHolders } from './holders.ts';
import { closeLingering, destroyAfter } from './lingering-close.ts';
import { pauseReading, resumeReading } from './reading.ts';

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** How many requests of one connection may run at a time. */
  readonly maxPipelined: number;
  /** How many requests all connections together may send ahead. Each takes some kilobytes. */
  readonly maxAhead: number;
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
  const { isHealthCheck } = options;
  const connections = new Map<Socket, Connection>();
  let isDraining = false;

  return {
    attach(server) {
      server.on('connection', makeAccept(connections, options));
    },
    inTurn: (handle) => (request, response) => {
      const connection = connections.get(request.socket);
      // The connection has ended, or its last response has been chosen already.
      if (connection === undefined || connection.isClosing) return;
      // Tells the client to send further requests elsewhere.
      if (isDraining) response.shouldKeepAlive = false;
      if (connection.holder === undefined && !isHealthCheck(request.url ?? '')) {
        respondAndClose(response, PROBLEMS.tooManyConnections);
      } else if (connection.requestsInFlight === 0 && connection.queue.length === 0) {
        start(connection, handle, request, response);
      } else {
        takeAhead(connection, () => start(connection, handle, request, response), options);
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

/** Adds connections as they come, and removes them when they end. */
function makeAccept(
  connections: Map<Socket, Connection>,
  { maxConnections, maxPipelined, maxAhead, onTooManyConnections }: ConnectionsOptions,
): (socket: Socket) => void {
  const holders = makeHolders<Connection>(maxAhead);
  const overLimit = new Set<Connection>();

  function forget(connection: Connection): void {
    connections.delete(connection.socket);
    overLimit.delete(connection);
    connection.queue.length = 0;
    leave(connection);
  }

  function makeRoom(address: string): boolean {
    const leaving = holders.findRoom(address);
    if (leaving === undefined) return false;
    forget(leaving);
    leaving.socket.destroy();
    return true;
  }

  function addOverLimit(connection: Connection): void {
    overLimit.add(connection);
    destroyAfter(connection.socket, OVER_LIMIT_LIFETIME_MS);
    if (overLimit.size > MAX_OVER_LIMIT) evictFor(connection, overLimit);
  }

  return (socket) => {
    const connection = newConnection(socket, maxPipelined, holders);
    const address = clientKey(socket.remoteAddress ?? '');
    const isTooMany = connections.size - overLimit.size >= maxConnections;
    if (isTooMany) onTooManyConnections();
    if (isTooMany && !makeRoom(address)) addOverLimit(connection);
    else connection.holder = holders.add(address, connection);
    connections.set(socket, connection);
    socket.once('close', () => forget(connection));
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
  readonly holders: Holders<Connection>;
  /** Undefined if it was opened beyond the limit of connections, or is closed. */
  holder: Holder<Connection> | undefined;
  requestsInFlight: number;
  /** How many requests were sent ahead and are not answered yet. */
  ahead: number;
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

function newConnection(socket: Socket, maxPipelined: number, holders: Holders<Connection>): Connection {
  const connection: Connection = {
    socket,
    maxPipelined,
    holders,
    holder: undefined,
    requestsInFlight: 0,
    ahead: 0,
    queue: [],
    isPaused: false,
    isScheduled: false,
    isClosing: false,
    closingProblem: undefined,
    onResponseEnd() {
      connection.requestsInFlight--;
      if (connection.requestsInFlight === 0) connection.holder?.idle.add(connection);
      if (connection.ahead > 0) countAhead(connection, -1);
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
  if (connection.requestsInFlight === 0) connection.holder?.idle.delete(connection);
  connection.requestsInFlight++;
  response.on('close', connection.onResponseEnd);
  handle(request, response);
}

/** Starts a request that was sent ahead, now or later. */
function takeAhead(
  connection: Connection,
  startRequest: () => void,
  { maxPipelined, onTooManyPipelined }: ConnectionsOptions,
): void {
  const { queue, holder, holders } = connection;
  if (queue.length >= QUEUE_FACTOR * maxPipelined || (holder && holders.hasTooManyAhead(holder))) {
    onTooManyPipelined();
    reject(connection, PROBLEMS.tooManyPipelined);
    return;
  }
  countAhead(connection, 1);
  if (connection.requestsInFlight < maxPipelined && queue.length === 0) {
    startRequest();
  } else {
    queue.push(startRequest);
    pause(connection);
  }
}

function countAhead(connection: Connection, count: number): void {
  const { holder, holders } = connection;
  connection.ahead += count;
  if (holder !== undefined) holders.countAhead(holder, count);
}

/** Called when it is closed, perhaps twice. */
function leave(connection: Connection): void {
  const { holder, holders } = connection;
  if (holder === undefined) return;
  countAhead(connection, -connection.ahead);
  holders.remove(holder, connection);
  connection.holder = undefined;
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
