/**
 * The `Link` header (RFC 8288) names the other pages of a listing, with all filters kept. Each link repeats the whole
 * query, and clients refuse headers that are too large. So links are dropped until the header fits, `next` last of all.
 */

import type { PageLayout } from '../../listing/page.ts';

/** Half of what Node's fetch accepts for all headers together. */
const MAX_HEADER_CHARACTERS = 8_192;

/** A page keeps its `PageLayout` object as long as nothing changes, so its header is written once for each path. */
const headers = new WeakMap<PageLayout, { readonly path: string; readonly header: string | undefined }>();

/** `path` and `search` belong to the request that `layout` answers. Returns undefined when not even one link fits. */
export function linkHeader(path: string, search: string, layout: PageLayout): string | undefined {
  const cached = headers.get(layout);
  if (cached?.path === path) return cached.header;
  const header = writeLinks(path, search, layout);
  headers.set(layout, { path, header });
  return header;
}

/** Clients rarely follow the first of these, so it is dropped first. */
const DROP_ORDER = ['last', 'first', 'prev', 'next'];

function writeLinks(path: string, search: string, { page, totalPages }: PageLayout): string | undefined {
  const last = Math.max(1, totalPages);
  const pages: [string, number | undefined][] = [
    ['first', 1],
    ['prev', page > 1 ? Math.min(page - 1, last) : undefined],
    ['next', page < last ? page + 1 : undefined],
    ['last', last],
  ];
  const parameters = new URLSearchParams(search);
  const links = new Map<string, string>();
  for (const [rel, number] of pages) {
    if (number === undefined) continue;
    parameters.set('page', String(number));
    links.set(rel, `<${path}?${parameters}>; rel="${rel}"`);
  }
  const joined = () => [...links.values()].join(', ');
  for (const rel of DROP_ORDER) {
    if (joined().length > MAX_HEADER_CHARACTERS) links.delete(rel);
  }
  return links.size === 0 ? undefined : joined();
}
