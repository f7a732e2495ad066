/**
 * Closes a connection so that its last response arrives. Closing a socket resets the connection if anything is unread,
 * or arrives later; then the client loses what it has not read yet. So only our side is ended, and input is discarded
 * until the client has closed its side too, or time is up. A server that shuts down does not wait for that.
 */

import type { Socket } from 'node:net';
import { pauseReading } from './reading.ts';

/** How long a client has to read its last response. */
const LINGER_MS = 2_000;
/** Beyond it nothing more is read, so that the client has to wait with the rest. */
const MAX_DISCARDED_BYTES = 1024 * 1024;

export function closeLingering(socket: Socket): void {
  socket.on('error', () => undefined);
  socket.end();
  discardInput(socket);
  destroyAfter(socket, LINGER_MS);
}

export function destroyAfter(socket: Socket, ms: number): void {
  const timer = setTimeout(() => socket.destroy(), ms);
  timer.unref();
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
  // Node's parser would make a request of everything that looks like one.
  socket.removeAllListeners('data');
  // Whoever paused it waits for a turn that it does not need any more.
  socket.removeAllListeners('resume');
  socket.on('data', discard);
  socket.resume();
}
