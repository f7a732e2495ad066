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

/** Resolves when a connection is closed, also by a reset. */
export function endOf(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (socket.closed) resolve();
  socket.once('close', () => resolve());
  return promise;
}

/** What clients send that then wait without end. */
export const STUCK_CLIENTS: readonly string[] = [
  '',
  'GET / HT',
  'CONNECT a:1 HTTP/1.1\r\n\r\n',
  `CONNECT a:1 HTTP/1.1\r\n\r\n${'x'.repeat(100_000)}`,
  'CONNECT a:1 HTTP/1.1\r\nContent-Length: 9\r\n\r\n',
  'nonsense\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n',
];
