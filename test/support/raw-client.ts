/** A client below HTTP: it sends bytes as they are, and ends its connection as rudely as it likes. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RawClient {
  readonly socket: Socket;
  /** All that comes back until the server closes. */
  readonly answer: Promise<string>;
}

export async function rawClient(url: string, bytes = ''): Promise<RawClient> {
  const socket = await silentClient(url);
  const answer = text(socket).catch(() => '');
  if (bytes !== '') socket.write(bytes);
  return { socket, answer };
}

/** A connection from which nothing is read. */
export async function silentClient(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  // A reset is one of the things that happen here.
  socket.on('error', () => undefined);
  return socket;
}

/** The statuses of the responses in an answer, in their order. */
export function statusesIn(answer: string): number[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
