/** One server process: starts and stops the database, the loader, the feed and the app. */

import cluster from 'node:cluster';
import type { Logger } from 'pino';
import { keepTokenUses } from '../feed/access/token.ts';
import { makeFeed } from '../feed/feed.ts';
import { startLoader } from '../feed/loading/loader.ts';
import { IN_FLIGHT_BYTES, type ServerLimits } from '../http/limits/limits.ts';
import { makeService, type ServiceOptions } from '../http/service.ts';
import { openReader, openServerStore } from '../store/open.ts';
import { forgetDaily } from '../store/server-store.ts';
import { collectSooner } from './lifecycle.ts';
import { type Address, type Listener, listen, possibleConnections, type RunningServer } from './listening.ts';
import { askWhereToListen } from './workers.ts';

export interface ServerOptions
  extends Omit<ServiceOptions, 'feed' | 'clock' | 'bodyCacheBytes' | 'limits' | 'turns'> {
  readonly limits: Pick<
    ServerLimits,
    'maxConnections' | 'headerTimeoutMs' | 'idleTimeoutMs' | 'drainTimeoutMs'
  >;
  readonly databaseUrl: string;
  /** Where the uses of tokens are written, which cannot be a replica. */
  readonly primaryUrl: string;
  readonly address: Address;
  readonly cacheBytes: number;
  readonly staleIfErrorMs: number;
}

const OUTAGE_BEGAN = 'Accounts in memory are listed as they were last known.';
const OUTAGE_ENDED = 'The database answers again: accounts are listed as they are.';
export const BODY_CACHE_SHARE = 1 / 8;
const TOKEN_USES_INTERVAL_MS = 60_000;

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { databaseUrl, primaryUrl, address, cacheBytes, staleIfErrorMs, ...appOptions } = options;
  collectSooner();
  const inFlightBytes = Math.min(IN_FLIGHT_BYTES, cacheBytes / 2);
  const store = await openReader(databaseUrl);
  const loader = startLoader(databaseUrl);
  const uses = await startTokenUses(primaryUrl, options.logger);
  options.metrics?.collectFromPools({
    requests: store.poolCounts,
    loads: store.poolCounts && loader.poolCounts,
    token_uses: uses.poolCounts,
  });
  const bodyCacheBytes = Math.ceil(cacheBytes * BODY_CACHE_SHARE);
  const feed = makeFeed({
    store,
    loader,
    clock: Date.now,
    cacheBudgetBytes: cacheBytes - bodyCacheBytes - inFlightBytes,
    staleIfErrorMs,
    onBridging: (reason) => options.logger.warn(reason ? `${reason.message} ${OUTAGE_BEGAN}` : OUTAGE_ENDED),
    onUse: uses.note,
  });
  const app = makeService({
    feed,
    ...appOptions,
    limits: {
      ...options.limits,
      maxConnections: withinPossible(options.limits.maxConnections, options.logger),
      maxUnsentBytes: inFlightBytes / 2,
      maxCompressionBytes: inFlightBytes / 2,
    },
    clock: Date.now,
    bodyCacheBytes,
  });

  let listener: Listener | undefined;

  async function stop(): Promise<void> {
    await Promise.all([app.close(), listener?.closeOthers()]);
    await loader.close();
    await store.close();
    // The last connection to a SQLite file removes its log, for which it needs write access.
    await uses.stop();
  }

  try {
    await loader.ready();
    listener = await listen(app.server, cluster.isWorker ? await askWhereToListen() : address);
  } catch (error) {
    await stop();
    throw error;
  }
  // Connects to the database. What fails here fails again for the first request, which then tells why.
  feed.checkHealth().catch(() => undefined);
  return { url: listener.url, drain: app.drain, stop };
}

/** At the limit on open files, no connection can be accepted. Below it, /healthz still answers. */
function withinPossible(maxConnections: number, logger: Logger): number {
  const possible = possibleConnections();
  if (maxConnections <= possible) return maxConnections;
  logger.warn(
    `This process may open too few files for ${maxConnections} connections: it accepts ${possible}. ` +
      'Raise its limit (ulimit -n), or lower --max-connections.',
  );
  return possible;
}

/** Writes new uses of tokens once a minute, and when the server stops. */
async function startTokenUses(databaseUrl: string, logger: Logger) {
  const store = await openServerStore(databaseUrl);
  const uses = keepTokenUses(store, Date.now);

  async function write(): Promise<void> {
    const error = await uses.write();
    // No request depends on it, so it is not a warning.
    if (error instanceof Error) logger.info(`The last use of tokens was not written: ${error.message}`);
  }

  const timer = setInterval(write, TOKEN_USES_INTERVAL_MS).unref();
  const stopForgetting = forgetDaily(store);
  return {
    note: uses.note,
    poolCounts: store.poolCounts,
    async stop() {
      clearInterval(timer);
      stopForgetting();
      await write();
      await store.close();
    },
  };
}
