/** The `Link` header (RFC 8288): the other pages of the same listing, with all filters kept. */

import type { Page } from '../listing/page.ts';

export function linkHeader(url: string, { page, totalPages }: Page): string {
  const last = Math.max(1, totalPages);
  const pages: [string, number | undefined][] = [
    ['first', 1],
    ['prev', page > 1 ? Math.min(page - 1, last) : undefined],
    ['next', page < last ? page + 1 : undefined],
    ['last', last],
  ];
  return pages
    .flatMap(([rel, number]) => (number === undefined ? [] : `<${atPage(url, number)}>; rel="${rel}"`))
    .join(', ');
}

function atPage(url: string, page: number): string {
  const [path = '', search = ''] = url.split('?', 2);
  const parameters = search.split('&').filter((part) => part !== '' && !/^page(=|$)/.test(part));
  return `${path}?${[...parameters, `page=${page}`].join('&')}`;
}
