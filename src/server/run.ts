/** Runs the service until a signal ends it: in this process or in workers, with or without a port for operators. */

import type { Logger } from 'pino';
import type { AdminServer } from './admin.ts';
import { stopOnSignal } from './lifecycle.ts';
import type { Address, RunningServer } from './listening.ts';
import { type LogLevel, openLog } from './log.ts';
import { type ServerOptions, startServer } from './server.ts';
import { startWorkers, tellPrimary } from './workers.ts';

export interface RunOptions extends Omit<ServerOptions, 'logger' | 'logRequests' | 'metrics'> {
  /** How many processes serve. Each has `cacheBytes` of its own. */
  readonly workers: number;
  readonly logLevel: LogLevel;
  /** For how long clients are sent elsewhere after SIGTERM, before the server stops. */
  readonly drainMs: number;
  readonly adminAddress: Address | undefined;
  /** Of this package, for the metrics. */
  readonly version: string;
}

export interface Running {
  readonly url: string;
  readonly metricsUrl: string | undefined;
  readonly logger: Logger;
  /** Ends it without a signal. */
  stop(): Promise<void>;
}

export async function runService(options: RunOptions): Promise<Running> {
  const { workers, address, adminAddress, logLevel, drainMs } = options;
  const log = openLog(logLevel, process.stderr);
  const { logger } = log;
  const stopWith = stopOnSignal(log, drainMs);
  // Loaded on demand, because most servers have no admin port.
  const admin = adminAddress && (await import('./admin.ts'));
  const metrics = workers > 1 ? undefined : admin?.makeMetrics();
  const adminServer = admin && (await admin.startServiceAdmin(adminAddress, options, metrics, logger));
  const starting =
    workers > 1
      ? startWorkers({ count: workers, address, logger, onServing: stopWith })
      : startServer({ ...options, logger, logRequests: logLevel === 'info', metrics });
  return { ...(await runBeside(adminServer, starting, stopWith)), logger };
}

/** Waits until a server has started. It stops together with the port for operators, if there is one. */
export async function runBeside(
  admin: AdminServer | undefined,
  starting: Promise<RunningServer>,
  stopWith: ReturnType<typeof stopOnSignal>,
): Promise<Omit<Running, 'logger'>> {
  const server = await starting.catch(async (error: unknown) => {
    await admin?.stop();
    throw error;
  });
  async function stop(): Promise<void> {
    await server.stop();
    await admin?.stop();
  }
  stopWith({ drain: server.drain, stop });
  return { url: server.url, metricsUrl: admin && `${admin.url}/metrics`, stop };
}

/** In a worker process. */
export async function runWorker(options: RunOptions): Promise<void> {
  const { adminAddress, logLevel, drainMs } = options;
  const log = openLog(logLevel, process.stderr);
  const stopWith = stopOnSignal(log, drainMs);
  const metrics = adminAddress && (await import('./admin.ts')).makeMetricsForPrimary();
  const server = await startServer({
    ...options,
    logger: log.logger,
    logRequests: logLevel === 'info',
    metrics,
  });
  stopWith(server);
  tellPrimary({ kind: 'listening', url: server.url });
}
