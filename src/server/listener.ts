/**
 * Listens on a port for somebody else: in the primary process for the workers, or on a second address for the server.
 */

import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Logger } from 'pino';
import { makeProblemLog } from '../http/observe/problem-log.ts';
import { type Address, listenFailure } from './address.ts';

export interface Listener {
  readonly address: AddressInfo;
  close(): void;
}

export interface ListenerOptions {
  readonly host: string;
  readonly logger: Logger;
  readonly onConnection: (socket: Socket) => void;
  /** Leaves connections unread, so that another process can read them. */
  readonly pauseOnConnect?: boolean;
}

export async function openListener(options: ListenerOptions & Address): Promise<Listener> {
  const server = await listen(options, options.host, options.port).catch((error: unknown) => {
    throw listenFailure(error, options);
  });
  const address = server.address() as AddressInfo;
  const others = await listenOnOtherLoopback(address, options);
  return {
    address,
    close() {
      for (const open of [server, ...others]) open.close();
    },
  };
}

/**
 * Clients resolve localhost to 127.0.0.1 or to ::1. When one of them is being listened on, this adds the other if it
 * exists.
 */
export async function listenOnOtherLoopback(main: AddressInfo, options: ListenerOptions): Promise<Server[]> {
  if (options.host !== 'localhost') return [];
  const found = await lookup('localhost', { all: true });
  const others = found.filter(({ address }) => address !== main.address);
  const attempts = await Promise.allSettled(others.map(({ address }) => listen(options, address, main.port)));
  return attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? attempt.value : []));
}

async function listen(
  { onConnection, logger, pauseOnConnect = false }: ListenerOptions,
  host: string,
  port: number,
): Promise<Server> {
  const server = createServer({ pauseOnConnect, noDelay: true, allowHalfOpen: true }, onConnection);
  server.listen(port, host);
  await once(server, 'listening');
  const log = makeProblemLog(logger);
  server.on('error', (error) => log.error(`A connection could not be accepted: ${error.message}.`));
  return server;
}
