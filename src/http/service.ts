/**
 * The service: one resource, and a clear answer to everything else. Requests are checked in this order: path and method,
 * token, account, parameters. So nobody without a live token can find out which accounts exist.
 */

import type { Logger } from 'pino';
import type { Feed } from '../feed/feed.ts';
import type { Clock } from '../feed/waiting.ts';
import { ownFile } from '../install/files.ts';
import { type App, type AppOptions, type AppParts, makeApp } from './app.ts';
import { assetRoute } from './assets.ts';
import { type BodyCache, makeBodyCache } from './encoding/bodies.ts';
import { DEFAULT_LIMITS } from './limits/limits.ts';
import { makeRateLimiter, type Rate } from './limits/rate-limit.ts';
import { askerOf } from './listing/admission.ts';
import { parameterOf } from './listing/query.ts';
import { listingRoute } from './listing/route.ts';
import type { Metrics } from './observe/metrics.ts';
import { makeProblemLog } from './observe/problem-log.ts';
import { describeQuery, requestLogEntry } from './observe/request-log.ts';
import { pageRoutes } from './pages.ts';
import { jsonAnswer } from './protocol/exchange.ts';
import { PROBLEMS, problemAnswer, unknownPath } from './protocol/problems.ts';
import { findAmong, type Route } from './protocol/routes.ts';

export interface ServiceOptions
  extends Pick<AppOptions, 'corsOrigins' | 'trustProxy' | 'limits' | 'drainMs' | 'turns'> {
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
  /** How often a token may be used. */
  readonly rateLimit?: Rate | undefined;
  /** How many dead tokens an address may send. */
  readonly failedTokenLimit?: Rate | undefined;
  readonly metrics?: Metrics | undefined;
}

/**
 * `GET /healthz` says that the process is alive, `GET /readyz` that it can read the database and is not about to stop.
 */
const HEALTH_PATHS = ['/healthz', '/readyz'] as const;

export function makeService(options: ServiceOptions): App {
  const { feed, metrics, logger, pathPrefix = '', hasPages = true } = options;
  const { maxCompressionBytes: buildBytes } = { ...DEFAULT_LIMITS, ...options.limits };
  const bodyCache = makeBodyCache({ cacheBytes: options.bodyCacheBytes, buildBytes });
  const app = makeApp({
    ...options,
    targets: (parts) =>
      findAmong(routesOf(options, bodyCache, parts), pathPrefix, unknownPath(pathPrefix, hasPages)),
    log: makeProblemLog(logger),
    healthPaths: HEALTH_PATHS.map((path) => pathPrefix + path),
    askerOf,
    isCached: feed.isCached,
    logSent: options.logRequests
      ? (sent) => logger.info(requestLogEntry(sent, describeQuery(sent, isParameter)), 'request')
      : undefined,
  });
  metrics?.collectFromParts({ feed, bodyCache, app });
  return app;
}

function routesOf(options: ServiceOptions, bodyCache: BodyCache, parts: AppParts): readonly Route[] {
  const { feed, clock, pathPrefix = '', baseUrl, hasPages = true } = options;
  const root = baseUrl ?? pathPrefix;
  const limiterOf = (rate: Rate | undefined) => rate && makeRateLimiter(rate, clock);
  return [
    { path: HEALTH_PATHS[0], at: () => () => jsonAnswer(200, { status: 'ok' }) },
    {
      path: HEALTH_PATHS[1],
      at: () => async () => {
        if (parts.isDraining()) return problemAnswer(PROBLEMS.stopping);
        await feed.checkHealth();
        return jsonAnswer(200, { status: 'ready' });
      },
    },
    descriptionRoute(root),
    ...(hasPages ? pageRoutes(pathPrefix) : []),
    listingRoute({
      feed,
      bodyCache,
      root,
      logRequests: options.logRequests ?? false,
      rateLimit: limiterOf(options.rateLimit),
      failedTokenLimit: limiterOf(options.failedTokenLimit),
      addressOf: parts.addressOf,
      turns: parts.turns,
      streams: parts.streams,
    }),
  ];
}

/** docs/openapi.json is its source. Tests hold it to the parameters, to the problems, and to every response. */
const DESCRIPTION = new URL('../../docs/openapi.json', import.meta.url);

/** `root` is the URL of the service for clients, or only its path, without a trailing slash. */
function descriptionRoute(root: string): Route {
  return assetRoute({
    path: '/openapi.json',
    contentType: 'application/json; charset=utf-8',
    read() {
      const description = JSON.parse(ownFile(DESCRIPTION).toString());
      return Buffer.from(JSON.stringify({ ...description, servers: [{ url: root || '/' }] }));
    },
  });
}

function isParameter(name: string): boolean {
  return parameterOf(name) !== undefined;
}
