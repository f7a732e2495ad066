/** The `Link` header (RFC 8288): the other pages of the same listing, with all filters kept. */

import type { PagePlace } from '../listing/page.ts';

export function linkHeader(
  path: string,
  search: string,
  { page, totalPages }: Pick<PagePlace, 'page' | 'totalPages'>,
): string {
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
