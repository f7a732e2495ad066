/** The port for operators, which serves metrics. Those of workers are added up. */

import cluster, { type Worker } from 'node:cluster';
import { on } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { AggregatorRegistry, Gauge, type MetricObject, Registry } from 'prom-client';
import { type Metrics, makeMetrics } from '../http/observe/metrics.ts';
import { makeProblemLog } from '../http/observe/problem-log.ts';
import { openServerStore } from '../store/open.ts';
import { watchDatabase } from './database-metrics.ts';
import { type Address, listen, type RunningServer } from './listening.ts';
import { type PrimaryMessage, tellPrimary, type WorkerMessage } from './workers.ts';

/** Prometheus needs one connection. A few more are for people. */
const MAX_CONNECTIONS = 64;
/** How long a request may take to arrive. */
const REQUEST_TIMEOUT_MS = 5_000;
/** Longer than workers have for their metrics. */
const IDLE_TIMEOUT_MS = 10_000;
const WORKER_TIMEOUT_MS = 1_000;

const JSON_TYPE = 'application/json; charset=utf-8';
const METHODS = ['GET', 'HEAD'];

export { makeMetrics };

export type AdminServer = Omit<RunningServer, 'drain'>;

export interface ServiceAdminOptions {
  readonly databaseUrl: string;
  readonly version: string;
  /** Whether to tell when the last imports were. Of the processes on one database, one kind is enough. */
  readonly tellsImports?: boolean;
}

/** Serves the metrics of the service: those of this process or of all workers, and when the last imports were. */
export async function startServiceAdmin(
  address: Address,
  { databaseUrl, version, tellsImports = true }: ServiceAdminOptions,
  metrics: Metrics | undefined,
  logger: Logger,
): Promise<AdminServer> {
  const store = await openServerStore(databaseUrl);
  const database = watchDatabase({ store, version, problems: makeProblemLog(logger), clock: Date.now });
  const readCounts = metrics ? async () => [await metrics.registry.getMetricsAsJSON()] : metricsOfWorkers();
  const read = async () => {
    const [counts, imports] = await Promise.all([readCounts(), database.read()]);
    const all = [...counts, await database.registry.getMetricsAsJSON()];
    return (await AggregatorRegistry.aggregate(all).metrics()) + (tellsImports ? imports : '');
  };
  const admin = await startAdmin(address, read, logger);
  return {
    url: admin.url,
    async stop() {
      await admin.stop();
      await store.close();
    },
  };
}

export async function startAdmin(
  address: Address,
  readMetrics: () => Promise<string>,
  logger: Logger,
): Promise<AdminServer> {
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
  const { url, closeOthers } = await listen(server, address);
  server.on('error', (error) =>
    logger.error(`A connection to --admin-port could not be accepted: ${error.message}.`),
  );
  return {
    url,
    async stop() {
      server.close();
      server.closeAllConnections();
      await closeOthers();
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

/**
 * In the primary: asks all workers. If a worker does not answer, for instance because it is suspended, its last counts
 * are added: without them the sums would fall, which Prometheus takes for a restart.
 */
function metricsOfWorkers(): () => Promise<(readonly MetricObject[])[]> {
  const lastAnswers = new WeakMap<Worker, readonly MetricObject[]>();
  return async () => {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    let silent = 0;
    const answers = await Promise.all(
      workers
        .filter((worker) => worker.isConnected())
        .map(async (worker) => {
          const answer = await ask(worker);
          if (answer === undefined) silent++;
          else lastAnswers.set(worker, answer);
          return answer ?? lastAnswers.get(worker) ?? [];
        }),
    );
    const own = new Registry();
    new Gauge({
      name: 'shiftfeed_workers_silent',
      help: 'Workers that did not answer, and whose counts are those that they told last.',
      registers: [own],
    }).set(silent);
    return [...answers, await own.getMetricsAsJSON()];
  };
}

/** In a worker: metrics for which the primary asks. */
export function makeMetricsForPrimary(): Metrics {
  const ownMetrics = makeMetrics();
  process.on('message', (message: PrimaryMessage) => {
    if (message.kind !== 'ask-metrics') return;
    ownMetrics.registry.getMetricsAsJSON().then(
      (metrics) => tellPrimary({ kind: 'metrics', metrics }),
      // The primary times out.
      () => undefined,
    );
  });
  return ownMetrics;
}

/** Resolves to nothing if the worker does not answer in time, and to no counts if it ends: they end with it. */
async function ask(worker: Worker): Promise<readonly MetricObject[] | undefined> {
  const signal = AbortSignal.timeout(WORKER_TIMEOUT_MS);
  const messages = on(worker, 'message', { close: ['exit'], signal });
  // An error can be ignored: the worker is ending.
  worker.send({ kind: 'ask-metrics' } satisfies PrimaryMessage, undefined, {}, () => undefined);
  try {
    for await (const given of messages) {
      const [message] = given as [WorkerMessage];
      if (message.kind === 'metrics') return message.metrics;
    }
    return [];
  } catch {
    return undefined;
  }
}
