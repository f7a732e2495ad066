/** Stops reading from a socket. Whoever pauses it has to resume it, and it is read on when all have done so. */

import type { Socket } from 'node:net';

/** Node may resume the socket by itself, for instance when a response has drained: each resume is undone. */
export function pauseReading(socket: Socket): void {
  socket.on('resume', socket.pause);
  socket.pause();
}

export function resumeReading(socket: Socket): void {
  socket.off('resume', socket.pause);
  socket.resume();
}
