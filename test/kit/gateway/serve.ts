/** A gateway, or a website around it, at an address for browsers. */

import { createServer } from 'node:http';
import type { Cleanup } from '../../support/database.ts';
import { listen } from '../../support/listening.ts';

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
  return `http://127.0.0.1:${await listen(context, server)}`;
}
