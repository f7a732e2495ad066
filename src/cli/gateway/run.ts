/** Runs `gateway`: reads the configuration, starts the server, and stops it on a signal. */

import { openToldGateway } from '../../gateway/gateway.ts';
import type { GatewayMetrics } from '../../gateway/metrics.ts';
import { startGatewayServer } from '../../gateway/server.ts';
import { makeProblemLog } from '../../http/observe/problem-log.ts';
import { collectSooner } from '../heap.ts';
import { print } from '../print.ts';
import { type Address, listenFailure } from '../serve/address.ts';
import { openLog } from '../serve/log.ts';
import { notifySystemd } from '../serve/notify-systemd.ts';
import { possibleConnections } from '../serve/open-files.ts';
import type { ServeOptions } from '../serve/options.ts';
import { stopOnSignal } from '../serve/stop-on-signal.ts';
import { findLinks, findToken, readConfigFile } from './files.ts';

type Logger = ReturnType<typeof openLog>['logger'];

export interface GatewaySettings
  extends Pick<
    ServeOptions,
    | 'baseUrl'
    | 'trustProxy'
    | 'maxConnections'
    | 'maxPipelined'
    | 'headerTimeout'
    | 'idleTimeout'
    | 'minReadRate'
    | 'logLevel'
  > {
  readonly configFile: string;
  readonly address: Address;
  readonly adminAddress: Address | undefined;
}

const MEGABYTE = 1024 * 1024;
/** For answers that visitors have not read yet. An answer that many of them read counts once. */
const MAX_UNSENT_BYTES = 64 * MEGABYTE;

const SHARED_IDENTITIES =
  'Events of calendars may have the same identity as those of another gateway: set "calendar_id" in the configuration, or --base-url.';

export async function runGateway(settings: GatewaySettings): Promise<void> {
  collectSooner();
  const file = await readConfigFile(settings.configFile);
  const token = await findToken(file.config, settings.configFile, process.env.SHIFTFEED_TOKEN);
  const links = await findLinks(file.config, settings.configFile);
  const log = openLog(settings.logLevel, process.stderr);
  const problems = makeProblemLog(log.logger);
  const stopWith = stopOnSignal(log);
  const metrics = settings.adminAddress && (await import('../../gateway/metrics.ts')).makeGatewayMetrics();
  const gateway = openToldGateway(
    {
      config: file.document,
      baseUrl: settings.baseUrl,
      token,
      clock: Date.now,
      ...links,
      onLinksFailure: (error) =>
        problems.error(`Personal links stay as they were: ${links?.describe(error)}`),
    },
    { logger: log.logger, problems, metrics },
  );
  const admin =
    settings.adminAddress && metrics && (await startAdmin(settings.adminAddress, metrics, log.logger));
  const server = await startGatewayServer({
    gateway,
    address: settings.address,
    limits: limitsOf(settings),
    trustProxy: settings.trustProxy,
    logger: log.logger,
    logRequests: settings.logLevel === 'info',
    problems,
    metrics,
  }).catch(async (error: unknown) => {
    await admin?.stop();
    throw listenFailure(error, settings.address);
  });
  stopWith(async () => {
    await server.stop();
    await admin?.stop();
  });
  if (file.config.calendarId === undefined && settings.baseUrl === undefined)
    log.logger.warn(SHARED_IDENTITIES);
  if (links?.warning !== undefined) log.logger.warn(links.warning);
  const root = settings.baseUrl ?? server.url;
  print(`Shiftfeed's gateway listens on ${server.url}`);
  for (const { name, title } of file.config.feeds) print(`  ${title}: ${root}/${name}`);
  if (admin !== undefined) print(`Metrics are at ${admin.url}/metrics`);
  notifySystemd();
}

async function startAdmin(address: Address, metrics: GatewayMetrics, logger: Logger) {
  const { startAdmin: start } = await import('../serve/admin.ts');
  return start(address, () => metrics.registry.metrics(), logger);
}

function limitsOf(settings: GatewaySettings) {
  return {
    // At the limit on open files, nobody could be answered any more.
    maxConnections: Math.min(settings.maxConnections, possibleConnections()),
    maxPipelined: settings.maxPipelined,
    headerTimeoutMs: settings.headerTimeout * 1000,
    idleTimeoutMs: settings.idleTimeout * 1000,
    minReadRateBytesPerSecond: settings.minReadRate * 1024,
    maxUnsentBytes: MAX_UNSENT_BYTES,
  };
}
