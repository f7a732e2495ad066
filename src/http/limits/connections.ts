/**
 * Limits the number of connections, and of running requests on each. Requests that a client sends ahead (pipelining)
 * wait in a queue, and while they wait nothing more is read from that connection. So a client that sends thousands of
 * requests at once slows down nobody else. Beyond the limit of connections, one of whoever holds most makes room for a
 * new one; if none can, only health checks are answered on the new one.
 */

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PROBLEMS, type Problem, rawResponse, respondAndClose } from '../protocol/problems.ts';
import { clientKey } from './client-address.ts';

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

export type Connections = ReturnType<typeof limitConnections>;

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
/** So long the first request of a connection may take to arrive, although the server stops. */
const FIRST_REQUEST_MS = 1_000;

export function limitConnections(options: ConnectionsOptions) {
  const { isHealthCheck } = options;
  const connections = new Map<Socket, Connection>();
  let isDraining = false;

  return {
    /** Applies the limits to the connections of a server. */
    attach(server: Server): void {
      server.on('connection', makeAccept(connections, options));
    },
    /** Wraps a listener: each request reaches it when the earlier requests of its connection allow. */
    inOrder:
      (handle: RequestListener): RequestListener =>
      (request, response) => {
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
    /** Responds to invalid input, after the responses to running requests, and closes the connection. */
    reject(socket: Socket, problem: Problem): void {
      const connection = connections.get(socket);
      if (connection !== undefined) reject(connection, problem);
    },
    /** Lets no request follow those of a connection. False, and nothing changes, if it has several. */
    takeLast(socket: Socket): boolean {
      const connection = connections.get(socket);
      if (connection === undefined || connection.isClosing) return false;
      if (connection.requestsInFlight > 1 || connection.queue.length > 0) return false;
      connection.isClosing = true;
      discardInput(socket);
      return true;
    },
    /** Whether its last response has been chosen. */
    isClosing: (socket: Socket) => connections.get(socket)?.isClosing === true,
    /**
     * From now on, each response tells its client to close the connection. None that is idle is closed yet: its client
     * may be sending a request at this moment.
     */
    drain(): void {
      isDraining = true;
    },
    /**
     * Closes the connections of a server that shuts down: idle ones soon, the others when they are done or time is up.
     * Resolves when all are closed. Until then its timers keep the process alive: a connection from which nothing is
     * read would not.
     */
    async close(server: Server): Promise<void> {
      isDraining = true;
      const closeIdle = () => {
        if (!connections.values().some(isNew)) server.closeIdleConnections();
      };
      // What has arrived by then is read before.
      const closing = setInterval(() => setImmediate(closeIdle), DRAIN_INTERVAL_MS);
      const timeout = setTimeout(() => {
        for (const socket of connections.keys()) socket.destroy();
      }, options.drainTimeoutMs ?? DRAIN_TIMEOUT_MS);
      // Not those of the server: connections to other addresses are none of its own.
      await Promise.all(connections.keys().map(closeOf));
      clearInterval(closing);
      clearTimeout(timeout);
    },
    count: () => connections.size,
  };
}

function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
  });
}

/** Adds connections as they come, and removes them when they end. */
function makeAccept(
  connections: Map<Socket, Connection>,
  { maxConnections, maxPipelined, maxAhead, onTooManyConnections }: ConnectionsOptions,
): (socket: Socket) => void {
  const holders = makeHolders(maxAhead);
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
    const connection = newConnection(socket, maxPipelined);
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
  readonly openedAtMs: number;
  readonly maxPipelined: number;
  /** Undefined if it was opened beyond the limit of connections, or is closed. */
  holder: Holder | undefined;
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

function newConnection(socket: Socket, maxPipelined: number): Connection {
  const connection: Connection = {
    socket,
    openedAtMs: performance.now(),
    maxPipelined,
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

/** Whether its first request is probably on its way. To Node it is idle. */
function isNew({ socket, openedAtMs }: Connection): boolean {
  return socket.bytesRead === 0 && performance.now() - openedAtMs < FIRST_REQUEST_MS;
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
  const { queue, holder } = connection;
  if (queue.length >= QUEUE_FACTOR * maxPipelined || holder?.hasTooManyAhead()) {
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
  connection.ahead += count;
  connection.holder?.countAhead(count);
}

/** Called when it is closed, perhaps twice. */
function leave(connection: Connection): void {
  if (connection.holder === undefined) return;
  countAhead(connection, -connection.ahead);
  connection.holder.remove(connection);
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
  ignoreRequests(connection.socket);
  pause(connection);
  proceed(connection);
}

/**
 * The parser goes on to the end of what it was given, and would make a request of each of the thousand that 64 KB may
 * hold. They would cost as much as if they were answered, above all to give them up in the end.
 */
function ignoreRequests(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: { onIncoming: unknown } | null };
  if (!parser) return;
  parser.onIncoming = (request: { upgrade: boolean }) => {
    // For one that asks for another protocol, Node would end the connection at once.
    request.upgrade = false;
    return 0;
  };
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

/**
 * Stops reading from a socket. Whoever pauses it has to resume it, and it is read on when all have done so. Node may
 * resume the socket by itself, for instance when a response has drained: each resume is undone.
 */
export function pauseReading(socket: Socket): void {
  socket.on('resume', socket.pause);
  socket.pause();
}

export function resumeReading(socket: Socket): void {
  socket.off('resume', socket.pause);
  socket.resume();
}

/** How long a client has to read its last response. */
const LINGER_MS = 2_000;
/** Beyond it nothing more is read, so that the client has to wait with the rest. */
const MAX_DISCARDED_BYTES = 1024 * 1024;

/**
 * Closes a connection so that its last response arrives. Closing a socket resets the connection if anything is unread,
 * or arrives later; then the client loses what it has not read yet. So only our side is ended, and input is discarded
 * until the client has closed its side too, or time is up. A server that shuts down does not wait for that.
 */
function closeLingering(socket: Socket): void {
  socket.on('error', () => undefined);
  socket.end();
  discardInput(socket);
  destroyAfter(socket, LINGER_MS);
}

function destroyAfter(socket: Socket, ms: number): void {
  const timer = setTimeout(() => socket.destroy(), ms);
  socket.once('close', () => clearTimeout(timer));
}

function discardInput(socket: Socket): void {
  let discardedBytes = 0;
  const discard = (chunk: Buffer) => {
    discardedBytes += chunk.length;
    if (discardedBytes <= MAX_DISCARDED_BYTES) return;
    socket.off('data', discard);
    pauseReading(socket);
  };
  // Node's parser would make a request of everything that looks like one, and whoever paused it waits for a turn that it
  // does not need any more. One by one: removeAllListeners would leave the socket of a stream a kilobyte larger.
  for (const event of ['data', 'resume'])
    for (const listener of socket.listeners(event)) socket.off(event, listener as () => void);
  socket.on('data', discard);
  socket.resume();
}

type Holder = ReturnType<typeof newHolder>;

/**
 * Who holds the connections, by address. When there are too many connections, or too many requests that were sent
 * ahead, whoever holds most of them has to give way.
 */
function makeHolders(maxAhead: number) {
  const holders = new Map<string, Holder>();
  const all = { holders, maxAhead, ahead: 0 };
  return {
    /** Adds a connection, which is idle at first. Returns who holds it. */
    add(address: string, connection: Connection): Holder {
      const holder = holders.get(address) ?? newHolder(address, all);
      holders.set(address, holder);
      holder.open.add(connection);
      holder.idle.add(connection);
      return holder;
    },
    /**
     * The connection that makes room for a new one of this address: the longest idle one of whoever holds most. If all
     * of them are busy, the oldest has to go, unless the address itself would then hold as many.
     */
    findRoom(address: string): Connection | undefined {
      const own = holders.get(address)?.open.size ?? 0;
      let most: Holder | undefined;
      for (const holder of holders.values()) {
        if (most === undefined || holder.open.size > most.open.size) most = holder;
      }
      if (most === undefined) return undefined;
      const [longestIdle] = most.idle;
      const [oldest] = most.open;
      return longestIdle ?? (most.open.size > own + 1 ? oldest : undefined);
    },
  };
}

/** What one address holds. */
function newHolder(
  address: string,
  all: { readonly holders: Map<string, unknown>; readonly maxAhead: number; ahead: number },
) {
  /** The first one was opened first. */
  const open = new Set<Connection>();
  /** Those on which no request is under way. The first one has been idle the longest. */
  const idle = new Set<Connection>();
  /** How many requests arrived before the earlier ones of their connection were answered. */
  let ahead = 0;
  return {
    open,
    idle,
    remove(connection: Connection): void {
      open.delete(connection);
      idle.delete(connection);
      if (open.size === 0) all.holders.delete(address);
    },
    /** Adds to the requests that were sent ahead, or subtracts from them. */
    countAhead(count: number): void {
      ahead += count;
      all.ahead += count;
    },
    /** Whether all together have sent too many requests ahead, and this address more than its share. */
    hasTooManyAhead: () => all.ahead >= all.maxAhead && ahead >= all.maxAhead / all.holders.size,
  };
}
