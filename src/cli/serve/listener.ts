/** Accepts connections for somebody else: in the primary process for the workers, and on further addresses for the server. */

import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Logger } from 'pino';
import { makeProblemLog } from '../../http/observe/problem-log.ts';
import { type Address, listenFailure } from './address.ts';

export interface Door {
  readonly address: AddressInfo;
  close(): void;
}

export interface DoorOptions {
  readonly host: string;
  readonly logger: Logger;
  readonly accept: (socket: Socket) => void;
  /** Whether nothing is read from the connections, so that another process can. */
  readonly isForOthers?: boolean;
}

export async function openDoor(options: DoorOptions & Address): Promise<Door> {
  const server = await listen(options, options.host, options.port).catch((error: unknown) => {
    throw listenFailure(error, options);
  });
  const address = server.address() as AddressInfo;
  const others = await listenBeside(address, options);
  return {
    address,
    close() {
      for (const open of [server, ...others]) open.close();
    },
  };
}

/** A client may take localhost for 127.0.0.1 or for ::1. Both are served if both are there. */
export async function listenBeside(main: AddressInfo, options: DoorOptions): Promise<Server[]> {
  if (options.host !== 'localhost') return [];
  const found = await lookup('localhost', { all: true });
  const others = found.filter(({ address }) => address !== main.address);
  const attempts = await Promise.allSettled(others.map(({ address }) => listen(options, address, main.port)));
  return attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? attempt.value : []));
}

async function listen(
  { accept, logger, isForOthers = false }: DoorOptions,
  host: string,
  port: number,
): Promise<Server> {
  const server = createServer({ pauseOnConnect: isForOthers, noDelay: true, allowHalfOpen: true }, accept);
  server.listen(port, host);
  await once(server, 'listening');
  const log = makeProblemLog(logger);
  server.on('error', (error) => log.error(`A connection could not be accepted: ${error.message}.`));
  return server;
}
