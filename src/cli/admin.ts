/** The port for operators: metrics, on an address of their own. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AggregatorRegistry } from 'prom-client';
import { listenFailure, type RunningServer, urlOf } from './server.ts';

export async function startAdmin(
  { host, port }: { host: string; port: number },
  readMetrics: () => Promise<string>,
): Promise<RunningServer> {
  const server = createServer(async (request, response) => {
    const refuse = (status: number, error: string) =>
      response
        .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
        .end(JSON.stringify({ error }));
    if (request.url?.split('?', 1)[0] !== '/metrics' || !['GET', 'HEAD'].includes(request.method ?? '')) {
      return refuse(404, 'There is nothing at this address: metrics are at /metrics.');
    }
    const metrics = await readMetrics().catch(() => undefined);
    // A worker that starts at this moment may not answer.
    if (metrics === undefined)
      return refuse(503, 'A worker did not tell its metrics in time: try again soon.');
    return response
      .writeHead(200, { 'content-type': AggregatorRegistry.PROMETHEUS_CONTENT_TYPE })
      .end(metrics);
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    throw listenFailure(error, { host, port, option: '--admin-port' });
  });
  return {
    url: urlOf(server.address() as AddressInfo),
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
