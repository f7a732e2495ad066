/** The address to listen on: its URL, and the sentence to print when it cannot be used. */

import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { ServerFailure } from './failure.ts';

/** Where to listen, and which setting said so, such as --host or HOST. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly hostSetting: string;
  readonly portSetting: string;
}

export function urlOf({ address, port }: Pick<AddressInfo, 'address' | 'port'>): string {
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** Node's error about an address that cannot be listened on, as a sentence. */
export function listenFailure(error: unknown, { host, port, hostSetting, portSetting }: Address): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const otherHost = `choose another one with ${hostSetting}`;
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is in use already: choose another one with ${portSetting}.`,
    EACCES: `Port ${port} may not be used by this user: choose one above 1023 with ${portSetting}.`,
    EADDRNOTAVAIL: `The address ${host} is not one of this machine: ${otherHost}.`,
    ENOTFOUND: `The host ${host} is unknown: ${otherHost}.`,
  };
  const sentence = sentences[code ?? ''];
  return sentence === undefined ? error : new ServerFailure(sentence, { cause: error });
}

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
