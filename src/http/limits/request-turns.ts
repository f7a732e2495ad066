/**
 * Has requests wait for the turn of who asks. When a request that waited is answered, its connection is not read on
 * before the next turn of the asker. So of a crowd, few requests are in memory at a time: the others stay unread.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pauseReading, resumeReading } from './reading.ts';
import type { Turns } from './turns.ts';

export interface RequestTurns {
  /** Undefined when the request can be handled at once. Otherwise see `wait` in turns.ts. */
  of(request: IncomingMessage, response: ServerResponse): Promise<void> | undefined;
  /**
   * Resolves when all connections were read on. A server that shuts down closes those that seem to be idle, even if they
   * hold requests that were not read.
   */
  drain(): Promise<void>;
}

export function makeRequestTurns(turns: Turns, askerOf: (request: IncomingMessage) => string): RequestTurns {
  /** The turns of the next requests of connections that were or are not read on. */
  const nextTurns = new WeakMap<Socket, Promise<void>>();
  const unread = new Set<Socket>();
  let isDraining = false;

  function rest(socket: Socket, asker: string): void {
    const isClosing = socket.destroyed || socket.writableEnded;
    if (isDraining || isClosing || nextTurns.has(socket) || turns.isFree()) return;
    pauseReading(socket);
    unread.add(socket);
    const turn = turns.wait(asker, socket);
    nextTurns.set(socket, turn);
    // One that came to nothing is not the turn of a request that may come much later.
    const refused = () => nextTurns.delete(socket);
    turn.catch(refused).then(() => readOn(socket));
  }

  function readOn(socket: Socket): void {
    if (unread.delete(socket)) resumeReading(socket);
  }

  return {
    of(request, response) {
      if (turns.isFree()) return undefined;
      const { socket } = request;
      const asker = askerOf(request);
      response.once('close', () => rest(socket, asker));
      const turn = nextTurns.get(socket) ?? turns.wait(asker, response);
      nextTurns.delete(socket);
      return turn;
    },
    async drain() {
      isDraining = true;
      for (const socket of unread) readOn(socket);
      // Sockets are read between two of these.
      for (let i = 0; i < 2; i++) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
