/** Accepts connections for somebody else: in the primary process for the workers, and on further addresses for the server. */

import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type ServerOpts, type Socket } from 'node:net';
import { listenFailure } from './address.ts';
import { warn } from './print.ts';

export interface Door {
  readonly address: AddressInfo;
  close(): void;
}

/** Nothing is read from these connections, so that a worker can. */
const PAUSED = { pauseOnConnect: true };

export async function openDoor(
  { host, port }: { host: string; port: number },
  accept: (socket: Socket) => void,
): Promise<Door> {
  const server = await listen(host, port, accept, PAUSED).catch((error: unknown) => {
    throw listenFailure(error, { host, port, option: '--port' });
  });
  const address = server.address() as AddressInfo;
  const others = await listenBeside(host, address, accept, PAUSED);
  return {
    address,
    close() {
      for (const open of [server, ...others]) open.close();
    },
  };
}

/** A client may take localhost for 127.0.0.1 or for ::1. Both are served if both are there. */
export async function listenBeside(
  host: string,
  main: AddressInfo,
  accept: (socket: Socket) => void,
  options: ServerOpts = {},
): Promise<Server[]> {
  if (host !== 'localhost') return [];
  const found = await lookup('localhost', { all: true });
  const others = found.filter(({ address }) => address !== main.address);
  const attempts = await Promise.allSettled(
    others.map(({ address }) => listen(address, main.port, accept, options)),
  );
  return attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? attempt.value : []));
}

async function listen(
  host: string,
  port: number,
  accept: (socket: Socket) => void,
  options: ServerOpts,
): Promise<Server> {
  const server = createServer({ ...options, noDelay: true, allowHalfOpen: true }, accept);
  server.listen(port, host);
  await once(server, 'listening');
  server.on('error', (error) => warn(`A connection could not be accepted: ${error.message}.`));
  return server;
}
