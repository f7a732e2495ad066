/** How much may be under way at a time, and how long clients may take. Operators may change each of these. */

import type { ConnectionLimits } from './connections.ts';
import type { UnsentLimits } from './unsent.ts';

export interface ServerLimits extends ConnectionLimits, UnsentLimits {
  /** How long the head of a request may take to arrive. */
  readonly headerTimeoutMs: number;
  /** How long a connection is kept open between requests. */
  readonly idleTimeoutMs: number;
  /** For the memory that compressing takes. */
  readonly maxCompressionBytes: number;
}

const MEGABYTE = 1024 * 1024;

export const DEFAULT_LIMITS: ServerLimits = {
  maxConnections: 10_000,
  maxPipelined: 32,
  headerTimeoutMs: 10_000,
  idleTimeoutMs: 72_000,
  minReadRateBytesPerSecond: 16 * 1024,
  maxUnsentBytes: 16 * MEGABYTE,
  maxCompressionBytes: 16 * MEGABYTE,
};
