/**
 * Keeps some connections busy with one request for some seconds: by `wrk` where it is installed, else from here. The
 * generator here reads raw bytes and looks no further than status and length, but a page as large as ours
 * keeps it busier than the server: where it has to do, a ratio close to 1 says no more than that.
 */

import { execFile, spawnSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';

export interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
}

export const GENERATOR = spawnSync('wrk', ['-v']).error === undefined ? 'wrk' : 'Node';

/** Responses per second. Throws when one of them is not a 200. */
export function measure(load: Load): Promise<number> {
  return GENERATOR === 'wrk' ? measureWithWrk(load) : measureWithNode(load);
}

async function measureWithWrk({ url, headers, connections, seconds }: Load): Promise<number> {
  const headerArguments = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const { stdout } = await promisify(execFile)('wrk', [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    ...headerArguments,
    url,
  ]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout);
  return Number(/Requests\/sec: +([\d.]+)/.exec(stdout)?.[1]);
}

async function measureWithNode({ url, headers, connections, seconds }: Load): Promise<number> {
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
