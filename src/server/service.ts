/** Runs the service: in this process or in workers, with or without a port for operators, until a signal ends it. */

import type { Logger } from 'pino';
import type { Metrics } from '../http/observe/metrics.ts';
import { stopOnSignal } from './lifecycle.ts';
import type { Address, RunningServer } from './listening.ts';
import { type LogLevel, openLog } from './log.ts';
import { type ServerOptions, startServer } from './server.ts';
import { startWorkers, tellPrimary } from './workers.ts';

export interface ServiceOptions
  extends Omit<ServerOptions, 'logger' | 'logRequests' | 'metrics' | 'isWorker'> {
  /** How many processes serve. Each has `cacheBytes` of its own. */
  readonly workers: number;
  readonly logLevel: LogLevel;
  readonly adminAddress: Address | undefined;
}

export interface RunningService {
  readonly url: string;
  readonly metricsUrl: string | undefined;
  readonly logger: Logger;
}

export async function runService(options: ServiceOptions): Promise<RunningService> {
  const log = openLog(options.logLevel, process.stderr);
  const stopWith = stopOnSignal(log);
  const { logger } = log;
  if (options.adminAddress === undefined) {
    const { url, stop } = await startServing(options, logger, undefined);
    stopWith(stop);
    return { url, metricsUrl: undefined, logger };
  }
  const { url, metricsUrl, stop } = await startWithAdmin(options, logger, options.adminAddress);
  stopWith(stop);
  return { url, metricsUrl, logger };
}

/** In a worker process. */
export async function runWorker(options: ServiceOptions): Promise<void> {
  const metrics = options.adminAddress && (await metricsForPrimary());
  const log = openLog(options.logLevel, process.stderr);
  const stopWith = stopOnSignal(log);
  const { stop } = await startServer({ ...serverOptions(options, log.logger, metrics), isWorker: true });
  stopWith(stop);
  tellPrimary({ kind: 'listening' });
}

/** Loaded on demand: most servers have no admin port. */
async function adminParts() {
  return { ...(await import('./admin.ts')), ...(await import('../http/observe/metrics.ts')) };
}

async function metricsForPrimary(): Promise<Metrics> {
  const { handMetricsToPrimary, makeMetrics } = await adminParts();
  const metrics = makeMetrics();
  handMetricsToPrimary(metrics.registry);
  return metrics;
}

async function startWithAdmin(
  options: ServiceOptions,
  logger: Logger,
  adminAddress: Address,
): Promise<RunningServer & { metricsUrl: string }> {
  const { makeMetrics, metricsOfWorkers, openLastImportsMetric, startAdmin } = await adminParts();
  const metrics = options.workers > 1 ? undefined : makeMetrics();
  const readCounts = metrics ? () => metrics.registry.metrics() : metricsOfWorkers();
  const lastImports = await openLastImportsMetric(options.databaseUrl, logger);
  const read = async () => (await Promise.all([readCounts(), lastImports.read()])).join('');
  const admin = await startAdmin(adminAddress, read, logger);
  const stopAdmin = async () => {
    await admin.stop();
    await lastImports.close();
  };
  try {
    const server = await startServing(options, logger, metrics);
    return {
      url: server.url,
      metricsUrl: `${admin.url}/metrics`,
      async stop() {
        await server.stop();
        await stopAdmin();
      },
    };
  } catch (error) {
    await stopAdmin();
    throw error;
  }
}

function startServing(
  options: ServiceOptions,
  logger: Logger,
  metrics: Metrics | undefined,
): Promise<RunningServer> {
  return options.workers > 1
    ? startWorkers({ count: options.workers, address: options.address, logger })
    : startServer({ ...serverOptions(options, logger, metrics), isWorker: false });
}

function serverOptions(
  { workers: _workers, logLevel, adminAddress: _adminAddress, ...options }: ServiceOptions,
  logger: Logger,
  metrics: Metrics | undefined,
): Omit<ServerOptions, 'isWorker'> {
  return { ...options, logger, logRequests: logLevel === 'info', metrics };
}
