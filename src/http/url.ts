import type { FastifyRequest } from 'fastify';

/** Without scheme and host, which clients put in front when they take this server for a proxy. */
export function splitUrl(url: string): { path: string; search: string } {
  const withoutHost = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const at = withoutHost.indexOf('?');
  return at < 0
    ? { path: withoutHost, search: '' }
    : { path: withoutHost.slice(0, at), search: withoutHost.slice(at + 1) };
}

/** Without a slash at the end, which makes no difference. */
export function pathOf(url: string): string {
  return splitUrl(url).path.replace(/\/$/, '');
}

/** The path of the route that answers a request, with names in place of values. */
export function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'none';
}
