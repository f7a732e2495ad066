/** The `Link` header (RFC 8288): the other pages of the same listing, with all filters kept. */

import type { PagePlace } from '../listing/page.ts';

/** The place of a page is the same object as long as nothing changes: its links are written once. */
const known = new WeakMap<PagePlace, string>();

/** `path` and `search` are those of the request that `place` answers. */
export function linkHeader(path: string, search: string, place: PagePlace): string {
  const written = known.get(place);
  if (written !== undefined) return written;
  const header = writeLinks(path, search, place);
  known.set(place, header);
  return header;
}

function writeLinks(path: string, search: string, { page, totalPages }: PagePlace): string {
  const last = Math.max(1, totalPages);
  const pages: [string, number | undefined][] = [
    ['first', 1],
    ['prev', page > 1 ? Math.min(page - 1, last) : undefined],
    ['next', page < last ? page + 1 : undefined],
    ['last', last],
  ];
  const parameters = new URLSearchParams(search);
  return pages
    .flatMap(([rel, number]) => {
      if (number === undefined) return [];
      parameters.set('page', String(number));
      return `<${path}?${parameters}>; rel="${rel}"`;
    })
    .join(', ');
}
