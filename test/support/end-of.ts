import type { Socket } from 'node:net';

/** Resolves when a connection is closed, also by a reset. */
export function endOf(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (socket.closed) resolve();
  socket.once('close', () => resolve());
  return promise;
}
