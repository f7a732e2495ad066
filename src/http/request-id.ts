import { randomUUID } from 'node:crypto';

/** Ids that are made here differ from those of any other process by this, and from each other by a number. */
const PROCESS_ID = randomUUID();
let lastNumber = 0;

/** The id that the client or a proxy gave the request, if it is one that is safe to log and repeat; else a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  if (typeof header === 'string' && /^[\w.:/+=-]{1,128}$/.test(header)) return header;
  return `${PROCESS_ID}-${++lastNumber}`;
}
