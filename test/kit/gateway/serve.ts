/** A gateway, or a website around it, at an address for browsers. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cleanup } from '../../support/database.ts';

export async function serve(
  context: Cleanup,
  handle: (request: Request) => Response | Promise<Response>,
): Promise<string> {
  const server = createServer(async ({ headers, url }, response) => {
    const request = new Request(`http://${headers.host}${url}`, {
      headers: { 'accept-language': headers['accept-language'] ?? '', origin: headers.origin ?? '' },
    });
    const answer = await handle(request);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
