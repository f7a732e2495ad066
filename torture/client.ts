/** A polite client: it keeps its connections, and unpacks what it gets. */

import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { Cleanup } from '../test/support/database.ts';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly encoding: string;
  /** Unpacked. */
  readonly body: string;
}

export type Get = (path: string, headers: Readonly<Record<string, string>>) => Promise<Reply>;

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  identity: (bytes) => bytes,
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

const TIMEOUT_MS = 60_000;

export function makeClient(context: Cleanup, url: string, maxSockets: number): Get {
  const agent = new Agent({ keepAlive: true, maxSockets });
  context.after(() => agent.destroy());
  const { hostname, port } = new URL(url);
  return async (path, headers) => {
    const sent = request({ agent, hostname, port, path, headers, timeout: TIMEOUT_MS }).end();
    sent.on('timeout', () => sent.destroy(new Error(`${path} was not answered`)));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const bytes = await buffer(response);
    const encoding = response.headers['content-encoding'] ?? 'identity';
    const decode = DECODERS[encoding];
    if (decode === undefined) throw new Error(`${path} came in the encoding ${encoding}`);
    const body = bytes.length === 0 ? '' : decode(bytes).toString();
    return { status: response.statusCode ?? 0, headers: response.headers, encoding, body };
  };
}

/** Several clients ask until it is over. */
export async function keepAsking(
  clients: number,
  pauseMs: number,
  over: AbortSignal,
  ask: () => Promise<unknown>,
): Promise<void> {
  const askOn = async () => {
    for (; !over.aborted; await delay(pauseMs)) await ask();
  };
  await Promise.all(Array.from({ length: clients }, askOn));
}
