/**
 * Finds the route for a request, or what is wrong with the request according to its path, method and headers.
 */

import type { IncomingMessage } from 'node:http';
import type { Answer, Exchange } from './exchange.ts';
import { memoize } from './memoize.ts';
import { MAX_URL_LENGTH, PROBLEMS, type Problem, unknownPath } from './problems.ts';
import { splitUrl, withoutSlash } from './url.ts';

/** Answers GET and HEAD of one path, or of one path in every account. */
export interface Route {
  /** Below the prefix of the service. `:account` stands for the name of any account. */
  readonly path: string;
  /** Whether to answer OPTIONS as well, for preflight requests of browsers. */
  readonly hasOptions?: boolean;
  answer(exchange: Exchange, account: string): Promise<Answer>;
}

export interface FoundRoute {
  readonly route: Route;
  /** The decoded account name in the path; empty if the path has none. */
  readonly account: string;
}

/** Throws a URIError when the percent-encoding of the path is wrong. */
type FindRoute = (path: string) => FoundRoute | undefined;

const ACCOUNT = ':account';

/** Paths of routes and requests have no trailing slash. */
function makeRoutes(routes: readonly Route[], pathPrefix: string): FindRoute {
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

/** What a URL asks for. */
export interface Target {
  /** The query without its question mark. */
  readonly search: string;
  /** undefined when no route answers. */
  readonly found: FoundRoute | undefined;
  readonly problem: Problem | undefined;
}

export interface TargetOptions {
  readonly pathPrefix: string;
  /** Whether there are pages for people that the answer to a wrong path can mention. */
  readonly hasPages: boolean;
}

/** Clients request the same few URLs over and over. */
const MAX_MEMOIZED_URLS = 1_000;

export function makeTargets(
  routes: readonly Route[],
  { pathPrefix, hasPages }: TargetOptions,
): (url: string) => Target {
  const findRoute = makeRoutes(routes, pathPrefix);
  const notFound = unknownPath(pathPrefix, hasPages);
  return memoize((url) => {
    const { path, search } = splitUrl(url);
    const without = (problem: Problem): Target => ({ search, found: undefined, problem });
    if (url.length > MAX_URL_LENGTH) return without(PROBLEMS.longUrl);
    if (url.includes('#')) return without(PROBLEMS.badUrl);
    try {
      const found = findRoute(withoutSlash(path));
      return found === undefined ? without(notFound) : { search, found, problem: undefined };
    } catch {
      return without(PROBLEMS.badUrl);
    }
  }, MAX_MEMOIZED_URLS);
}

/** The target, unless something else of the request is wrong. */
export function checkRequest(request: IncomingMessage, target: Target): Target {
  const { found, search } = target;
  if (found === undefined) return target;
  const { method } = request;
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead) return lacksHost(request) ? { ...target, problem: PROBLEMS.noHost } : target;
  const { hasOptions } = found.route;
  if (hasOptions && method === 'OPTIONS') return target;
  return { search, found: undefined, problem: hasOptions ? PROBLEMS.wrongMethod : PROBLEMS.readOnly };
}

function lacksHost({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.host === undefined;
}
