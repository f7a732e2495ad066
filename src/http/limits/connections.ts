/**
 * What one connection may do, and how many there may be. A connection has a limited number of requests under way; those
 * that it sends ahead wait, and while they wait nothing more is read from it. So whoever sends thousands of requests at once
 * slows down nobody else. Past the limit of connections, the newest are only told whether the process lives.
 */

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { answerProblem, PROBLEMS, type Problem, problemBytes } from '../errors.ts';

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** How many requests of one connection are under way at a time. */
  readonly maxPipelined: number;
}

export interface ConnectionsOptions extends ConnectionLimits {
  /** Which requests are answered past the limit of connections, by their URL. */
  readonly isAlwaysAnswered: (url: string) => boolean;
  /** Called for each connection that sends too many requests ahead. */
  readonly onAhead: () => void;
  /** Called for each connection past the limit. */
  readonly onCrowded: () => void;
}

export interface Connections {
  /** Applies the limits to the connections of a server. */
  watch(server: Server): void;
  /** Lets a listener have a request when it is the request's turn. */
  inTurn(handle: RequestListener): RequestListener;
  /** Answers something that is no request, after the answers that are under way, and closes the connection. */
  refuse(socket: Socket, problem: Problem): void;
  /** Closes connections of a server that stops as soon as they are idle, and all of them when the time is over. */
  drain(server: Server): void;
  count(): number;
}

interface Connection {
  readonly socket: Socket;
  /** Whether it came past the limit of connections. */
  isSurplus: boolean;
  underWay: number;
  readonly waiting: (() => void)[];
  /** While it is held, nothing is read from it. */
  isHeld: boolean;
  isScheduled: boolean;
  /** What it is told last. From then on, whatever it sends is ignored. */
  farewell: Problem | undefined;
  /** Whether it sends more requests than anybody should even take in to ignore them. */
  isFlooding: boolean;
  readonly onAnswered: () => void;
}

/** As many connections past the limit are open at a time. New ones push out others, first those that have sent nothing. */
const MAX_SURPLUS = 16;
const SURPLUS_LIFE_MS = 2_000;
/** Whoever sends more requests ahead than this many times what may be under way is closed, once these are answered. */
const MAX_WAITING_FACTOR = 4;
/** How long answers that are under way may take when the server stops. */
const DRAIN_LIMIT_MS = 10_000;
const DRAIN_INTERVAL_MS = 50;
/** How long a client has to take its last answer. Closing at once could destroy the answer with the connection. */
const FAREWELL_MS = 2_000;

export function limitConnections(options: ConnectionsOptions): Connections {
  const { maxConnections, maxPipelined, isAlwaysAnswered, onAhead, onCrowded } = options;
  const connections = new Map<Socket, Connection>();
  const surplus = new Set<Connection>();

  function admit(socket: Socket): void {
    const connection = newConnection(socket, () => {
      connection.underWay--;
      goOn(connection);
    });
    connections.set(socket, connection);
    socket.once('close', () => {
      connections.delete(socket);
      surplus.delete(connection);
      connection.waiting.length = 0;
    });
    if (connections.size - surplus.size > maxConnections) admitAsSurplus(connection);
  }

  function admitAsSurplus(connection: Connection): void {
    connection.isSurplus = true;
    surplus.add(connection);
    destroyAfter(connection.socket, SURPLUS_LIFE_MS);
    if (surplus.size > MAX_SURPLUS) pushOut(connection);
    onCrowded();
  }

  function pushOut(newest: Connection): void {
    const others = [...surplus].filter((connection) => connection !== newest);
    const silent = others.find(({ socket }) => socket.bytesRead === 0);
    (silent ?? others[0])?.socket.destroy();
  }

  function inTurn(handle: RequestListener): RequestListener {
    return (request, response) => {
      const connection = connections.get(request.socket);
      // What arrives after the last answer was decided, or after the connection ended, is not answered.
      if (connection === undefined || connection.farewell !== undefined) return;
      if (connection.isSurplus && !isAlwaysAnswered(request.url ?? '')) {
        answerProblem(response, PROBLEMS.crowded);
      } else if (connection.underWay < maxPipelined && connection.waiting.length === 0) {
        run(connection, handle, request, response);
      } else {
        wait(connection, () => run(connection, handle, request, response));
      }
    };
  }

  function run(
    connection: Connection,
    handle: RequestListener,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    connection.underWay++;
    response.on('close', connection.onAnswered);
    handle(request, response);
  }

  function wait(connection: Connection, work: () => void): void {
    if (connection.waiting.length < MAX_WAITING_FACTOR * maxPipelined) {
      connection.waiting.push(work);
      hold(connection);
    } else {
      onAhead();
      connection.isFlooding = true;
      refuse(connection.socket, PROBLEMS.tooFarAhead);
    }
  }

  /** Called whenever an answer has ended. */
  function goOn(connection: Connection): void {
    if (connection.waiting.length > 0) schedule(connection);
    else if (connection.farewell === undefined) release(connection);
    else if (connection.underWay === 0) sayFarewell(connection, connection.farewell);
  }

  /** In a later turn of the event loop, so that other connections get theirs in between. */
  function schedule(connection: Connection): void {
    if (connection.isScheduled) return;
    connection.isScheduled = true;
    setImmediate(() => {
      connection.isScheduled = false;
      const count = maxPipelined - connection.underWay;
      for (const work of connection.waiting.splice(0, count)) work();
    });
  }

  function refuse(socket: Socket, problem: Problem): void {
    const connection = connections.get(socket);
    if (connection === undefined || connection.farewell !== undefined) return;
    connection.farewell = problem;
    hold(connection);
    goOn(connection);
  }

  return {
    watch(server) {
      server.on('connection', admit);
    },
    inTurn,
    refuse,
    drain(server) {
      const sweep = setInterval(() => server.closeIdleConnections(), DRAIN_INTERVAL_MS).unref();
      const limit = setTimeout(() => {
        for (const socket of connections.keys()) socket.destroy();
      }, DRAIN_LIMIT_MS).unref();
      server.once('close', () => {
        clearInterval(sweep);
        clearTimeout(limit);
      });
    },
    count: () => connections.size,
  };
}

function newConnection(socket: Socket, onAnswered: () => void): Connection {
  return {
    socket,
    isSurplus: false,
    underWay: 0,
    waiting: [],
    isHeld: false,
    isScheduled: false,
    farewell: undefined,
    isFlooding: false,
    onAnswered,
  };
}

function hold(connection: Connection): void {
  if (connection.isHeld) return;
  connection.isHeld = true;
  connection.socket.on('resume', connection.socket.pause);
  connection.socket.pause();
}

function release(connection: Connection): void {
  if (!connection.isHeld) return;
  connection.isHeld = false;
  connection.socket.off('resume', connection.socket.pause);
  connection.socket.resume();
}

/**
 * Reads on until the client has closed, because what stays unread when a connection is closed may cost the client its answer. But
 * not from one that floods: the connection stays held, and ends soon.
 */
function sayFarewell(connection: Connection, problem: Problem): void {
  const { socket, isFlooding } = connection;
  socket.on('error', () => undefined);
  socket.end(problemBytes(problem));
  if (!isFlooding) release(connection);
  destroyAfter(socket, FAREWELL_MS);
}

function destroyAfter(socket: Socket, ms: number): void {
  const timer = setTimeout(() => socket.destroy(), ms);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}
