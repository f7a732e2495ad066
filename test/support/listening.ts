/** Ports, and who listens there. */

import { once } from 'node:events';
import { Server as HttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import type { Cleanup } from './database.ts';

/** Lets a server listen at any port until the test is over, and tells which. */
export async function listen(context: Cleanup, server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  context.after(() => {
    server.close();
    if (server instanceof HttpServer) server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** A port at which nobody listens: it was just given back. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}

/** Whether somebody takes connections at the address of this URL. */
export async function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
