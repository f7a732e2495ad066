/**
 * The HTTP side: one resource, and a clear answer to everything that is not it. Checks go in this order:
 * path and method, token, account, parameters. So nobody without a live token learns which accounts exist.
 */

import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import type { Feed } from '../feed/feed.ts';
import { bearerToken } from './bearer.ts';
import { acceptedEncodings, makeCompressor } from './compression.ts';
import { matchingTag } from './conditional.ts';
import { allowOrigin } from './cors.ts';
import {
  answerBrokenRequest,
  handleError,
  MAX_HEADER_BYTES,
  MAX_URL_LENGTH,
  PROBLEMS,
  sendProblem,
  writeProblem,
} from './errors.ts';
import { linkHeader } from './links.ts';
import { serveDescription } from './openapi/route.ts';
import { parseQuery } from './parameters.ts';
import { serveReference } from './reference/route.ts';
import { requestIdOf } from './request-id.ts';
import { entityTags, sendListing, sendNotModified } from './response.ts';

const LISTING_TAIL = 'api/v1/shifts';
const LISTING = `/:account/${LISTING_TAIL}`;

/** How long a request may take to arrive. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How long a connection may stand still in the middle of a request: longer than any load takes. */
const CONNECTION_TIMEOUT_MS = 90_000;

export interface AppOptions {
  readonly feed: Feed;
  readonly logger: FastifyBaseLogger;
  /** For compressed pages. */
  readonly compressionBudgetBytes: number;
  /** Where clients reach this server, without a slash at the end; without it, links are relative. */
  readonly baseUrl?: string | undefined;
  /** Whose pages may read from a browser. */
  readonly corsOrigins?: ReadonlySet<string>;
}

const NO_ORIGINS: ReadonlySet<string> = new Set();

export function makeApp(options: AppOptions): FastifyInstance {
  const { feed, logger, compressionBudgetBytes, baseUrl = '', corsOrigins = NO_ORIGINS } = options;
  const compressor = makeCompressor(compressionBudgetBytes);
  const app = fastify({
    genReqId: ({ headers }) => requestIdOf(headers['x-request-id']),
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: {
      ignoreTrailingSlash: true,
      // A name that is too long for an account is just unknown.
      maxParamLength: MAX_URL_LENGTH,
      // parseQuery reads the query itself, after the token.
      querystringParser: () => ({}),
    },
    http: { maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false },
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    // A request on an open connection is served while the server drains.
    return503OnClosing: false,
    frameworkErrors: ({ code }, request, reply) => {
      reply.header('x-request-id', request.id);
      return sendProblem(reply, code === 'FST_ERR_MAX_PARAM_LENGTH' ? PROBLEMS.longUrl : PROBLEMS.badUrl);
    },
    clientErrorHandler: answerBrokenRequest,
  });

  app.server.on('checkExpectation', ({ socket }) => writeProblem(socket, PROBLEMS.badExpectation));
  app.server.on('connect', (_request, socket) => writeProblem(socket, PROBLEMS.wrongMethod));
  app.setErrorHandler(handleError);

  // These answer before a body would be read.
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    allowOrigin(corsOrigins, request, reply);
    if (request.url.length > MAX_URL_LENGTH) return sendProblem(reply, PROBLEMS.longUrl);
    if (request.url.includes('#')) return sendProblem(reply, PROBLEMS.badUrl);
    if (request.is404)
      return sendProblem(reply, isListing(request) ? PROBLEMS.wrongMethod : PROBLEMS.unknownPath);
    if (request.method === 'OPTIONS') return reply.code(204).headers(PROBLEMS.wrongMethod.headers).send();
    const lacksHost = request.raw.httpVersion === '1.1' && request.headers.host === undefined;
    return lacksHost ? sendProblem(reply, PROBLEMS.noHost) : undefined;
  });

  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async () => {
    await feed.check();
    return { status: 'ready' };
  });

  serveDescription(app, baseUrl);
  serveReference(app);

  // Answered above, like every request that needs no look at its body.
  app.options(LISTING, () => undefined);

  app.get<{ Params: { account: string } }>(LISTING, async (request, reply) => {
    const {
      authorization,
      'accept-encoding': acceptEncoding,
      'if-none-match': ifNoneMatch,
    } = request.headers;
    const access = await feed.open(bearerToken(authorization), request.params.account);
    const { path, search } = splitUrl(request);
    const query = parseQuery(search);
    const encodings = acceptedEncodings(acceptEncoding);
    if (encodings.length === 0) return sendProblem(reply, PROBLEMS.notAcceptable);
    const stale = access.staleMs === undefined ? {} : { 'shiftfeed-stale': Math.ceil(access.staleMs / 1000) };

    const known = ifNoneMatch && matchingTag(ifNoneMatch, entityTags(feed.tag(access, query), encodings));
    if (known) return sendNotModified(reply.headers(stale), known, access.holding.revision);

    const listing = await feed.list(access, query);
    const link = linkHeader(baseUrl + path, search, listing);
    await sendListing(request, reply.headers(stale), { listing, link, encodings, compressor });
    return reply;
  });

  return app;
}

/** Whether the path is that of the listing, for methods that have no route. */
function isListing(request: FastifyRequest): boolean {
  const [root, account, ...tail] = splitUrl(request)
    .path.replace(/\/$/, '')
    .split('/')
    .map(decodeURIComponent);
  return root === '' && account !== '' && tail.join('/') === LISTING_TAIL;
}

/** Without scheme and host, which clients put in front when they take this server for a proxy. */
function splitUrl({ url }: FastifyRequest): { path: string; search: string } {
  const [path = '', ...search] = url.replace(/^https?:\/\/[^/?]*/i, '').split('?');
  return { path, search: search.join('?') };
}
