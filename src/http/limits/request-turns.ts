/**
 * Has requests wait for the turn of who asks. When a request that waited is answered, its connection is not read on
 * before the next turn of the asker. So of a crowd, few requests are in memory at a time: the others stay unread.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pauseReading, resumeReading } from './reading.ts';
import type { Turns } from './turns.ts';

/** Undefined when the request can be handled at once. Otherwise see `wait` in turns.ts. */
export type RequestTurn = (request: IncomingMessage, response: ServerResponse) => Promise<void> | undefined;

export function makeRequestTurn(turns: Turns, askerOf: (request: IncomingMessage) => string): RequestTurn {
  /** The turns of the next requests of connections that were or are not read on. */
  const nextTurns = new WeakMap<Socket, Promise<void>>();

  function rest(socket: Socket, asker: string): void {
    if (socket.destroyed || nextTurns.has(socket) || turns.isFree()) return;
    pauseReading(socket);
    const turn = turns.wait(asker, socket);
    nextTurns.set(socket, turn);
    const readOn = () => resumeReading(socket);
    turn.then(readOn, readOn);
  }

  return (request, response) => {
    if (turns.isFree()) return undefined;
    const { socket } = request;
    const asker = askerOf(request);
    response.once('close', () => rest(socket, asker));
    const turn = nextTurns.get(socket) ?? turns.wait(asker, response);
    nextTurns.delete(socket);
    return turn;
  };
}
