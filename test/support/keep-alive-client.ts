/** A client that asks again and again over one connection. It costs far less than `fetch`, for tests that ask a lot. */

import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Cleanup } from './database.ts';

interface KeepAliveClient {
  get(path: string): Promise<{ readonly status: number | undefined; readonly body: string }>;
}

export function keepAliveClient(context: Cleanup, url: string, token: string): KeepAliveClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  context.after(() => agent.destroy());
  const { hostname, port } = new URL(url);
  const headers = { authorization: `Bearer ${token}` };
  return {
    async get(path) {
      const [response] = (await once(get({ agent, hostname, port, path, headers }), 'response')) as [
        IncomingMessage,
      ];
      return { status: response.statusCode, body: await text(response) };
    },
  };
}
