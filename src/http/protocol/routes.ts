/** What a URL asks for: the route that answers it, or what is wrong with it. */

import type { IncomingMessage } from 'node:http';
import { memoize } from '@shiftfeed/common/memoize';
import type { Answer, Exchange } from './exchange.ts';
import { MAX_URL_LENGTH, PROBLEMS, type Problem } from './problems.ts';

/** Answers GET and HEAD of one path, or of one path in every account. */
export interface Route {
  /** Below the prefix of the service. `:account` stands for the name of any account. */
  readonly path: string;
  /** Whether to answer OPTIONS as well, for preflight requests of browsers. */
  readonly hasOptions?: boolean;
  /** Called once for each URL of this route. The account is empty if the path names none. */
  at(account: string, search: string): Respond;
}

/** Answers a request. What depends only on the URL is worked out before. */
export type Respond = (exchange: Exchange) => Answer | Promise<Answer>;

/** Which methods a target answers. */
export type Methods = 'read' | 'read and preflight' | 'all';

export interface Target {
  /** For metrics and logs: the path with placeholders. */
  readonly route: string;
  readonly account: string;
  /** The query without its question mark. */
  readonly search: string;
  readonly methods: Methods;
  readonly respond: Respond;
}

/** A target, or the problem that the URL has. */
export type Found = Target | Problem;

/** Throws a URIError when the percent-encoding of the path is wrong. */
export type FindTarget = (path: string, search: string) => Found;

/** Clients request the same few URLs over and over. */
const MAX_MEMOIZED_URLS = 1_000;

/** This is the only memory of URLs: whatever else depends on nothing but the URL is kept by its target. */
export function makeTargets(find: FindTarget): (url: string) => Found {
  return memoize((url) => {
    if (url.length > MAX_URL_LENGTH) return PROBLEMS.longUrl;
    if (url.includes('#')) return PROBLEMS.badUrl;
    const { path, search } = splitUrl(url);
    try {
      return find(path, search);
    } catch (error) {
      if (error instanceof URIError) return PROBLEMS.badUrl;
      throw error;
    }
  }, MAX_MEMOIZED_URLS);
}

/** What is wrong with a request to a target, according to its method and headers. */
export function problemOf({ method, httpVersion, headers }: IncomingMessage, { methods }: Target) {
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead && methods === 'read') return PROBLEMS.readOnly;
  if (!isRead && methods === 'read and preflight' && method !== 'OPTIONS') return PROBLEMS.wrongMethod;
  return httpVersion === '1.1' && headers.host === undefined && isRead ? PROBLEMS.noHost : undefined;
}

const ACCOUNT = ':account';

/** Finds the route of a path. A trailing slash makes no difference. */
export function findAmong(routes: readonly Route[], pathPrefix: string, notFound: Problem): FindTarget {
  const fixed = new Map<string, Route>();
  const inAccount = new Map<string, Route>();
  for (const route of routes) {
    const [before, after] = (pathPrefix + route.path).split(ACCOUNT);
    if (after === undefined) fixed.set(before as string, route);
    else inAccount.set(after, route);
  }
  const start = `${pathPrefix}/`;

  function routeOf(path: string): { readonly route: Route; readonly account: string } | undefined {
    const route = fixed.get(path);
    if (route !== undefined) return { route, account: '' };
    if (!path.startsWith(start)) return undefined;
    const end = path.indexOf('/', start.length);
    const ofAccount = end < 0 ? undefined : inAccount.get(path.slice(end));
    return ofAccount && end > start.length
      ? { route: ofAccount, account: path.slice(start.length, end) }
      : undefined;
  }

  return (path, search) => {
    const found = routeOf(decoded(withoutSlash(path)));
    if (found === undefined) return notFound;
    const { route } = found;
    const account = found.account.replaceAll('%2F', '/');
    return {
      route: pathPrefix + (route.path || '/'),
      account,
      search,
      methods: route.hasOptions ? 'read and preflight' : 'read',
      respond: route.at(account, search),
    };
  };
}

/** An encoded slash stays encoded, because it does not separate segments. */
function decoded(path: string): string {
  if (!path.includes('%')) return path;
  const segments = path.split('/').map((segment) => decodeURIComponent(segment).replaceAll('/', '%2F'));
  return segments.join('/');
}

/**
 * Splits a URL at the question mark. Drops scheme and host, which clients send when they believe this server is a
 * proxy.
 */
export function splitUrl(url: string): { path: string; search: string } {
  const withoutHost = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const at = withoutHost.indexOf('?');
  return at < 0
    ? { path: withoutHost, search: '' }
    : { path: withoutHost.slice(0, at), search: withoutHost.slice(at + 1) };
}

export function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}
