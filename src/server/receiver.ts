/** In a worker: receives the connections that the primary process dispatches. */

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type PrimaryMessage, tellPrimary } from './worker-messages.ts';

export interface Receiver {
  /** Declines further connections, and resolves when those that were received are closed. */
  drain(): Promise<void>;
}

export function receiveConnections(server: Server): Receiver {
  const sockets = new Set<Socket>();
  const drained = Promise.withResolvers<void>();
  let isDraining = false;

  process.on('message', (message: PrimaryMessage, socket?: Socket) => {
    if (message.kind !== 'offer') return;
    tellPrimary({ kind: isDraining ? 'declined' : 'taken', number: message.number });
    if (isDraining) socket?.destroy();
    else if (socket !== undefined) receive(socket);
  });
  // This server never listens itself, but only 'listening' starts Node's timeouts and its list of idle connections.
  server.emit('listening');

  function receive(socket: Socket): void {
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      if (isDraining && sockets.size === 0) drained.resolve();
    });
    // The same setting as for sockets that an HTTP server accepts.
    socket.allowHalfOpen = true;
    server.emit('connection', socket);
  }

  return {
    drain() {
      isDraining = true;
      if (sockets.size === 0) drained.resolve();
      return drained.promise;
    },
  };
}
