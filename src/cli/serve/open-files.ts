import { readFileSync } from 'node:fs';

/** Kept free for databases, threads, logs and source files. */
const RESERVED_FILES = 64;

/**
 * How many connections the limit on open files allows. Only Linux tells the limit; elsewhere the result is Infinity.
 */
export function possibleConnections(): number {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Number(limit) - RESERVED_FILES);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
