/** A line to a server that a test can break: cut, so that nobody is there, or frozen, so that nobody answers. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Cleanup } from './database.ts';

export interface Line {
  /** The same URL, by this line. */
  readonly url: string;
  /** Ends all connections and refuses new ones. */
  cut(): Promise<void>;
  /** Takes bytes and connections as before, but passes nothing on. */
  freeze(): void;
  /** Works again. What was taken while frozen is lost with its connections. */
  mend(): Promise<void>;
}

export async function startLine(context: Cleanup, targetUrl: string): Promise<Line> {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  let frozen = false;
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: Number(target.port), host: target.hostname, allowHalfOpen: true });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => {
        if (!frozen) to.write(bytes);
      });
      // A goodbye is not passed on either, nor answered.
      from.on('end', () => {
        if (!frozen) to.end();
      });
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on('error', () => undefined);
    }
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const cut = async () => {
    for (const socket of sockets) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  context.after(cut);
  const url = new URL(targetUrl);
  url.port = String(port);
  return {
    url: url.href,
    cut,
    freeze() {
      frozen = true;
    },
    async mend() {
      await cut();
      frozen = false;
      await listen(port);
    },
  };
}
