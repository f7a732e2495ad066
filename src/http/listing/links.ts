/**
 * The `Link` header (RFC 8288): the other pages of the same listing, with all filters kept. Each of them repeats the whole query,
 * and clients refuse headers that are too large: so there are as many as fit, and `next` is the last to be left out.
 */

import type { PageLayout } from '../../listing/page.ts';

/** Half of what Node's fetch takes of all headers together. */
const MAX_HEADER_CHARACTERS = 8_192;

/** The layout of a page is the same object as long as nothing changes: its links are written once for each path. */
const linksOfLayout = new WeakMap<
  PageLayout,
  { readonly path: string; readonly header: string | undefined }
>();

/** `path` and `search` are those of the request that `layout` answers. undefined when not even one link fits. */
export function linkHeader(path: string, search: string, layout: PageLayout): string | undefined {
  const known = linksOfLayout.get(layout);
  if (known?.path === path) return known.header;
  const header = writeLinks(path, search, layout);
  linksOfLayout.set(layout, { path, header });
  return header;
}

/** What is followed least is left out first. */
const LEFT_OUT_FIRST = ['last', 'first', 'prev', 'next'];

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
  const written = () => [...links.values()].join(', ');
  for (const rel of LEFT_OUT_FIRST) {
    if (written().length > MAX_HEADER_CHARACTERS) links.delete(rel);
  }
  return links.size === 0 ? undefined : written();
}
