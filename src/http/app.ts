/**
 * The HTTP side: one resource, and a clear answer to everything that is not it. Checks go in this order:
 * path and method, token, account, parameters. So nobody without a live token learns which accounts exist.
 */

import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import type { Logger } from 'pino';
import type { Clock } from '../feed/clock.ts';
import type { Feed } from '../feed/feed.ts';
import { allowOrigin } from './cors.ts';
import { keepBodies } from './encoding/body-cache.ts';
import { errorHandler, MAX_URL_LENGTH, PROBLEMS, type Problem, sendProblem, unknownPath } from './errors.ts';
import { limitConnections } from './limits/connections.ts';
import { DEFAULT_LIMITS, type ServerLimits } from './limits/limits.ts';
import { makeRateLimiter, type Rate } from './limits/rate-limit.ts';
import { watchUnsent } from './limits/unsent.ts';
import { isListing, routeListing } from './listing/route.ts';
import type { Metrics } from './observe/metrics.ts';
import { logSparingly } from './observe/problem-log.ts';
import { requestIdOf } from './observe/request-id.ts';
import { loggedRequest } from './observe/request-log.ts';
import { serveDescription } from './openapi/route.ts';
import { serveReference } from './reference/route.ts';
import { makeServer } from './server.ts';
import { pathOf, routeOf } from './url.ts';

const NO_ORIGINS: ReadonlySet<string> = new Set();

export interface AppOptions {
  readonly feed: Feed;
  /** Fastify itself logs nothing: a logger for each request would cost a tenth of it. */
  readonly logger: Logger;
  /** Whether each request is logged, at the level `info`. */
  readonly logRequests?: boolean;
  readonly clock: Clock;
  /** For compressed and scattered pages. */
  readonly bodyCacheBytes: number;
  /** Under which path everything lies, such as `/shifts`; empty for the root. */
  readonly pathPrefix?: string | undefined;
  /** Where clients reach what lies there, without a slash at the end; without it, links are relative. */
  readonly baseUrl?: string | undefined;
  /** Whose pages may read from a browser. */
  readonly corsOrigins?: ReadonlySet<string>;
  /** Proxies that are believed when they say for whom they ask: addresses or networks. */
  readonly trustProxy?: readonly string[] | undefined;
  /** How often a token may be used. */
  readonly rateLimit?: Rate | undefined;
  /** How often an address may come with tokens that are not live. */
  readonly failedTokenLimit?: Rate | undefined;
  readonly limits?: Partial<ServerLimits>;
  readonly metrics?: Metrics | undefined;
}

export function makeApp(options: AppOptions): FastifyInstance {
  const { feed, logger, logRequests = false, clock, metrics, pathPrefix = '', trustProxy = [] } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const log = logSparingly(logger);
  const bodies = keepBodies({ keptBytes: options.bodyCacheBytes, workBytes: limits.maxCompressionBytes });
  const connections = limitConnections({
    ...limits,
    isAlwaysAnswered: (url) => pathOf(url) === `${pathPrefix}/healthz`,
    onAhead: () => log.warn('A connection was closed, because it sent too many requests ahead.'),
    onCrowded: () =>
      log.warn(
        `There are ${limits.maxConnections} connections, the most that are allowed: others are refused.`,
      ),
  });
  const unsent = watchUnsent({
    ...limits,
    isCached: feed.isCached,
    onCut: () => log.warn('A connection was cut off, because its client read too slowly.'),
  });
  metrics?.watch({ feed, bodies, connections, unsent });
  const app = fastify({
    genReqId: ({ headers }) => requestIdOf(headers['x-request-id']),
    trustProxy: trustProxy.length > 0 && [...trustProxy],
    routerOptions: {
      ignoreTrailingSlash: true,
      // A name that is too long for an account is just unknown.
      maxParamLength: MAX_URL_LENGTH,
      // parseQuery reads the query itself, after the token.
      querystringParser: () => ({}),
    },
    // No route has a schema, and loading what would compile one takes a tenth of the time to start.
    schemaController: { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } },
    serverFactory: (handle) =>
      makeServer(handle, {
        limits,
        connections,
        onRefused: (status) => metrics?.answered('none', status, 0),
      }),
    // A request on an open connection is served while the server drains.
    return503OnClosing: false,
    frameworkErrors: ({ code }, request, reply) => {
      reply.header('x-request-id', request.id);
      const problem = code === 'FST_ERR_MAX_PARAM_LENGTH' ? PROBLEMS.longUrl : PROBLEMS.badUrl;
      metrics?.answered('none', problem.status, reply.elapsedTime);
      return sendProblem(reply, problem);
    },
    // The server answers these itself.
    clientErrorHandler: () => undefined,
  });
  // Until then, errors are told to whoever wants to listen.
  app.server.once('listening', () => app.server.on('error', (error) => log.error(error.message)));
  app.setErrorHandler(errorHandler(log));
  app.addHook('preClose', async () => connections.drain(app.server));
  app.addHook('onClose', async () => log.flush());

  /** Where there is something besides the listing. */
  const fixedPaths = new Set<string>();
  app.addHook('onRoute', ({ url }) => {
    fixedPaths.add(url);
  });

  // These answer before a body would be read.
  const { corsOrigins = NO_ORIGINS } = options;
  app.addHook('onRequest', (request, reply, goOn) => {
    reply.header('x-request-id', request.id);
    allowOrigin(corsOrigins, request, reply);
    const problem = problemOf(request, pathPrefix, fixedPaths);
    if (problem !== undefined) sendProblem(reply, problem);
    else if (request.method === 'OPTIONS') reply.code(204).headers(PROBLEMS.wrongMethod.headers).send();
    else goOn();
  });

  if (metrics || logRequests) {
    app.addHook('onResponse', async (request, reply) => {
      metrics?.answered(routeOf(request), reply.statusCode, reply.elapsedTime);
      if (logRequests) logger.info(loggedRequest(request, reply), 'request');
    });
  }

  app.get(`${pathPrefix}/healthz`, () => ({ status: 'ok' }));
  app.get(`${pathPrefix}/readyz`, async () => {
    await feed.checkHealth();
    return { status: 'ready' };
  });

  serveDescription(app, pathPrefix, options.baseUrl, unsent);
  serveReference(app, pathPrefix, unsent);
  routeListing(app, {
    feed,
    bodies,
    unsent,
    pathPrefix,
    baseUrl: options.baseUrl,
    logsRequests: logRequests,
    limits: {
      rateLimit: options.rateLimit && makeRateLimiter(options.rateLimit, clock),
      failedTokenLimit: options.failedTokenLimit && makeRateLimiter(options.failedTokenLimit, clock),
    },
  });

  return app;
}

function noSchema(): never {
  throw new Error('Routes of this service have no schemas.');
}

/** What is wrong with a request, as far as its head tells. */
function problemOf(
  { url, is404, raw, headers }: FastifyRequest,
  pathPrefix: string,
  fixedPaths: ReadonlySet<string>,
): Problem | undefined {
  if (url.length > MAX_URL_LENGTH) return PROBLEMS.longUrl;
  if (url.includes('#')) return PROBLEMS.badUrl;
  if (is404) {
    if (isListing(url, pathPrefix)) return PROBLEMS.wrongMethod;
    return fixedPaths.has(pathOf(url)) ? PROBLEMS.onlyRead : unknownPath(pathPrefix);
  }
  if (raw.method === 'OPTIONS') return undefined;
  return raw.httpVersion === '1.1' && headers.host === undefined ? PROBLEMS.noHost : undefined;
}
