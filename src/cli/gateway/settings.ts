/** What the gateway is started with. */

import type { Address } from '../../server/listening.ts';
import type { ServeOptions } from '../serve/options.ts';

/** The options that the gateway has in common with `serve`. */
export const SHARED_OPTIONS = [
  'host',
  'port',
  'baseUrl',
  'trustProxy',
  'maxConnections',
  'headerTimeout',
  'idleTimeout',
  'logLevel',
  'adminPort',
  'adminHost',
] as const satisfies readonly (keyof ServeOptions)[];

export interface GatewaySettings extends Pick<ServeOptions, (typeof SHARED_OPTIONS)[number]> {
  readonly configFile: string;
  readonly address: Address;
  readonly adminAddress: Address | undefined;
}
