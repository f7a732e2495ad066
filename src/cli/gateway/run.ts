/** Runs `gateway`: reads its files, has the gateway run, and prints where it is. */

import packageInfo from '../../../package.json' with { type: 'json' };
import { runGateway } from '../../gateway/run.ts';
import { notifySystemd } from '../../server/lifecycle.ts';
import type { Address } from '../../server/listening.ts';
import { print } from '../print.ts';
import { type LimitOptions, limitsOf, type ServeOptions } from '../serve/options.ts';
import { findLinks, findToken, readConfigFile } from './files.ts';

export interface GatewaySettings
  extends LimitOptions,
    Pick<ServeOptions, 'baseUrl' | 'trustProxy' | 'drainSeconds' | 'logLevel'> {
  readonly configFile: string;
  readonly address: Address;
  readonly adminAddress: Address | undefined;
}

const SHARED_IDENTITIES =
  'Events of calendars may have the same identity as those of another gateway: set "calendar_id" in the configuration, or --base-url.';

export async function gateway(settings: GatewaySettings): Promise<void> {
  const { configFile, baseUrl } = settings;
  const { document, config } = await readConfigFile(configFile);
  const token = await findToken(config, configFile, process.env.SHIFTFEED_TOKEN);
  const links = await findLinks(config, configFile);
  const { url, metricsUrl, logger } = await runGateway({
    ...settings,
    ...links,
    config: document,
    token,
    describeLinksError: links?.describe ?? String,
    limits: limitsOf(settings),
    version: packageInfo.version,
    drainMs: settings.drainSeconds * 1000,
  });
  if (config.calendarId === undefined && baseUrl === undefined) logger.warn(SHARED_IDENTITIES);
  if (links?.warning !== undefined) logger.warn(links.warning);
  print(`Shiftfeed's gateway listens on ${url}`);
  for (const { name, title } of config.feeds) print(`  ${title}: ${baseUrl ?? url}/${name}`);
  if (metricsUrl !== undefined) print(`Metrics are at ${metricsUrl}`);
  notifySystemd(logger);
}
