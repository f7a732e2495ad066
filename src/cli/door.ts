/** In the primary process: accepts connections and reads nothing from them, so that a worker can. */

import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { warn } from './print.ts';
import { listenFailure } from './server.ts';

export interface Door {
  readonly address: AddressInfo;
  close(): void;
}

export async function openDoor(
  { host, port }: { host: string; port: number },
  accept: (socket: Socket) => void,
): Promise<Door> {
  const server = await listen(host, port, accept).catch((error: unknown) => {
    throw listenFailure(error, { host, port, option: '--port' });
  });
  const address = server.address() as AddressInfo;
  const others = host === 'localhost' ? await listenBeside(address, accept) : [];
  return {
    address,
    close() {
      for (const open of [server, ...others]) open.close();
    },
  };
}

/** A client may take localhost for 127.0.0.1 or for ::1. As Fastify does it, both are served if both are there. */
async function listenBeside(main: AddressInfo, accept: (socket: Socket) => void): Promise<Server[]> {
  const found = await lookup('localhost', { all: true });
  const others = found.filter(({ address }) => address !== main.address);
  const attempts = await Promise.allSettled(others.map(({ address }) => listen(address, main.port, accept)));
  return attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? attempt.value : []));
}

async function listen(host: string, port: number, accept: (socket: Socket) => void): Promise<Server> {
  const server = createServer({ pauseOnConnect: true, noDelay: true }, accept);
  server.listen(port, host);
  await once(server, 'listening');
  server.on('error', (error) => warn(`A connection could not be accepted: ${error.message}.`));
  return server;
}
