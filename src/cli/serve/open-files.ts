import { readFileSync } from 'node:fs';

/** For databases, threads, logs and the files of the program itself. */
const RESERVED_FILES = 64;

/** How many connections this process can have, by how many files it may open. Only Linux tells; elsewhere there is no end. */
export function possibleConnections(): number {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Number(limit) - RESERVED_FILES);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
