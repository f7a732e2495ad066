import type { FastifyRequest } from 'fastify';

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

/** For the router, which would parse each query string. parseQuery does so, after the token was checked. */
export function leaveQuery(): Record<string, never> {
  return {};
}

/** The path of a URL, without a trailing slash. */
export function pathOf(url: string): string {
  return splitUrl(url).path.replace(/\/$/, '');
}

/** The pattern of the route that handles a request, such as `/:account/api/v1/shifts`. */
export function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'none';
}
