/**
 * Serves the page at /docs: Swagger UI with the description of this service. Nothing comes from another server. Each
 * file has its own route, because all other paths below /docs/ belong to an account of that name.
 */

import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assetRoute } from '../assets/asset.ts';
import { PAGE_HEADERS, PAGE_TYPES } from '../assets/page.ts';
import { redirection } from '../protocol/exchange.ts';
import type { Route } from '../protocol/routes.ts';
import { splitUrl } from '../protocol/routes.ts';

export function referenceRoutes(): readonly Route[] {
  const files = [
    { path: '/docs', contentType: PAGE_TYPES.html, read: () => ownFile('page.html') },
    { path: '/docs/page.css', contentType: PAGE_TYPES.css, read: () => ownFile('page.css') },
    { path: '/docs/page.js', contentType: PAGE_TYPES.js, read: () => ownFile('page.js') },
    { path: '/docs/swagger-ui.css', contentType: PAGE_TYPES.css, read: () => libraryFile('swagger-ui.css') },
    {
      path: '/docs/swagger-ui-bundle.js',
      contentType: PAGE_TYPES.js,
      read: () => libraryFile('swagger-ui-bundle.js'),
    },
  ];
  return files.map((file) => withoutTrailingSlash(assetRoute({ ...file, headers: PAGE_HEADERS })));
}

/** Links in the page are relative to /docs, and would be wrong at /docs/. */
function withoutTrailingSlash(route: Route): Route {
  return {
    path: route.path,
    at(account, search) {
      const respond = route.at(account, search);
      return (exchange) => {
        const { path } = splitUrl(exchange.request.url ?? '');
        return path.endsWith('/') ? redirection(`../${basename(path)}`) : respond(exchange);
      };
    },
  };
}

function ownFile(file: string): Promise<Buffer> {
  return readFile(join(import.meta.dirname, file));
}

function libraryFile(file: string): Promise<Buffer> {
  return readFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`)));
}
