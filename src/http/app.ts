/**
 * The Fastify app: one resource, and a clear response to everything else. Requests are checked in this order: path and
 * method, token, account, parameters. So nobody without a live token can find out which accounts exist.
 */

import { type FastifyInstance, type FastifyServerOptions, fastify } from 'fastify';
import type { Logger } from 'pino';
import type { Clock } from '../feed/clock.ts';
import type { Feed } from '../feed/feed.ts';
import { makeBodyCache } from './encoding/body-cache.ts';
import { errorHandler } from './error-handler.ts';
import { serveExplorer } from './explorer/route.ts';
import { serveHealth } from './health.ts';
import { type Connections, limitConnections } from './limits/connections.ts';
import { DEFAULT_LIMITS, type ServerLimits } from './limits/limits.ts';
import { makeRateLimiter, type Rate } from './limits/rate-limit.ts';
import { trackUnsentResponses, type UnsentResponses } from './limits/unsent.ts';
import { parameterOf } from './listing/parameters.ts';
import { serveListing } from './listing/route.ts';
import type { Metrics } from './observe/metrics.ts';
import { makeProblemLog, type ProblemLog } from './observe/problem-log.ts';
import { requestIdOf } from './observe/request-id.ts';
import { requestLogEntry } from './observe/request-log.ts';
import { serveDescription } from './openapi/route.ts';
import { MAX_URL_LENGTH, PROBLEMS, sendProblem } from './protocol/problems.ts';
import { leaveQuery, pathOf, routeOf } from './protocol/url.ts';
import { serveReference } from './reference/route.ts';
import { checkRequests } from './request-check.ts';
import { makeServer } from './server.ts';

export interface AppOptions {
  readonly feed: Feed;
  /** Fastify's own logging stays off: its logger for each request would add a tenth to the time of a request. */
  readonly logger: Logger;
  /** Whether each request is logged, at the level `info`. */
  readonly logRequests?: boolean;
  readonly clock: Clock;
  readonly bodyCacheBytes: number;
  /** The path of the whole service, such as `/shifts`; empty for the root. */
  readonly pathPrefix?: string | undefined;
  /** The URL of that path for clients, without a slash at the end. Without it, links are relative. */
  readonly baseUrl?: string | undefined;
  /** Whether to serve the pages for people, / and /docs. */
  readonly hasPages?: boolean;
  /** The origins whose pages may read responses in a browser. */
  readonly corsOrigins?: ReadonlySet<string>;
  /** The proxies whose X-Forwarded-For is trusted: addresses or networks. */
  readonly trustProxy?: readonly string[] | undefined;
  /** How often a token may be used. */
  readonly rateLimit?: Rate | undefined;
  /** How many tokens that are not live an address may send. */
  readonly failedTokenLimit?: Rate | undefined;
  readonly limits?: Partial<ServerLimits>;
  readonly metrics?: Metrics | undefined;
}

export function makeApp(options: AppOptions): FastifyInstance {
  const {
    feed,
    logger,
    logRequests = false,
    clock,
    metrics,
    pathPrefix = '',
    baseUrl,
    hasPages = true,
  } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const log = makeProblemLog(logger);
  const bodyCache = makeBodyCache({
    cacheBytes: options.bodyCacheBytes,
    buildBytes: limits.maxCompressionBytes,
  });
  const connections = loggedConnections(limits, pathPrefix, log);
  const unsent = loggedUnsentResponses(limits, feed, log);
  metrics?.collectFrom({ feed, bodyCache, connections, unsent });

  const app = fastify(fastifyOptions(options, limits, connections));
  // Whoever starts the server handles errors until it listens.
  app.server.once('listening', () => app.server.on('error', (error) => log.error(error.message)));
  app.setErrorHandler(errorHandler(log));
  app.addHook('preClose', async () => connections.drain(app.server));
  app.addHook('onClose', async () => log.flush());
  checkRequests(app, { pathPrefix, hasPages, corsOrigins: options.corsOrigins });
  // A hook costs time on every request, so it is only there when it has something to do.
  if (metrics || logRequests) {
    app.addHook('onResponse', async (request, reply) => {
      metrics?.countResponse(routeOf(request), reply.statusCode, reply.elapsedTime);
      if (logRequests) logger.info(requestLogEntry(request, reply, isParameter), 'request');
    });
  }

  serveHealth(app, pathPrefix, feed);
  serveDescription(app, pathPrefix, baseUrl, unsent);
  if (hasPages) {
    serveExplorer(app, pathPrefix, unsent);
    serveReference(app, pathPrefix, unsent);
  }
  serveListing(app, {
    feed,
    bodyCache,
    unsent,
    pathPrefix,
    baseUrl,
    logRequests,
    limiters: {
      rateLimit: options.rateLimit && makeRateLimiter(options.rateLimit, clock),
      failedTokenLimit: options.failedTokenLimit && makeRateLimiter(options.failedTokenLimit, clock),
    },
  });
  return app;
}

function loggedConnections(limits: ServerLimits, pathPrefix: string, log: ProblemLog): Connections {
  return limitConnections({
    ...limits,
    isHealthCheck: (url) => pathOf(url) === `${pathPrefix}/healthz`,
    onTooManyPipelined: () => log.warn('A connection was closed, because it sent too many requests ahead.'),
    onTooManyConnections: () =>
      log.warn(`All ${limits.maxConnections} connections are in use: further ones are refused.`),
  });
}

function loggedUnsentResponses(limits: ServerLimits, feed: Feed, log: ProblemLog): UnsentResponses {
  return trackUnsentResponses({
    ...limits,
    isCached: feed.isCached,
    onAbort: () => log.warn('A connection was cut off, because its client read too slowly.'),
  });
}

function fastifyOptions(
  { trustProxy = [], metrics }: AppOptions,
  limits: ServerLimits,
  connections: Connections,
) {
  return {
    genReqId: requestIdOf,
    trustProxy: trustProxy.length > 0 && [...trustProxy],
    routerOptions: {
      ignoreTrailingSlash: true,
      // The router does not judge the length of account names: a long one is simply unknown.
      maxParamLength: MAX_URL_LENGTH,
      querystringParser: leaveQuery,
    },
    // No route has a schema, and loading the schema compilers takes a tenth of the time to start.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    serverFactory: (handle) =>
      makeServer(handle, {
        limits,
        connections,
        onRejected: (status) => metrics?.countResponse('none', status, 0),
      }),
    // While the server drains, it still serves requests on open connections.
    return503OnClosing: false,
    frameworkErrors: ({ code }, request, reply) => {
      reply.header('x-request-id', request.id);
      const problem = code === 'FST_ERR_MAX_PARAM_LENGTH' ? PROBLEMS.longUrl : PROBLEMS.badUrl;
      metrics?.countResponse('none', problem.status, reply.elapsedTime);
      return sendProblem(reply, problem);
    },
    // makeServer handles these.
    clientErrorHandler: () => undefined,
  } satisfies FastifyServerOptions;
}

function isParameter(name: string): boolean {
  return parameterOf(name) !== undefined;
}

function noSchemas(): never {
  throw new Error('Routes of this service have no schemas.');
}
