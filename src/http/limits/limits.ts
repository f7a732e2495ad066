/** Limits on the time and memory that clients may use. Operators can change some of them. */

import type { ConnectionLimits } from './connections.ts';
import type { StreamLimits } from './streams.ts';
import type { TurnLimits } from './turns.ts';
import type { UnsentLimits } from './unsent.ts';

export interface ServerLimits extends ConnectionLimits, StreamLimits, TurnLimits, UnsentLimits {
  /** How long the head of a request may take to arrive. */
  readonly headerTimeoutMs: number;
  /** How long a whole request may take to arrive. */
  readonly requestTimeoutMs: number;
  /** How long a connection stays open between requests. */
  readonly idleTimeoutMs: number;
  /** How much memory all compressions together may use. */
  readonly maxCompressionBytes: number;
}

const MEGABYTE = 1024 * 1024;

/** How much memory a process uses for pages that are being compressed or sent. */
export const IN_FLIGHT_BYTES = 32 * MEGABYTE;

export const DEFAULT_LIMITS: ServerLimits = {
  maxConnections: 10_000,
  maxPipelined: 32,
  maxAhead: 10_000,
  maxStreams: 5_000,
  commentMs: 15_000,
  maxWaitMs: 1_000,
  headerTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  idleTimeoutMs: 72_000,
  minReadRateBytesPerSecond: 16 * 1024,
  maxUnsentBytes: IN_FLIGHT_BYTES / 2,
  maxCompressionBytes: IN_FLIGHT_BYTES / 2,
};
