/** In a worker: takes over the connections that the primary process has accepted. */

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type PrimaryMessage, tellPrimary } from './worker-messages.ts';

export interface TakeOver {
  /** From now on declines connections; resolves when those that it had are closed. */
  drain(): Promise<void>;
}

export function takeConnections(server: Server): TakeOver {
  const sockets = new Set<Socket>();
  const drained = Promise.withResolvers<void>();
  let isDraining = false;

  process.on('message', (message: PrimaryMessage, socket?: Socket) => {
    if (message.kind !== 'offer') return;
    tellPrimary({ kind: isDraining ? 'declined' : 'taken', number: message.number });
    if (isDraining) socket?.destroy();
    else if (socket !== undefined) take(socket);
  });
  // Node begins to watch the times of connections, and to know which are idle, when a server says that it listens.
  server.emit('listening');

  function take(socket: Socket): void {
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      if (isDraining && sockets.size === 0) drained.resolve();
    });
    // As the sockets that an HTTP server accepts.
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
