/** The address to listen on: its URL, and the sentence to print when it cannot be used. */

import type { AddressInfo } from 'node:net';
import { Failure } from '../failure.ts';

/** Where to listen, and which setting said so, such as --host or HOST. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly hostSetting: string;
  readonly portSetting: string;
}

const MAX_PORT = 65_535;

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
  return sentence === undefined ? error : new Failure(sentence, { cause: error });
}

/** Someone who typed "npm start" may not know the options yet, so the sentence shows the whole command. */
export function npmStart(option: string, port: number): string | undefined {
  const { npm_lifecycle_event: script, npm_package_name: name } = process.env;
  if (script !== 'start' || name !== 'shiftfeed') return undefined;
  return `"npm start -- ${option} ${port < 1024 || port === MAX_PORT ? 8080 : port + 1}"`;
}
