/**
 * Disconnects clients that read too slowly. A response that the client has not read yet keeps whole months in memory,
 * even after the cache has evicted them. So clients have to read at a minimum rate, and when unsent responses exceed a
 * limit in bytes, some are aborted: first those of the address that keeps most, and of these the oldest.
 *
 * Tracking has to be cheap: only responses that were not sent at once are tracked, and they are only checked at
 * intervals. Nothing is copied so that it would keep no month: what the system has been given cannot be replaced, and
 * to copy every page beforehand makes one 2.2 times as dear.
 */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clientKey } from './client-address.ts';

export interface UnsentLimits {
  /** How much memory unsent responses may keep, not counting what is cached anyway. */
  readonly maxUnsentBytes: number;
  /** A client that reads more slowly than this for some time is disconnected. */
  readonly minReadRateBytesPerSecond: number;
}

export interface UnsentOptions extends UnsentLimits {
  /** Whether a cache keeps this buffer as well. */
  readonly isCached: (buffer: ArrayBufferLike) => boolean;
  /** Called for each client that is disconnected. */
  readonly onAbort: () => void;
  /** Returns milliseconds of a monotonic clock. */
  readonly stopwatch?: () => number;
}

export type UnsentResponses = ReturnType<typeof trackUnsentResponses>;

type Chunks = readonly (string | Uint8Array)[];

interface UnsentResponse {
  readonly socket: Socket;
  readonly bytes: number;
  readonly chunks: Chunks;
  /** What its chunks are, or are parts of. Most responses are sent before anybody asks. */
  kept?: { readonly stringBytes: number; readonly buffers: ReadonlySet<ArrayBufferLike> };
  /** When the client could begin to read it, after the earlier responses on the connection. */
  readableSinceMs?: number;
}

/** Every client gets this long, however slowly it reads. */
const GRACE_MS = 10_000;
const CHECK_INTERVAL_MS = 250;

export function trackUnsentResponses(options: UnsentOptions) {
  const { maxUnsentBytes, minReadRateBytesPerSecond, isCached, onAbort } = options;
  const { stopwatch = () => performance.now() } = options;
  /** Oldest first. */
  const responses = new Set<UnsentResponse>();
  let checking: NodeJS.Timeout | undefined;

  function check(): void {
    if (responses.size === 0) {
      clearInterval(checking);
      checking = undefined;
      return;
    }
    for (const response of slowest(responses, stopwatch(), minReadRateBytesPerSecond)) abort(response);
    if (keptBytes(responses, isCached) <= maxUnsentBytes) return;
    for (const response of heaviest(responses, maxUnsentBytes, isCached)) abort(response);
  }

  function abort(response: UnsentResponse): void {
    responses.delete(response);
    response.socket.destroy();
    onAbort();
  }

  return {
    /** Tracks a response until the client has read all of it. `chunks` is what the response keeps in memory. */
    add(response: ServerResponse, socket: Socket, bytes: number, chunks: Chunks): void {
      const unsent: UnsentResponse = { socket, bytes, chunks };
      responses.add(unsent);
      response.on('close', () => responses.delete(unsent));
      checking ??= setInterval(check, CHECK_INTERVAL_MS).unref();
    },
    /** How much memory the unsent responses keep, not counting what is cached anyway. */
    bytes: () => keptBytes(responses, isCached),
  };
}

/** Responses that are read too slowly. Only the first response of each connection is being read. */
function* slowest(
  responses: Iterable<UnsentResponse>,
  nowMs: number,
  minRateBytesPerSecond: number,
): Iterable<UnsentResponse> {
  const seen = new Set<Socket>();
  for (const response of responses) {
    if (seen.has(response.socket)) continue;
    seen.add(response.socket);
    response.readableSinceMs ??= nowMs;
    const limitMs = GRACE_MS + (1000 * response.bytes) / minRateBytesPerSecond;
    if (nowMs - response.readableSinceMs > limitMs) yield response;
  }
}

/**
 * All but as many as may stay: first those of addresses that keep little memory, and of each address the newest. One
 * stays in any case, so that one client at a time can read a month of any size.
 */
function heaviest(
  responses: Iterable<UnsentResponse>,
  maxBytes: number,
  isCached: UnsentOptions['isCached'],
): readonly UnsentResponse[] {
  const byAddress = Map.groupBy(responses, ({ socket }) => clientKey(socket.remoteAddress ?? ''));
  const sorted = Array.from(byAddress.values(), (group) => ({ group, bytes: keptBytes(group, isCached) }))
    .sort((a, b) => b.bytes - a.bytes)
    .flatMap(({ group }) => group);
  const weigh = scales(isCached);
  const last = sorted.findLastIndex((response, i) => weigh(response) > maxBytes && i < sorted.length - 1);
  return sorted.slice(0, last + 1);
}

function keptBytes(responses: Iterable<UnsentResponse>, isCached: UnsentOptions['isCached']): number {
  const weigh = scales(isCached);
  let bytes = 0;
  for (const response of responses) bytes = weigh(response);
  return bytes;
}

/** How much memory is kept by the responses so far. A buffer counts once, and one that is cached does not. */
function scales(isCached: UnsentOptions['isCached']): (response: UnsentResponse) => number {
  const counted = new Set<ArrayBufferLike>();
  let bytes = 0;
  return (response) => {
    const { stringBytes, buffers } = keptBy(response);
    bytes += stringBytes;
    for (const buffer of buffers) {
      if (counted.has(buffer) || isCached(buffer)) continue;
      counted.add(buffer);
      bytes += buffer.byteLength;
    }
    return bytes;
  };
}

function keptBy(response: UnsentResponse): NonNullable<UnsentResponse['kept']> {
  const { chunks } = response;
  response.kept ??= {
    stringBytes: chunks.reduce((sum, chunk) => (typeof chunk === 'string' ? sum + chunk.length : sum), 0),
    buffers: new Set(chunks.flatMap((chunk) => (typeof chunk === 'string' ? [] : chunk.buffer))),
  };
  return response.kept;
}
