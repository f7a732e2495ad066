/** The port for operators, which serves metrics. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { type Address, listenFailure, urlOf } from './address.ts';
import type { RunningServer } from './server.ts';

/** Prometheus needs one connection. A few more are for people. */
const MAX_CONNECTIONS = 64;
/** How long a request may take to arrive. */
const REQUEST_TIMEOUT_MS = 5_000;
/** Longer than workers have for their metrics. */
const IDLE_TIMEOUT_MS = 10_000;

const JSON_TYPE = 'application/json; charset=utf-8';
const METHODS = ['GET', 'HEAD'];

export async function startAdmin(
  address: Address,
  readMetrics: () => Promise<string>,
  logger: Logger,
): Promise<RunningServer> {
  const read = shareReading(readMetrics);
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => {
      // An error must not affect other connections.
      answer(request, response, read).catch(() => response.destroy());
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(IDLE_TIMEOUT_MS);
  server.listen(address.port, address.host);
  await once(server, 'listening').catch((error: unknown) => {
    throw listenFailure(error, address);
  });
  server.on('error', (error) =>
    logger.error(`A connection to --admin-port could not be accepted: ${error.message}.`),
  );
  return {
    url: urlOf(server.address() as AddressInfo),
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(
  { method = '', url = '' }: IncomingMessage,
  response: ServerResponse,
  readMetrics: () => Promise<string>,
): Promise<void> {
  const send = (status: number, contentType: string, body: string, headers = {}) => {
    const contentLength = Buffer.byteLength(body);
    response
      .writeHead(status, { 'content-type': contentType, 'content-length': contentLength, ...headers })
      .end(body);
  };
  const refuse = (status: number, error: string, headers = {}) =>
    send(status, JSON_TYPE, JSON.stringify({ error }), headers);

  if (url.split('?', 1)[0] !== '/metrics') {
    return refuse(404, 'There is nothing at this address: metrics are at /metrics.');
  }
  if (!METHODS.includes(method)) {
    return refuse(405, 'Metrics can only be read: use GET or HEAD.', { allow: METHODS.join(', ') });
  }
  const metrics = await readMetrics().catch(() => undefined);
  if (metrics === undefined) {
    return refuse(503, 'A worker did not tell its metrics in time: try again soon.', { 'retry-after': 5 });
  }
  return send(200, AggregatorRegistry.PROMETHEUS_CONTENT_TYPE, metrics);
}

/** Requests that arrive while metrics are being read share the result. */
function shareReading(read: () => Promise<string>): () => Promise<string> {
  let underWay: Promise<string> | undefined;
  return () => {
    underWay ??= read().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}
