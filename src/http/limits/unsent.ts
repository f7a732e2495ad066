/**
 * Answers that clients have not taken yet. Such an answer keeps whole months in memory, also when the cache has let go of
 * them. So clients have to read at a least rate, and beyond a limit in bytes those that have waited the longest are cut off.
 *
 * Every answer is watched, because one that was written at once may still wait behind others of its connection. Watching has
 * to be cheap, so answers are only looked at from time to time.
 */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface UnsentLimits {
  /** For what the unsent answers keep in memory, besides what is cached anyway. */
  readonly maxUnsentBytes: number;
  /** Clients that read more slowly than this for long are cut off. */
  readonly minReadRateBytesPerSecond: number;
}

export interface UnsentOptions extends UnsentLimits {
  /** Whether memory is in use by a cache as well. */
  readonly isCached: (buffer: ArrayBufferLike) => boolean;
  /** Called for each client that is cut off. */
  readonly onCut: () => void;
  /** Milliseconds that only ever grow. */
  readonly stopwatch?: () => number;
}

export interface Unsent {
  /** Watches over an answer until the client has taken all of it. `kept` is what it keeps in memory. */
  add(response: ServerResponse, socket: Socket, bytes: number, kept: readonly (string | Uint8Array)[]): void;
  /** What the unsent answers keep in memory. */
  bytes(): number;
}

interface Answer {
  readonly socket: Socket;
  readonly bytes: number;
  readonly kept: readonly (string | Uint8Array)[];
  /** Since when it is the first that its client has to read. */
  firstSinceMs: number | undefined;
}

/** How long any client has, however little it reads. */
const GRACE_MS = 10_000;
/** What leaves the cache meanwhile is noticed a little later. */
const SWEEP_INTERVAL_MS = 250;

export function watchUnsent(options: UnsentOptions): Unsent {
  const { maxUnsentBytes, minReadRateBytesPerSecond, isCached, onCut } = options;
  const { stopwatch = () => performance.now() } = options;
  /** The one that has waited the longest comes first. */
  const answers = new Set<Answer>();
  let sweeping: NodeJS.Timeout | undefined;

  function cut(answer: Answer): void {
    answers.delete(answer);
    answer.socket.destroy();
    onCut();
  }

  function sweep(): void {
    if (answers.size === 0) {
      clearInterval(sweeping);
      sweeping = undefined;
      return;
    }
    cutSlow();
    cutLarge();
  }

  /** The time of an answer begins when those before it on its connection were read. */
  function cutSlow(): void {
    const nowMs = stopwatch();
    const seen = new Set<Socket>();
    for (const answer of answers) {
      if (seen.has(answer.socket)) continue;
      seen.add(answer.socket);
      answer.firstSinceMs ??= nowMs;
      const limitMs = GRACE_MS + (1000 * answer.bytes) / minReadRateBytesPerSecond;
      if (nowMs - answer.firstSinceMs > limitMs) cut(answer);
    }
  }

  /** The newest answer stays, whatever it keeps: a huge month can still be read, by one client at a time. */
  function cutLarge(): void {
    const keepers = keepersOfBuffers();
    let bytes = bytesOf(keepers.keys());
    for (const answer of answers) {
      if (bytes <= maxUnsentBytes || answers.size === 1) return;
      cut(answer);
      for (const buffer of buffersOf(answer)) {
        const count = keepers.get(buffer);
        if (count === 1) bytes -= buffer.byteLength;
        if (count !== undefined) keepers.set(buffer, count - 1);
      }
    }
  }

  /** How many answers keep each piece of memory that no cache keeps. */
  function keepersOfBuffers(): Map<ArrayBufferLike, number> {
    const keepers = new Map<ArrayBufferLike, number>();
    for (const answer of answers) {
      for (const buffer of buffersOf(answer)) {
        if (!isCached(buffer)) keepers.set(buffer, (keepers.get(buffer) ?? 0) + 1);
      }
    }
    return keepers;
  }

  return {
    add(response, socket, bytes, kept) {
      const answer: Answer = { socket, bytes, kept, firstSinceMs: undefined };
      answers.add(answer);
      response.on('close', () => answers.delete(answer));
      sweeping ??= setInterval(sweep, SWEEP_INTERVAL_MS).unref();
    },
    bytes: () => bytesOf(keepersOfBuffers().keys()),
  };
}

function buffersOf({ kept }: Answer): ReadonlySet<ArrayBufferLike> {
  return new Set(kept.flatMap((chunk) => (typeof chunk === 'string' ? [] : chunk.buffer)));
}

function bytesOf(buffers: Iterable<ArrayBufferLike>): number {
  let bytes = 0;
  for (const buffer of buffers) bytes += buffer.byteLength;
  return bytes;
}
