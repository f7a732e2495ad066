/** Listening on an address, and the sentence to print when that is not possible. */

import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, Socket } from 'node:net';
import { ServerFailure } from './lifecycle.ts';

/** Where to listen, and which setting said so, such as --host or HOST. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly hostSetting: string;
  readonly portSetting: string;
  /** The addresses that the host has, once they are known. */
  readonly hosts?: readonly string[];
  /** Descriptors of sockets that systemd listens on. If there are any, they take the place of host and port. */
  readonly sockets?: readonly number[];
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
   * are closed.
   */
  closeOthers(): Promise<void>;
}

/** For a socket of systemd: as many clients as Linux allows by default may wait while the service restarts. */
const BACKLOG = 4_096;
/** Kept free for databases, threads, logs and source files. */
const RESERVED_FILES = 64;

/**
 * Clients resolve localhost to 127.0.0.1 or to ::1. The server listens on the first one, and on the other one if that
 * is possible. Errors after the start are the server's, which logs them.
 */
export async function listen(server: Server, address: Address): Promise<Listener> {
  try {
    const [first = address.host, ...rest] = await placesOf(address);
    const { address: host, port } = await open(server, first, address);
    const opened = await Promise.all(rest.map((other) => openOther(server, other, { ...address, port })));
    const others = opened.filter((other) => other !== undefined);
    const hosts = [host, ...others.map((other) => (other.address() as AddressInfo).address)];
    return {
      url: urlOf(host, port),
      address: { ...address, port, hosts },
      async closeOthers() {
        await Promise.all(others.map((other) => once(other.close(), 'close')));
      },
    };
  } catch (error) {
    throw listenFailure(error, address);
  }
}

/**
 * Where workers can listen: at the sockets that systemd passed, or else at an address. Finds a port if none is chosen, and makes sure that nobody listens there: workers share a
 * port, and the system would let them share it with another server of the same user.
 */
export async function findFree(address: Address): Promise<Address> {
  if ((address.sockets ?? []).length > 0) return address;
  const probe = createServer((socket) => socket.destroy()).on('error', () => undefined);
  const found = await listen(probe, { ...address, isShared: false });
  await Promise.all([found.closeOthers(), once(probe.close(), 'close')]);
  return { ...found.address, isShared: true };
}

/** An address of this machine, or the descriptor of a socket that systemd passed. */
type Place = string | number;

async function placesOf({ host, hosts, sockets = [] }: Address): Promise<readonly Place[]> {
  if (sockets.length > 0) return sockets;
  if (hosts !== undefined || host !== 'localhost') return hosts ?? [host];
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/**
 * On Linux, each worker has a socket of its own, and the system spreads connections evenly. Elsewhere, node:cluster has
 * all workers take connections from one socket.
 */
async function open(server: Server, place: Place, { port, isShared = false }: Address): Promise<AddressInfo> {
  if (typeof place === 'number') return openPassed(server, place);
  server.listen({ host: place, port, reusePort: isShared && process.platform === 'linux' });
  await once(server, 'listening');
  return server.address() as AddressInfo;
}

/**
 * Given as a socket, because in a worker, node:cluster would take the number for a descriptor of the primary, and close
 * that when no worker is left.
 */
async function openPassed(server: Server, fd: number): Promise<AddressInfo> {
  try {
    server.listen(new Socket({ fd, readable: false, writable: false }), BACKLOG);
    await once(server, 'listening');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new ServerFailure(`The socket ${fd} that systemd passed cannot be listened on (${code}).`);
  }
  const address = server.address();
  if (typeof address === 'object' && address !== null) return address;
  server.close();
  throw new ServerFailure(
    `The socket ${fd} that systemd passed is none of TCP: ListenStream= has to be a port, or an address and a port.`,
  );
}

async function openOther(server: Server, place: Place, address: Address): Promise<Server | undefined> {
  const other = createServer({ noDelay: true, allowHalfOpen: true }, (socket) =>
    server.emit('connection', socket),
  );
  try {
    await open(other, place, address);
  } catch (error) {
    if (typeof place === 'number') throw error;
    return undefined;
  }
  return other.on('error', (error) => server.emit('error', error));
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Node's error about an address that cannot be listened on, as a sentence. */
function listenFailure(error: unknown, { host, port, hostSetting, portSetting }: Address): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  // It is none of the system.
  if (syscall === undefined) return error;
  const otherHost = `choose another one with ${hostSetting}`;
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is in use already: choose another one with ${portSetting}.`,
    EACCES: `Port ${port} may not be used by this user: choose one above 1023 with ${portSetting}.`,
    EADDRNOTAVAIL: `The address ${host} is not one of this machine: ${otherHost}.`,
    ENOTFOUND: `The host ${host} is unknown: ${otherHost}.`,
  };
  const sentence = sentences[code] ?? `The address ${host} cannot be listened on (${code}): ${otherHost}.`;
  return new ServerFailure(sentence, { cause: error });
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
