/** Runs the desk until a signal ends it. */

import type { Logger } from 'pino';
import { hashToken, linkOf, makeKey } from '../feed/access/token.ts';
import { makeProblemLog } from '../http/observe/problem-log.ts';
import { requestLogEntry } from '../http/observe/request-log.ts';
import { collectSooner, stopOnSignal } from '../server/lifecycle.ts';
import { type Address, listen, possibleConnections, type RunningServer } from '../server/listening.ts';
import { type LogLevel, openLog } from '../server/log.ts';
import { type Running, runBeside } from '../server/run.ts';
import type { MigrationListener } from '../store/schema-version.ts';
import { makeDesk } from './app.ts';
import { openDeskDatabase } from './database.ts';
import { makeUploadFolder } from './folder.ts';
import { Imports } from './imports.ts';
import type { DeskMetrics } from './metrics.ts';
import { makeReaders, type ReadersOptions } from './readers.ts';
import { makeSessions } from './session.ts';

export interface DeskRunOptions extends MigrationListener {
  readonly databaseUrl: string;
  readonly address: Address;
  readonly adminAddress: Address | undefined;
  /** Of this package, for the metrics. */
  readonly version: string;
  /** Where people open it, without a slash at the end, if a proxy is in front. */
  readonly baseUrl: string | undefined;
  readonly trustProxy: readonly string[];
  readonly logLevel: LogLevel;
  /** An owner's key of this account is made for this run alone. */
  readonly account: string | undefined;
}

/** Where people open it, with the key of this run. */
interface Link {
  readonly link: string | undefined;
}

/** A planner has one or two. */
const MAX_CONNECTIONS = 1_000;

export async function runDesk(options: DeskRunOptions): Promise<Running & Link> {
  collectSooner();
  const log = openLog(options.logLevel, process.stderr);
  const { logger } = log;
  const stopWith = stopOnSignal(log);
  const { adminAddress } = options;
  // Loaded on demand, because most desks have no admin port.
  const { startServiceAdmin } = adminAddress ? await import('../server/admin.ts') : {};
  const metrics = adminAddress && (await import('./metrics.ts')).makeDeskMetrics();
  // The service tells of imports, too.
  const told = { ...options, tellsImports: false };
  const admin = adminAddress && (await startServiceAdmin?.(adminAddress, told, metrics, logger));
  const starting = startDesk({ ...options, metrics }, logger);
  return { ...(await runBeside(admin, starting, stopWith)), link: (await starting).link, logger };
}

export interface DeskStartOptions extends Omit<DeskRunOptions, 'adminAddress' | 'version'> {
  readonly metrics?: DeskMetrics | undefined;
}

export async function startDesk(
  options: DeskStartOptions,
  logger: Logger,
  nowMs = Date.now,
  reading: ReadersOptions = {},
): Promise<RunningServer & Link> {
  const { account, baseUrl, address, metrics } = options;
  const problems = makeProblemLog(logger);
  const database = await openDeskDatabase(options.databaseUrl, options);
  const folder = await makeUploadFolder().catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  const key = account === undefined ? undefined : makeKey();
  const own = makeReaders({ onProblem: problems.error, ...reading });
  const readers = metrics?.watching(own) ?? own;
  const imports = new Imports({ database, readers, folder, nowMs, problems });
  let openedAt = baseUrl ?? '';
  const app = makeDesk({
    database,
    imports,
    sessions: makeSessions({
      database,
      runKey: account && key ? { slug: account, hash: hashToken(key) } : undefined,
      isSecure: baseUrl?.startsWith('https:') ?? false,
      nowMs,
    }),
    urlOf: () => openedAt,
    origins: () => originsOf(openedAt),
    nowMs,
    log: problems,
    trustProxy: options.trustProxy,
    limits: { maxConnections: Math.min(MAX_CONNECTIONS, possibleConnections()) },
    metrics,
    // Neither names of files nor ids: an id opens somebody's file.
    logSent:
      options.logLevel === 'info' ? (sent) => logger.info(requestLogEntry(sent, {}), 'request') : undefined,
  });
  metrics?.collectFromPools({ requests: (await database.store()).poolCounts });
  const close = async () => {
    // An import that is being written has as much time as possible to finish.
    await Promise.all([app.close(), imports.close()]);
    await database.close();
  };
  try {
    const listener = await listen(app.server, address);
    openedAt ||= listener.url;
    const stop = async () => {
      await Promise.all([close(), listener.closeOthers()]);
    };
    return { url: listener.url, link: key && linkOf(openedAt, key), drain: app.drain, stop };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Pages of this machine have several names. */
const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?=:|$)/;

function originsOf(url: string): ReadonlySet<string> {
  const { origin } = new URL(url);
  const names = LOOPBACK.test(origin) ? ['127.0.0.1', 'localhost', '[::1]'] : [];
  return new Set([origin, ...names.map((name) => origin.replace(LOOPBACK, `http://${name}`))]);
}
