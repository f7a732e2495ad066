import cluster from 'node:cluster';
import { Command } from 'commander';
import { DEMO_SLUG, DEMO_TIME_ZONE, demoDocument } from '../demo/account.ts';
import { todayIn } from '../feed/today.ts';
import { importDocument } from '../import/import.ts';
import { StoreFailure } from '../store/failure.ts';
import type { Store } from '../store/store.ts';
import { type Log, openLog } from './log.ts';
import { withStore } from './options.ts';
import { print } from './print.ts';
import { addServeOptions, type ServeOptions } from './serve-options.ts';
import { type RunningServer, type ServerOptions, startServer } from './server.ts';
import { issueToken } from './token.ts';
import { tellPrimary } from './worker-messages.ts';
import { startWorkers } from './workers.ts';

const MEGABYTE = 1024 * 1024;
const DEMO_TOKEN_DAYS = 30;
/** Longer than answers have to be finished; what is not over by then is not waited for. */
const STOP_LIMIT_MS = 15_000;

export function serveCommand(): Command {
  const command = new Command('serve')
    .summary('Serve the API over HTTP.')
    .description(
      'Serves the API over HTTP. The first line on standard output holds the URL; logs go to standard ' +
        'error. SIGTERM and SIGINT let running requests finish.',
    );
  return addServeOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  shiftfeed serve --demo
  shiftfeed serve --host 0.0.0.0 --workers auto --database postgres://shiftfeed@db.example/shiftfeed`,
    )
    .action(serve);
}

async function serve(options: ServeOptions): Promise<void> {
  if (cluster.isWorker) return serveAsWorker(options);
  // The one process that there is in any case brings the schema up to date.
  const demoToken = await withStore(options.database, { missing: 'create' }, (store) =>
    prepare(store, options),
  ).catch((error: unknown) => goOnWithoutPrimary(options, error));
  const log = openLog(options.logLevel, process.stderr);
  const { url, metricsUrl, stop } =
    options.adminPort === undefined
      ? { ...(await startServing(options, log)), metricsUrl: undefined }
      : await startWithAdmin(options, log, options.adminPort);
  stopOnSignal(stop, log);
  print(`Shiftfeed listens on ${url}${options.pathPrefix}`);
  if (demoToken !== undefined) {
    const listing = `${url}${options.pathPrefix}/${DEMO_SLUG}/api/v1/shifts`;
    print(`Try it: curl -H 'Authorization: Bearer ${demoToken}' '${listing}?per_page=3'`);
    print(`Read about it: ${url}${options.pathPrefix}/docs`);
  }
  if (metricsUrl !== undefined) print(`Metrics are at ${metricsUrl}`);
}

async function serveAsWorker(options: ServeOptions): Promise<void> {
  const metrics = options.adminPort === undefined ? undefined : await metricsForPrimary();
  const log = openLog(options.logLevel, process.stderr);
  const { stop } = await startServer(serverOptions(options, log, metrics));
  stopOnSignal(stop, log);
  tellPrimary({ kind: 'ready' });
}

async function metricsForPrimary() {
  const { handMetricsToPrimary, makeMetrics } = await adminParts();
  const metrics = makeMetrics();
  handMetricsToPrimary(metrics.registry);
  return metrics;
}

/** Loading these takes time that those without an admin port need not spend. */
async function adminParts() {
  return {
    ...(await import('./admin.ts')),
    ...(await import('./worker-metrics.ts')),
    ...(await import('../http/metrics.ts')),
  };
}

async function startWithAdmin(
  options: ServeOptions,
  log: Log,
  adminPort: number,
): Promise<RunningServer & { metricsUrl: string }> {
  const { makeMetrics, metricsOfWorkers, startAdmin } = await adminParts();
  const metrics = options.workers > 1 ? undefined : makeMetrics();
  const read = metrics ? () => metrics.registry.metrics() : metricsOfWorkers();
  const admin = await startAdmin({ host: options.adminHost, port: adminPort }, read, log.logger);
  try {
    const server = await startServing(options, log, metrics);
    return {
      url: server.url,
      metricsUrl: `${admin.url}/metrics`,
      async stop() {
        await server.stop();
        await admin.stop();
      },
    };
  } catch (error) {
    await admin.stop();
    throw error;
  }
}

function startServing(
  options: ServeOptions,
  log: Log,
  metrics?: ServerOptions['metrics'],
): Promise<RunningServer> {
  return options.workers > 1
    ? startWorkers(options, log.logger)
    : startServer(serverOptions(options, log, metrics));
}

function serverOptions(options: ServeOptions, log: Log, metrics: ServerOptions['metrics']): ServerOptions {
  return {
    databaseUrl: options.readDatabase ?? options.database,
    host: options.host,
    port: options.port,
    cacheBytes: Math.floor((options.cacheMb * MEGABYTE) / options.workers),
    staleIfErrorMs: options.staleIfError * 1000,
    logger: log.logger,
    logRequests: options.logLevel === 'info',
    baseUrl: options.baseUrl,
    pathPrefix: options.pathPrefix,
    trustedProxies: options.trustProxy,
    corsOrigins: new Set(options.corsOrigin),
    tokenRate: options.rateLimit,
    failureRate: options.failedTokenLimit,
    inFlightBytes: options.inFlightMb * MEGABYTE,
    limits: {
      maxConnections: options.maxConnections,
      maxRequestsUnderWay: options.maxPipelined,
      headerTimeoutMs: options.headerTimeout * 1000,
      idleTimeoutMs: options.idleTimeout * 1000,
      minReadBytesPerSecond: options.minReadRate * 1024,
    },
    metrics,
    isWorker: cluster.isWorker,
  };
}

/** A server that reads elsewhere can start while its primary is away; the schema is then left as it is. */
function goOnWithoutPrimary({ readDatabase }: ServeOptions, error: unknown): undefined {
  const isAway = error instanceof StoreFailure && error.kind === 'unavailable';
  if (readDatabase === undefined || !isAway) throw error;
  process.stderr.write(`shiftfeed: ${error.message} Going on with --read-database alone.\n`);
}

/** Returns a token of the demo account, if there is to be one. */
async function prepare(store: Store, { demo }: ServeOptions): Promise<string | undefined> {
  if (!demo) return undefined;
  if ((await store.accounts()).length === 0) {
    const document = demoDocument(todayIn(DEMO_TIME_ZONE, Date.now()));
    await importDocument(store, document, { replace: false, dryRun: false });
  }
  const account = await store.findAccount(DEMO_SLUG);
  if (!account?.premium) return undefined;
  return issueToken(store, account, 'demo', Date.now() + DEMO_TOKEN_DAYS * 24 * 3_600_000);
}

function stopOnSignal(stop: () => Promise<void>, log: Log): void {
  let stopping = false;
  const onSignal = () => {
    // Ctrl-C in a terminal arrives twice when npm or the launcher passes it on as well.
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
    stop()
      .finally(log.flush)
      .then(
        () => process.exit(0),
        () => process.exit(1),
      );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
