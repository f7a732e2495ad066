/** A line to a server that can be broken: cut, so that nobody is there; frozen, so that nobody answers; slow; or half-closed. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Cleanup } from './database.ts';

export interface Line {
  /** The same URL, by this line. */
  readonly url: string;
  /** How many it holds. */
  connections(): number;
  /** How many there were so far. */
  opened(): number;
  /** Ends all connections and refuses new ones. */
  cut(): Promise<void>;
  /** Takes bytes and connections as before, but passes nothing on. */
  freeze(): void;
  /** Passes on everything so much later. */
  slowDown(byMs: number): void;
  /** Says goodbye to the near side, but goes on taking bytes from it. New connections get the same. */
  halfClose(): void;
  /** New connections lead to another server, and the ones there are end. */
  leadTo(targetUrl: string): void;
  /** Works again. What was taken while frozen is lost with its connections. */
  mend(): Promise<void>;
}

export async function startLine(context: Cleanup, targetUrl: string): Promise<Line> {
  let target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  let frozen = false;
  let halfClosed = false;
  let laterByMs = 0;
  let opened = 0;
  const nears = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: Number(target.port), host: target.hostname, allowHalfOpen: true });
    nears.add(near);
    opened++;
    near.on('close', () => nears.delete(near));
    if (halfClosed) near.end();
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => {
        if (frozen || !to.writable) return;
        if (laterByMs === 0) to.write(bytes);
        else setTimeout(() => to.writable && to.write(bytes), laterByMs);
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
    connections: () => nears.size,
    opened: () => opened,
    cut,
    freeze() {
      frozen = true;
    },
    slowDown(byMs) {
      laterByMs = byMs;
    },
    halfClose() {
      halfClosed = true;
      for (const near of nears) near.end();
    },
    leadTo(targetUrl) {
      target = new URL(targetUrl);
      for (const socket of sockets) socket.destroy();
    },
    async mend() {
      await cut();
      frozen = false;
      halfClosed = false;
      laterByMs = 0;
      await listen(port);
    },
  };
}
