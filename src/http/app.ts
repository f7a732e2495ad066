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
import {
  answerBadExpectation,
  answerBrokenRequest,
  handleError,
  MAX_HEADER_BYTES,
  MAX_URL_LENGTH,
  PROBLEMS,
  sendProblem,
} from './errors.ts';
import { parseQuery } from './parameters.ts';
import { sendPage } from './response.ts';

const LISTING = '/:account/api/v1/shifts';
const LISTING_PATH = /^\/[^/]+\/api\/v1\/shifts\/?$/;

export interface AppOptions {
  readonly feed: Feed;
  readonly logger: FastifyBaseLogger;
}

export function makeApp({ feed, logger }: AppOptions): FastifyInstance {
  const app = fastify({
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
    // A request on an open connection is served while the server drains.
    return503OnClosing: false,
    frameworkErrors: ({ code }, _request, reply) =>
      sendProblem(reply, code === 'FST_ERR_MAX_PARAM_LENGTH' ? PROBLEMS.longUrl : PROBLEMS.badUrl),
    clientErrorHandler: answerBrokenRequest,
  });

  app.server.on('checkExpectation', (_request, response) => answerBadExpectation(response));
  app.setErrorHandler(handleError);

  // These answer before a body would be read.
  app.addHook('onRequest', async (request, reply) => {
    if (request.url.length > MAX_URL_LENGTH) return sendProblem(reply, PROBLEMS.longUrl);
    if (request.is404) {
      const isListing = LISTING_PATH.test(splitUrl(request).path);
      return sendProblem(reply, isListing ? PROBLEMS.wrongMethod : PROBLEMS.unknownPath);
    }
    const lacksHost = request.raw.httpVersion === '1.1' && request.headers.host === undefined;
    return lacksHost ? sendProblem(reply, PROBLEMS.noHost) : undefined;
  });

  app.options(LISTING, (_request, reply) => reply.code(204).headers(PROBLEMS.wrongMethod.headers).send());

  app.get<{ Params: { account: string } }>(LISTING, async (request, reply) => {
    const access = await feed.open(bearerToken(request.headers.authorization), request.params.account);
    const query = parseQuery(splitUrl(request).search);
    const page = await feed.list(access, query);
    sendPage(request, reply, page, access.ageMs);
  });

  return app;
}

function splitUrl({ url }: FastifyRequest): { path: string; search: string } {
  const mark = url.indexOf('?');
  return mark === -1 ? { path: url, search: '' } : { path: url.slice(0, mark), search: url.slice(mark + 1) };
}
