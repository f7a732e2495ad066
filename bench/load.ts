/**
 * A load generator: keeps some connections busy with one request for some seconds. It reads raw bytes and looks
 * no further than status and length, so that it is not what limits the server.
 */

import { connect, type Socket } from 'node:net';

export interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
}

/** Responses per second. Throws when one of them is not a 200. */
export async function measure({ url, headers, connections, seconds }: Load): Promise<number> {
  const { hostname, port, pathname, search, host } = new URL(url);
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = `GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`;
  const started = performance.now();
  const until = started + seconds * 1000;
  const counts = await Promise.all(
    Array.from({ length: connections }, () => keepAsking(connect(Number(port), hostname), request, until)),
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  return total / ((performance.now() - started) / 1000);
}

function keepAsking(socket: Socket, request: string, until: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let count = 0;
  let missing = 0;
  socket.setNoDelay(true);
  socket.on('connect', () => socket.write(request));
  socket.on('error', reject);
  socket.on('data', (chunk: Buffer) => {
    missing = missing === 0 ? responseLength(chunk) - chunk.length : missing - chunk.length;
    if (missing > 0) return;
    count++;
    if (performance.now() < until) {
      socket.write(request);
    } else {
      socket.destroy();
      resolve(count);
    }
  });
  return promise;
}

/** From the first chunk of a response; servers send the head in one piece. */
function responseLength(chunk: Buffer): number {
  const end = chunk.indexOf('\r\n\r\n');
  const head = chunk.toString('latin1', 0, end);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (!head.startsWith('HTTP/1.1 200') || length === undefined)
    throw new Error(`unexpected response: ${head}`);
  return end + 4 + Number(length);
}
