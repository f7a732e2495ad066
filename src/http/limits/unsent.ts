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
  /** Each response has its strings for itself. */
  readonly stringBytes: number;
  /** What the other chunks are parts of. Most responses are sent before anybody asks. */
  buffers: ReadonlySet<ArrayBufferLike> | undefined;
  /** When the client could begin to read it, after the earlier responses on the connection. */
  readableSinceMs: number | undefined;
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
      const unsent: UnsentResponse = {
        socket,
        bytes,
        chunks,
        stringBytes: stringBytesOf(chunks),
        buffers: undefined,
        readableSinceMs: undefined,
      };
      responses.add(unsent);
      response.on('close', () => responses.delete(unsent));
      checking ??= setInterval(check, CHECK_INTERVAL_MS).unref();
    },
    /** How much memory the unsent responses keep, not counting what is cached anyway. */
    bytes: () => keptBytes(responses, countReferences(responses, isCached)),
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
 * Responses that keep too much memory. Never the last one, so that one client at a time can read a month of any size.
 */
function* heaviest(
  responses: ReadonlySet<UnsentResponse>,
  maxBytes: number,
  isCached: UnsentOptions['isCached'],
): Iterable<UnsentResponse> {
  const references = countReferences(responses, isCached);
  let bytes = keptBytes(responses, references);
  if (bytes <= maxBytes) return;
  for (const response of byAddress(responses, isCached)) {
    if (bytes <= maxBytes || responses.size === 1) return;
    yield response;
    bytes -= response.stringBytes;
    for (const buffer of buffersOf(response)) {
      const count = references.get(buffer);
      if (count === 1) bytes -= buffer.byteLength;
      if (count !== undefined) references.set(buffer, count - 1);
    }
  }
}

/** Those of the address that keeps most memory come first, and of each address the oldest. */
function byAddress(
  responses: Iterable<UnsentResponse>,
  isCached: UnsentOptions['isCached'],
): readonly UnsentResponse[] {
  const groups = Map.groupBy(responses, ({ socket }) => clientKey(socket.remoteAddress ?? ''));
  return Array.from(groups.values(), (group) => ({
    group,
    bytes: keptBytes(group, countReferences(group, isCached)),
  }))
    .sort((a, b) => b.bytes - a.bytes)
    .flatMap(({ group }) => group);
}

/** Counts the responses that refer to each buffer, for buffers that are not cached. */
function countReferences(
  responses: Iterable<UnsentResponse>,
  isCached: UnsentOptions['isCached'],
): Map<ArrayBufferLike, number> {
  const references = new Map<ArrayBufferLike, number>();
  for (const response of responses) {
    for (const buffer of buffersOf(response)) {
      if (!isCached(buffer)) references.set(buffer, (references.get(buffer) ?? 0) + 1);
    }
  }
  return references;
}

function buffersOf(response: UnsentResponse): ReadonlySet<ArrayBufferLike> {
  response.buffers ??= new Set(
    response.chunks.flatMap((chunk) => (typeof chunk === 'string' ? [] : chunk.buffer)),
  );
  return response.buffers;
}

function keptBytes(
  responses: Iterable<UnsentResponse>,
  references: ReadonlyMap<ArrayBufferLike, number>,
): number {
  let bytes = 0;
  for (const { stringBytes } of responses) bytes += stringBytes;
  for (const buffer of references.keys()) bytes += buffer.byteLength;
  return bytes;
}

function stringBytesOf(chunks: Chunks): number {
  return chunks.reduce((bytes, chunk) => (typeof chunk === 'string' ? bytes + chunk.length : bytes), 0);
}
