/**
 * The app on Node's HTTP server: one resource, and a clear answer to everything else. Requests are checked in this
 * order: path and method, token, account, parameters. So nobody without a live token can find out which accounts exist.
 */

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Logger } from 'pino';
import type { Clock } from '../feed/clock.ts';
import type { Feed } from '../feed/feed.ts';
import { type BodyCache, makeBodyCache } from './encoding/body-cache.ts';
import { explorerRoutes } from './explorer/route.ts';
import { makeHandler } from './handle.ts';
import { HEALTH_PATHS, healthRoutes } from './health.ts';
import { type AddressOf, addressBehind } from './limits/client-address.ts';
import { healthCheckKey } from './limits/client-key.ts';
import { type Connections, limitConnections } from './limits/connections.ts';
import { DEFAULT_LIMITS, type ServerLimits } from './limits/limits.ts';
import { makeRateLimiter, type Rate } from './limits/rate-limit.ts';
import { makeRequestTurns, type RequestTurns } from './limits/request-turns.ts';
import { makeTurns, type Turns } from './limits/turns.ts';
import { trackUnsentResponses, type UnsentResponses } from './limits/unsent.ts';
import { askerOf } from './listing/admission.ts';
import { listingRoute } from './listing/route.ts';
import type { Metrics } from './observe/metrics.ts';
import { makeProblemLog, type ProblemLog } from './observe/problem-log.ts';
import { descriptionRoute } from './openapi/route.ts';
import type { Route } from './protocol/routes.ts';
import { pathOf } from './protocol/url.ts';
import { referenceRoutes } from './reference/route.ts';
import { makeServer } from './server.ts';

export interface App {
  readonly server: Server;
  listen(address: { readonly host: string; readonly port: number }): Promise<void>;
  /** Resolves when the running requests are answered, or their time is up. */
  close(): Promise<void>;
}

export interface AppOptions {
  readonly feed: Feed;
  readonly logger: Logger;
  /** Whether to log each request, at the level `info`. */
  readonly logRequests?: boolean;
  readonly clock: Clock;
  readonly bodyCacheBytes: number;
  /** The path under which the service is served, such as `/shifts`; empty for the root. */
  readonly pathPrefix?: string | undefined;
  /** The URL of that path for clients, without a trailing slash. Without it, links are relative. */
  readonly baseUrl?: string | undefined;
  /** Whether to serve the pages for people, / and /docs. */
  readonly hasPages?: boolean;
  /** The origins whose pages may read responses in a browser. */
  readonly corsOrigins?: ReadonlySet<string>;
  /** The proxies whose X-Forwarded-For is trusted: addresses or networks. */
  readonly trustProxy?: readonly string[] | undefined;
  /** How often a token may be used. */
  readonly rateLimit?: Rate | undefined;
  /** How many dead tokens an address may send. */
  readonly failedTokenLimit?: Rate | undefined;
  readonly limits?: Partial<ServerLimits>;
  /** By default those of the event loop. */
  readonly turns?: Turns;
  readonly metrics?: Metrics | undefined;
}

export function makeApp(options: AppOptions): App {
  const { feed, metrics, pathPrefix = '' } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const log = makeProblemLog(options.logger);
  const bodyCache = makeBodyCache({
    cacheBytes: options.bodyCacheBytes,
    buildBytes: limits.maxCompressionBytes,
  });
  const healthPaths = HEALTH_PATHS.map((path) => pathPrefix + path);
  const isHealthCheck = (url: string) => healthPaths.includes(pathOf(url));
  const connections = loggedConnections(limits, isHealthCheck, log);
  const unsent = loggedUnsentResponses(limits, feed, log);
  const addressOf = addressBehind(options.trustProxy ?? []);
  const turns = options.turns ?? makeTurns(limits);
  metrics?.collectFrom({ feed, bodyCache, connections, turns, unsent });
  const requestTurns = makeRequestTurns(turns, (request) =>
    isHealthCheck(request.url ?? '') ? healthCheckKey(addressOf(request)) : askerOf(request, addressOf),
  );
  const handle = makeHandler({
    routes: routesOf(options, bodyCache, addressOf, turns),
    pathPrefix,
    hasPages: options.hasPages ?? true,
    corsOrigins: options.corsOrigins,
    addressOf,
    turns: requestTurns,
    unsent,
    log,
    logger: options.logger,
    logRequests: options.logRequests ?? false,
    metrics,
  });
  const server = makeServer(handle, {
    limits,
    connections,
    onRejected: (status) => metrics?.countResponse('none', status, 0),
  });
  return { server, ...startAndStop(server, connections, requestTurns, log) };
}

function startAndStop(
  server: Server,
  connections: Connections,
  turns: RequestTurns,
  log: ProblemLog,
): Omit<App, 'server'> {
  // Until the server listens, errors are handled by whoever starts it.
  server.once('listening', () => server.on('error', (error) => log.error(error.message)));
  return {
    async listen({ host, port }) {
      server.listen(port, host);
      await once(server, 'listening');
    },
    async close() {
      await turns.drain();
      connections.drain(server);
      // One that could not start does not listen.
      if (server.listening) {
        const closed = once(server, 'close');
        server.close();
        await closed;
      }
      log.flush();
    },
  };
}

function routesOf(
  options: AppOptions,
  bodyCache: BodyCache,
  addressOf: AddressOf,
  turns: Turns,
): readonly Route[] {
  const { feed, clock, pathPrefix = '', baseUrl, hasPages = true, logRequests = false } = options;
  const root = baseUrl ?? pathPrefix;
  return [
    ...healthRoutes(feed),
    descriptionRoute(root),
    ...(hasPages ? [...explorerRoutes(pathPrefix), ...referenceRoutes()] : []),
    listingRoute({
      feed,
      bodyCache,
      root,
      logRequests,
      limiters: {
        rateLimit: options.rateLimit && makeRateLimiter(options.rateLimit, clock),
        failedTokenLimit: options.failedTokenLimit && makeRateLimiter(options.failedTokenLimit, clock),
        addressOf,
      },
      turns,
    }),
  ];
}

function loggedConnections(
  limits: ServerLimits,
  isHealthCheck: (url: string) => boolean,
  log: ProblemLog,
): Connections {
  return limitConnections({
    ...limits,
    isHealthCheck,
    onTooManyPipelined: () => log.warn('A connection was closed, because it sent too many requests ahead.'),
    onTooManyConnections: () =>
      log.warn(
        `All ${limits.maxConnections} connections are in use: those that are idle, or of an address that has most, make room for others.`,
      ),
  });
}

function loggedUnsentResponses(limits: ServerLimits, feed: Feed, log: ProblemLog): UnsentResponses {
  return trackUnsentResponses({
    ...limits,
    isCached: feed.isCached,
    onAbort: () => log.warn('A connection was cut off, because its client read too slowly.'),
  });
}
