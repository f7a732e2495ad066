/** The address that is listened on: how it is told, and why it cannot be. */

import type { AddressInfo } from 'node:net';
import { Failure } from './failure.ts';

export function urlOf({ address, port }: Pick<AddressInfo, 'address' | 'port'>): string {
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** What Node says about an address that cannot be listened on, as a sentence. */
export function listenFailure(
  error: unknown,
  { host, port, option }: { host: string; port: number; option: '--port' | '--admin-port' },
): unknown {
  const hostOption = option.replace('port', 'host');
  const { code } = error as NodeJS.ErrnoException;
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is in use already: choose another one with ${option}.`,
    EACCES: `Port ${port} may not be used by this user: choose one above 1023 with ${option}.`,
    EADDRNOTAVAIL: `The address ${host} is not one of this machine: choose another one with ${hostOption}.`,
    ENOTFOUND: `The host ${host} is unknown: choose another one with ${hostOption}.`,
  };
  const sentence = sentences[code ?? ''];
  return sentence === undefined ? error : new Failure(sentence, { cause: error });
}
