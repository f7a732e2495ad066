/** The gateway as an app on Node's HTTP server, under the same limits as the service. */

import type { Gateway, Visit } from '@shiftfeed/gateway';
import type { Logger } from 'pino';
import { type AppOptions, type AppParts, makeApp } from '../http/app.ts';
import { clientKey } from '../http/limits/client-address.ts';
import type { ProblemLog } from '../http/observe/problem-log.ts';
import { requestLogEntry, routeOf, type Sent } from '../http/observe/request-log.ts';
import { type Answer, jsonAnswer } from '../http/protocol/exchange.ts';
import { PROBLEMS, problemAnswer } from '../http/protocol/problems.ts';
import { type FindTarget, type Respond, splitUrl } from '../http/protocol/routes.ts';
import { type Address, listen, type RunningServer } from '../server/listening.ts';
import type { GatewayMetrics } from './metrics.ts';

export interface GatewayServerOptions
  extends Pick<AppOptions, 'limits' | 'trustProxy' | 'turns' | 'drainMs'> {
  readonly gateway: Gateway;
  readonly address: Address;
  readonly logger: Logger;
  /** Whether to log each visit, at the level `info`. */
  readonly logRequests?: boolean;
  readonly problems: ProblemLog;
  readonly metrics?: GatewayMetrics | undefined;
}

/** The first says that the process is alive, the second that it is not about to stop. */
const HEALTH_PATHS = ['/healthz', '/readyz'] as const;
/** Of streams, for one address: an office or a school is one. */
const QUOTA = { max: 200, problem: PROBLEMS.tooManyStreams };
/** How often to check whether a copy is due. `max_age` is in seconds. */
const REFRESH_INTERVAL_MS = 1_000;

export async function startGatewayServer(options: GatewayServerOptions): Promise<RunningServer> {
  const { gateway, metrics, logger } = options;
  const app = makeApp({
    ...options,
    targets: (parts) => targetsOf(gateway, parts),
    log: options.problems,
    healthPaths: HEALTH_PATHS,
    logSent: options.logRequests
      ? (sent) => logger.info(requestLogEntry(sent, describeVisit(sent)), 'request')
      : undefined,
  });
  metrics?.watch(gateway, app);
  const { url, closeOthers } = await listen(app.server, options.address);

  // A visitor who comes after a quiet hour should not see data that is an hour old.
  gateway.refresh();
  const refreshing = setInterval(gateway.refresh, REFRESH_INTERVAL_MS);
  return {
    url,
    drain: app.drain,
    async stop() {
      clearInterval(refreshing);
      await Promise.all([app.close(), closeOthers()]);
    },
  };
}

/** The gateway finds out itself what a path means, and answers every method. */
function targetsOf(gateway: Gateway, parts: AppParts): FindTarget {
  const checks: Readonly<Record<string, Respond>> = {
    [HEALTH_PATHS[0]]: () => healthy('ok'),
    [HEALTH_PATHS[1]]: () => (parts.isDraining() ? problemAnswer(PROBLEMS.stopping) : healthy('ready')),
  };
  return (path, search) => {
    const respond = checks[path] ?? respondWith(gateway, parts, path, search);
    // A gateway says with its answer which kind of address it was.
    return { route: 'none', account: '', search, methods: 'all', respond };
  };
}

function healthy(status: string): Answer {
  return jsonAnswer(200, { status }, ['cache-control', 'no-store']);
}

function respondWith(
  gateway: Gateway,
  { addressOf, streams }: AppParts,
  path: string,
  search: string,
): Respond {
  return async (exchange) => {
    const { request } = exchange;
    const { method = '', headers } = request;
    const visit: Visit = {
      method,
      path,
      search: search === '' ? '' : `?${search}`,
      origin: () => originOf(headers.host ?? ''),
      header(name) {
        const value = headers[name];
        return Array.isArray(value) ? value.join(', ') : value;
      },
    };
    const { status, headerList, body, route, stream } = await gateway
      .answer(visit)
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`A visitor could not be answered: ${reason}`, { cause: error });
      });
    if (stream !== undefined) {
      const quota = { ...QUOTA, holder: clientKey(addressOf(request)) };
      return { ...streams.open(exchange, headerList, [quota], stream), route };
    }
    return { status, headers: headerList, chunks: body === undefined ? [] : [body], route };
  };
}

/**
 * Only used for the address of the calendar on the page, which only this visitor sees. --base-url overrides it where a
 * proxy changes the host.
 */
function originOf(host: string): string {
  const isHost = /^[\w.-]+(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/i.test(host);
  // A text that looks like a host may be invalid, such as a number that is not an address.
  return isHost && URL.canParse(`http://${host}`) ? `http://${host}` : 'http://localhost';
}

function describeVisit(sent: Sent): object {
  const { exchange, answer } = sent;
  const { path, search } = splitUrl(exchange.request.url ?? '');
  // A valid query contains only dates and ids. Others may contain anything, for instance a token by mistake.
  const isTaken = answer.status === 200 || answer.status === 304;
  return {
    // Whoever knows a personal link can see the shifts of that person, so links are never logged.
    ...(routeOf(sent) !== 'none' && { path: path.replace(/\/me\/[^/]*/, '/me/…') }),
    ...(search !== '' && isTaken && { query: search }),
  };
}
