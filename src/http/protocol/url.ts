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
