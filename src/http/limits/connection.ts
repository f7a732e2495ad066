/** One connection: its requests in flight, those that wait, and how it is closed. */

import type { Socket } from 'node:net';
import { rawResponse } from '../closing-response.ts';
import type { Problem } from '../errors.ts';

export interface Connection {
  readonly socket: Socket;
  /** Whether it was opened beyond the limit of connections. */
  isOverLimit: boolean;
  requestsInFlight: number;
  /** Requests that were sent ahead. Each function starts one. */
  readonly queue: (() => void)[];
  /** While reading is paused, nothing is read from the socket. */
  isPaused: boolean;
  isScheduled: boolean;
  /** The last response of the connection. Once it is set, whatever the client sends is ignored. */
  closingProblem: Problem | undefined;
  /** Whether the client sends so many requests that even reading and ignoring them costs too much. */
  isFlooding: boolean;
  /** Called when a response has ended. */
  readonly onResponseEnd: () => void;
}

/** How long a client has to read its last response. Closing at once could destroy the response. */
const CLOSE_TIMEOUT_MS = 2_000;

export function newConnection(socket: Socket, onResponseEnd: () => void): Connection {
  return {
    socket,
    isOverLimit: false,
    requestsInFlight: 0,
    queue: [],
    isPaused: false,
    isScheduled: false,
    closingProblem: undefined,
    isFlooding: false,
    onResponseEnd,
  };
}

/**
 * Stops reading. Node may resume the socket by itself, for instance when a response has drained: each resume is undone.
 */
export function pauseReading(connection: Connection): void {
  if (connection.isPaused) return;
  connection.isPaused = true;
  connection.socket.on('resume', connection.socket.pause);
  connection.socket.pause();
}

export function resumeReading(connection: Connection): void {
  if (!connection.isPaused) return;
  connection.isPaused = false;
  connection.socket.off('resume', connection.socket.pause);
  connection.socket.resume();
}

/**
 * Sends a last response and closes the connection. Reading goes on until the client has closed its side too: a socket
 * that is closed with unread data may destroy the response. Nothing more is read from a client that floods.
 */
export function closeWith(connection: Connection, problem: Problem): void {
  const { socket, isFlooding } = connection;
  socket.on('error', () => undefined);
  socket.end(rawResponse(problem));
  if (!isFlooding) resumeReading(connection);
  destroyAfter(socket, CLOSE_TIMEOUT_MS);
}

export function destroyAfter(socket: Socket, ms: number): void {
  const timer = setTimeout(() => socket.destroy(), ms);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}
