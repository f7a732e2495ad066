import { randomUUID } from 'node:crypto';

/** How our tokens begin: one that was sent in the wrong header must not be logged or repeated. */
const TOKEN = /shiftfeed_/i;

/** The id that the client or a proxy gave the request, if it is one that is safe to log and repeat; else a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  const isSafe = typeof header === 'string' && /^[\w.:/+=-]{1,128}$/.test(header) && !TOKEN.test(header);
  return isSafe ? header : randomUUID();
}
