/**
 * Answers that clients have not taken yet. Such an answer keeps whole months in memory, also when the cache has let go of
 * them. So clients have to read at a least rate, and beyond a limit in bytes those that have waited the longest are cut off.
 */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface UnsentLimits {
  /** For what the unsent answers keep in memory, besides what is cached anyway. */
  readonly maxUnsentBytes: number;
  /** Clients that read more slowly than this for long are cut off. */
  readonly minReadBytesPerSecond: number;
}

export interface UnsentOptions extends UnsentLimits {
  /** Whether memory is in use by a cache as well. */
  readonly isCached: (buffer: ArrayBufferLike) => boolean;
  /** Called for each client that is cut off. */
  readonly onCut: () => void;
}

export interface Unsent {
  /** Watches over an answer until the client has taken all of it. */
  add(response: ServerResponse, socket: Socket, chunks: readonly (string | Uint8Array)[]): void;
  /** What the unsent answers keep in memory. */
  bytes(): number;
}

interface Answer {
  readonly socket: Socket;
  readonly buffers: ReadonlySet<ArrayBufferLike>;
}

/** How long any client has, however little it reads. */
const GRACE_MS = 10_000;
/** Memory that answers keep is looked at this often: what leaves the cache meanwhile is noticed a little later. */
const SWEEP_INTERVAL_MS = 250;

export function watchUnsent(options: UnsentOptions): Unsent {
  const { maxUnsentBytes, minReadBytesPerSecond, isCached, onCut } = options;
  /** The one that has waited the longest comes first. */
  const answers = new Set<Answer>();
  const bytesOfSocket = new WeakMap<Socket, number>();
  let sweeping: NodeJS.Timeout | undefined;

  function cut({ socket }: Answer): void {
    socket.destroy();
    onCut();
  }

  /** How many answers keep each piece of memory that no cache keeps. */
  function keepersOfBuffers(): Map<ArrayBufferLike, number> {
    const keepers = new Map<ArrayBufferLike, number>();
    for (const { buffers } of answers) {
      for (const buffer of buffers) {
        if (!isCached(buffer)) keepers.set(buffer, (keepers.get(buffer) ?? 0) + 1);
      }
    }
    return keepers;
  }

  /** The newest answer stays, whatever it keeps: a huge month can still be read, by one client at a time. */
  function sweep(): void {
    const keepers = keepersOfBuffers();
    let bytes = bytesOf(keepers.keys());
    for (const answer of answers) {
      if (bytes <= maxUnsentBytes || answers.size === 1) return;
      answers.delete(answer);
      cut(answer);
      for (const buffer of answer.buffers) {
        const count = keepers.get(buffer);
        if (count === 1) bytes -= buffer.byteLength;
        if (count !== undefined) keepers.set(buffer, count - 1);
      }
    }
  }

  return {
    add(response, socket, chunks) {
      const buffers = new Set(chunks.flatMap((chunk) => (typeof chunk === 'string' ? [] : chunk.buffer)));
      const answer = { socket, buffers };
      const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      const ahead = bytesOfSocket.get(socket) ?? 0;
      bytesOfSocket.set(socket, ahead + bytes);
      answers.add(answer);
      const deadline = setTimeout(
        () => cut(answer),
        GRACE_MS + (1000 * (ahead + bytes)) / minReadBytesPerSecond,
      );
      response.once('close', () => {
        clearTimeout(deadline);
        bytesOfSocket.set(socket, (bytesOfSocket.get(socket) ?? bytes) - bytes);
        answers.delete(answer);
        if (answers.size > 0) return;
        clearInterval(sweeping);
        sweeping = undefined;
      });
      sweeping ??= setInterval(sweep, SWEEP_INTERVAL_MS).unref();
    },
    bytes: () => bytesOf(keepersOfBuffers().keys()),
  };
}

function bytesOf(buffers: Iterable<ArrayBufferLike>): number {
  let bytes = 0;
  for (const buffer of buffers) bytes += buffer.byteLength;
  return bytes;
}
