/**
 * Finds the route for a request, or what is wrong with the request according to its path, method and headers.
 */

import type { IncomingMessage } from 'node:http';
import type { Answer, Exchange } from './exchange.ts';
import { MAX_URL_LENGTH, PROBLEMS, type Problem, unknownPath } from './problems.ts';

/** Answers GET and HEAD of one path, or of one path in every account. */
export interface Route {
  /** Below the prefix of the service. `:account` stands for the name of any account. */
  readonly path: string;
  /** Whether to answer OPTIONS as well, for preflight requests of browsers. */
  readonly hasOptions?: boolean;
  /** Whether requests are answered at once, however many wait. */
  readonly skipsTurn?: boolean;
  answer(exchange: Exchange, account: string): Promise<Answer>;
}

export interface FoundRoute {
  readonly route: Route;
  /** The decoded account name in the path; empty if the path has none. */
  readonly account: string;
}

/** Throws a URIError when the percent-encoding of the path is wrong. */
export type FindRoute = (path: string) => FoundRoute | undefined;

const ACCOUNT = ':account';

/** Paths of routes and requests have no trailing slash. */
export function makeRoutes(routes: readonly Route[], pathPrefix: string): FindRoute {
  const fixed = new Map<string, FoundRoute>();
  const inAccount = new Map<string, Route>();
  for (const route of routes) {
    const [before, after] = (pathPrefix + route.path).split(ACCOUNT);
    if (after === undefined) fixed.set(before as string, { route, account: '' });
    else inAccount.set(after, route);
  }
  const start = `${pathPrefix}/`;

  function find(path: string): FoundRoute | undefined {
    const found = fixed.get(path);
    if (found !== undefined || !path.startsWith(start)) return found;
    const end = path.indexOf('/', start.length);
    const route = end < 0 ? undefined : inAccount.get(path.slice(end));
    return route && end > start.length ? { route, account: path.slice(start.length, end) } : undefined;
  }

  return (path) => {
    if (!path.includes('%')) return find(path);
    // An encoded slash does not separate segments.
    const segments = path.split('/').map((segment) => decodeURIComponent(segment).replaceAll('/', '%2F'));
    const found = find(segments.join('/'));
    return found && { ...found, account: found.account.replaceAll('%2F', '/') };
  };
}

export interface CheckOptions {
  readonly findRoute: FindRoute;
  readonly pathPrefix: string;
  /** Whether there are pages for people that the answer to a wrong path can mention. */
  readonly hasPages: boolean;
}

export interface CheckedRequest {
  /** undefined when no route answers the request. */
  readonly found: FoundRoute | undefined;
  readonly problem: Problem | undefined;
}

export function checkRequest({ path, request }: Exchange, options: CheckOptions): CheckedRequest {
  const { url = '', method = '' } = request;
  if (url.length > MAX_URL_LENGTH) return { found: undefined, problem: PROBLEMS.longUrl };
  if (url.includes('#')) return { found: undefined, problem: PROBLEMS.badUrl };
  let found: FoundRoute | undefined;
  try {
    found = options.findRoute(path);
  } catch {
    return { found, problem: PROBLEMS.badUrl };
  }
  if (found === undefined) return { found, problem: unknownPath(options.pathPrefix, options.hasPages) };
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead || (method === 'OPTIONS' && found.route.hasOptions))
    return { found, problem: isRead && lacksHost(request) ? PROBLEMS.noHost : undefined };
  return { found: undefined, problem: found.route.hasOptions ? PROBLEMS.wrongMethod : PROBLEMS.readOnly };
}

function lacksHost({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.host === undefined;
}
