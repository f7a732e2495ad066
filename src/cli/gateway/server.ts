/** The gateway on Node's HTTP server, under the same limits as the service. */

import { once } from 'node:events';
import type { Gateway } from '@shiftfeed/gateway';
import type { Logger } from 'pino';
import { addressBehind, clientKey, healthCheckKey } from '../../http/limits/client-address.ts';
import { type Connections, limitConnections } from '../../http/limits/connections.ts';
import type { ServerLimits } from '../../http/limits/limits.ts';

import { makeRequestTurns, makeTurns, type Turns } from '../../http/limits/turns.ts';
import { trackUnsentResponses } from '../../http/limits/unsent.ts';
import type { ProblemLog } from '../../http/observe/problem-log.ts';
import { makeServer } from '../../http/server.ts';
import { type Address, listen, type RunningServer } from '../../server/listening.ts';
import { count } from '../print.ts';
import { isHealthCheck, makeHandler } from './handle.ts';
import type { GatewayMetrics } from './metrics.ts';

export interface GatewayServerOptions {
  readonly gateway: Gateway;
  readonly address: Address;
  readonly limits: Omit<ServerLimits, 'maxCompressionBytes'>;
  readonly logger: Logger;
  readonly logRequests: boolean;
  readonly problems: ProblemLog;
  readonly metrics: GatewayMetrics | undefined;
  /** The proxies whose X-Forwarded-For is trusted: addresses or networks. */
  readonly trustProxy?: readonly string[] | undefined;
  /** By default those of the event loop. */
  readonly turns?: Turns;
}

/** How often to check whether a copy is due. `max_age` is in seconds. */
const REFRESH_INTERVAL_MS = 1_000;

export async function startGatewayServer(options: GatewayServerOptions): Promise<RunningServer> {
  const { gateway, address, limits, problems, metrics, turns = makeTurns(limits) } = options;
  const addressOf = addressBehind(options.trustProxy ?? []);
  const connections = connectionsOf(options);
  const unsent = trackUnsentResponses({
    ...limits,
    isCached: () => false,
    onAbort: () => problems.warn('A connection was cut off, because its client read too slowly.'),
  });
  const requestTurns = makeRequestTurns(turns, (request) =>
    (isHealthCheck(request.url ?? '') ? healthCheckKey : clientKey)(addressOf(request)),
  );
  metrics?.watch({ gateway, connections, turns, unsent });
  const handle = makeHandler({ ...options, addressOf, turns: requestTurns, unsent });
  const server = makeServer(handle, {
    limits,
    connections,
    onRejected: (status) => metrics?.answered('none', status, 0),
  });
  const { url, closeOthers } = await listen(server, address);
  server.on('error', (error) => problems.error(`A connection could not be accepted: ${error.message}.`));

  // A visitor who comes after a quiet hour should not see data that is an hour old.
  gateway.refresh();
  const refreshing = setInterval(gateway.refresh, REFRESH_INTERVAL_MS);
  return {
    url,
    async stop() {
      clearInterval(refreshing);
      await requestTurns.drain();
      connections.drain(server);
      const closed = once(server, 'close');
      server.close();
      await Promise.all([closed, closeOthers()]);
    },
  };
}

function connectionsOf({ limits, problems }: GatewayServerOptions): Connections {
  return limitConnections({
    ...limits,
    isHealthCheck,
    onTooManyPipelined: () =>
      problems.warn('A connection was closed, because it sent too many requests ahead.'),
    onTooManyConnections: () =>
      problems.warn(
        `${count(limits.maxConnections, 'connection is', 'connections are')} open, the most that are allowed: those that are idle, or of an address that has most, make room for others.`,
      ),
  });
}
