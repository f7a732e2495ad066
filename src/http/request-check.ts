/** Checks the path, method and headers of each request before its route runs, and responds to OPTIONS. */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isListingUrl } from './listing/route.ts';
import { allowOrigin } from './protocol/cors.ts';
import { MAX_URL_LENGTH, PROBLEMS, type Problem, sendProblem, unknownPath } from './protocol/problems.ts';
import { pathOf } from './protocol/url.ts';

const NO_ORIGINS: ReadonlySet<string> = new Set();

export interface CheckOptions {
  readonly pathPrefix: string;
  /** Whether there are pages for people, to which a wrong path can point. */
  readonly hasPages: boolean;
  readonly corsOrigins?: ReadonlySet<string> | undefined;
}

/** Has to be called before any route is added. */
export function checkRequests(app: FastifyInstance, options: CheckOptions): void {
  const { corsOrigins = NO_ORIGINS } = options;
  const routes = new Set<string>();
  app.addHook('onRoute', ({ url }) => {
    routes.add(pathOf(url));
  });

  // This hook runs before Fastify would read a body.
  app.addHook('onRequest', (request, reply, next) => {
    reply.header('x-request-id', request.id);
    if (corsOrigins.size > 0) allowOrigin(corsOrigins, request, reply);
    const problem = problemOf(request, options, routes);
    if (problem !== undefined) sendProblem(reply, problem);
    else if (request.method === 'OPTIONS') reply.code(204).headers(PROBLEMS.wrongMethod.headers).send();
    else next();
  });
}

function problemOf(
  { url, is404, raw, headers }: FastifyRequest,
  { pathPrefix, hasPages }: CheckOptions,
  routes: ReadonlySet<string>,
): Problem | undefined {
  if (url.length > MAX_URL_LENGTH) return PROBLEMS.longUrl;
  if (url.includes('#')) return PROBLEMS.badUrl;
  if (is404) {
    if (isListingUrl(url, pathPrefix)) return PROBLEMS.wrongMethod;
    return routes.has(pathOf(url)) ? PROBLEMS.readOnly : unknownPath(pathPrefix, hasPages);
  }
  if (raw.method === 'OPTIONS') return undefined;
  return raw.httpVersion === '1.1' && headers.host === undefined ? PROBLEMS.noHost : undefined;
}
