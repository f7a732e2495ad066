import { randomUUID } from 'node:crypto';

/** The id that the client or a proxy gave the request, if it is one that is safe to log and repeat; else a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[\w.:/+=-]{1,128}$/.test(header) ? header : randomUUID();
}
