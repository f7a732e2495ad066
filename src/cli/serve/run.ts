/** Runs `serve`: prepares the database, starts the server or its workers, and stops them on a signal. */

import cluster from 'node:cluster';
import { StoreFailure } from '../../store/failure.ts';
import { withStore } from '../options.ts';
import { print, warn } from '../print.ts';
import type { Address } from './address.ts';
import { beginning, ending } from './announcement.ts';
import { type Log, openLog } from './log.ts';
import { notifySystemd } from './notify-systemd.ts';
import type { ServeOptions, ServeSettings } from './options.ts';
import { type RunningServer, type ServerOptions, startServer } from './server.ts';
import { stopOnSignal } from './stop-on-signal.ts';
import { tellPrimary } from './worker-messages.ts';
import { startWorkers } from './workers.ts';

const MEGABYTE = 1024 * 1024;

export async function serve(options: ServeSettings): Promise<void> {
  if (cluster.isWorker) return serveAsWorker(options);
  const accounts = await prepare(options);
  const log = openLog(options.logLevel, process.stderr);
  const stopWith = stopOnSignal(log);
  const { url, metricsUrl, stop } =
    options.adminAddress === undefined
      ? { ...(await startServing(options, log)), metricsUrl: undefined }
      : await startWithAdmin(options, log, options.adminAddress);
  stopWith(stop);
  const root = `${url}${options.pathPrefix}`;
  const facts = { ...options, root, metricsUrl, accounts };
  const isTerminal = process.stdout.isTTY;
  print(beginning(facts, isTerminal));
  if (options.demo && accounts !== undefined)
    await (await demo()).showDemo(options.database, root, { hasPages: options.pages, isTerminal });
  print(ending(facts, isTerminal));
  notifySystemd();
}

async function serveAsWorker(options: ServeSettings): Promise<void> {
  const metrics = options.adminPort === undefined ? undefined : await metricsForPrimary();
  const log = openLog(options.logLevel, process.stderr);
  const stopWith = stopOnSignal(log);
  const { stop } = await startServer(serverOptions(options, log, metrics));
  stopWith(stop);
  tellPrimary({ kind: 'ready' });
}

async function metricsForPrimary() {
  const { handMetricsToPrimary, makeMetrics } = await adminParts();
  const metrics = makeMetrics();
  handMetricsToPrimary(metrics.registry);
  return metrics;
}

/** Loaded on demand: only `--demo` imports an account. */
function demo() {
  return import('./demo.ts');
}

/** Loaded on demand: most servers have no admin port. */
async function adminParts() {
  return {
    ...(await import('./admin.ts')),
    ...(await import('./last-imports.ts')),
    ...(await import('./worker-metrics.ts')),
    ...(await import('../../http/observe/metrics.ts')),
  };
}

async function startWithAdmin(
  options: ServeSettings,
  log: Log,
  adminAddress: Address,
): Promise<RunningServer & { metricsUrl: string }> {
  const { makeMetrics, metricsOfWorkers, openLastImportsMetric, startAdmin } = await adminParts();
  const metrics = options.workers > 1 ? undefined : makeMetrics();
  const readCounts = metrics ? () => metrics.registry.metrics() : metricsOfWorkers();
  const lastImports = await openLastImportsMetric(options.readDatabase ?? options.database, log.logger);
  const read = async () => (await Promise.all([readCounts(), lastImports.read()])).join('');
  const admin = await startAdmin(adminAddress, read, log.logger);
  try {
    const server = await startServing(options, log, metrics);
    return {
      url: server.url,
      metricsUrl: `${admin.url}/metrics`,
      async stop() {
        await server.stop();
        await admin.stop();
        await lastImports.close();
      },
    };
  } catch (error) {
    await admin.stop();
    await lastImports.close();
    throw error;
  }
}

function startServing(
  options: ServeSettings,
  log: Log,
  metrics?: ServerOptions['metrics'],
): Promise<RunningServer> {
  return options.workers > 1
    ? startWorkers({ count: options.workers, address: options.address, logger: log.logger })
    : startServer(serverOptions(options, log, metrics));
}

function serverOptions(options: ServeSettings, log: Log, metrics: ServerOptions['metrics']): ServerOptions {
  return {
    databaseUrl: options.readDatabase ?? options.database,
    primaryUrl: options.database,
    address: options.address,
    cacheBytes: Math.floor((options.cacheMb * MEGABYTE) / options.workers),
    staleIfErrorMs: options.staleIfError * 1000,
    logger: log.logger,
    logRequests: options.logLevel === 'info',
    baseUrl: options.baseUrl,
    pathPrefix: options.pathPrefix,
    hasPages: options.pages,
    trustProxy: options.trustProxy,
    corsOrigins: new Set(options.corsOrigin),
    rateLimit: options.rateLimit,
    failedTokenLimit: options.failedTokenLimit,
    limits: {
      maxConnections: options.maxConnections,
      headerTimeoutMs: options.headerTimeout * 1000,
      idleTimeoutMs: options.idleTimeout * 1000,
    },
    metrics,
    isWorker: cluster.isWorker,
  };
}

/**
 * Brings the schema up to date, once, before any worker starts, and returns the names of the accounts. With
 * --read-database, the server can start while --database is unavailable. Then the schema stays as it is, and nothing is
 * known of accounts.
 */
async function prepare({
  database,
  readDatabase,
  demo: wantsDemo,
}: ServeOptions): Promise<string[] | undefined> {
  try {
    return await withStore(database, { missing: 'create' }, async (store) => {
      if (wantsDemo) await (await demo()).addDemoAccount(store);
      return (await store.accounts()).map(({ slug }) => slug);
    });
  } catch (error) {
    const isAway = error instanceof StoreFailure && error.kind === 'unavailable';
    if (readDatabase === undefined || !isAway) throw error;
    warn(`${error.message} Going on with --read-database alone.`);
    return undefined;
  }
}
