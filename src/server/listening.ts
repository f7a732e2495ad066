/** Listening on an address, and the sentence to print when that is not possible. */

import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { ServerFailure } from './failure.ts';

/** Where to listen, and which setting said so, such as --host or HOST. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly hostSetting: string;
  readonly portSetting: string;
  /** The addresses that the host has, once they are known. */
  readonly hosts?: readonly string[];
  /** Whether other workers listen there, too. */
  readonly isShared?: boolean;
}

export interface RunningServer {
  readonly url: string;
  /** Sends clients elsewhere, for a while before it stops, and answers them as before. */
  drain(): void;
  /** Resolves when running requests are finished and everything is closed. */
  stop(): Promise<void>;
}

export interface Listener {
  readonly url: string;
  /** With the port that was free, and the addresses that could be used. */
  readonly address: Address;
  /**
   * Stops listening on the addresses beside the first one, which is the server's own. Resolves when their connections
   * are closed, or after ten seconds.
   */
  closeOthers(): Promise<void>;
}

const CLOSE_TIMEOUT_MS = 10_000;
/** Kept free for databases, threads, logs and source files. */
const RESERVED_FILES = 64;

/**
 * Clients resolve localhost to 127.0.0.1 or to ::1. The server listens on the first one, and on the other one if that
 * is possible. Errors after the start are the server's, which logs them.
 */
export async function listen(server: Server, address: Address): Promise<Listener> {
  try {
    const [first = address.host, ...rest] = address.hosts ?? (await addressesOf(address.host));
    const { address: host, port } = await open(server, first, address);
    const opened = await Promise.all(rest.map((other) => openOther(server, other, { ...address, port })));
    const others = opened.filter((other) => other !== undefined);
    const hosts = [host, ...others.map((other) => (other.address() as AddressInfo).address)];
    return {
      url: urlOf(host, port),
      address: { ...address, port, hosts },
      async closeOthers() {
        const closed = others.map((other) => once(other.close(), 'close'));
        await Promise.race([Promise.all(closed), pause(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
      },
    };
  } catch (error) {
    throw listenFailure(error, address);
  }
}

/**
 * Where workers can listen. Finds a port if none is chosen, and makes sure that nobody listens there: workers share a
 * port, and the system would let them share it with another server of the same user.
 */
export async function findFree(address: Address): Promise<Listener> {
  const probe = createServer((socket) => socket.destroy()).on('error', () => undefined);
  const found = await listen(probe, { ...address, isShared: false });
  await Promise.all([found.closeOthers(), once(probe.close(), 'close')]);
  return { ...found, address: { ...found.address, isShared: true } };
}

async function addressesOf(host: string): Promise<readonly string[]> {
  if (host !== 'localhost') return [host];
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/**
 * On Linux, each worker has a socket of its own, and the system spreads connections evenly. Elsewhere, node:cluster has
 * all workers take connections from one socket.
 */
async function open(server: Server, host: string, { port, isShared = false }: Address): Promise<AddressInfo> {
  server.listen({ host, port, reusePort: isShared && process.platform === 'linux' });
  await once(server, 'listening');
  return server.address() as AddressInfo;
}

async function openOther(server: Server, host: string, address: Address): Promise<Server | undefined> {
  const other = createServer({ noDelay: true, allowHalfOpen: true }, (socket) =>
    server.emit('connection', socket),
  );
  try {
    await open(other, host, address);
  } catch {
    return undefined;
  }
  return other.on('error', (error) => server.emit('error', error));
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Node's error about an address that cannot be listened on, as a sentence. */
function listenFailure(error: unknown, { host, port, hostSetting, portSetting }: Address): unknown {
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
