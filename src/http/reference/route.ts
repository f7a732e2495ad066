/**
 * Serves the page at /docs: Swagger UI with the description of this service. Nothing comes from another server. Each
 * file has its own route, because all other paths below /docs/ belong to an account of that name.
 */

import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { serveAsset } from '../assets/asset.ts';
import { PAGE_HEADERS, PAGE_TYPES } from '../assets/page.ts';
import type { UnsentResponses } from '../limits/unsent.ts';

export function serveReference(app: FastifyInstance, pathPrefix: string, unsent: UnsentResponses): void {
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
  app.register(async (scope) => {
    scope.addHook('onRequest', redirectTrailingSlash);
    for (const file of files)
      serveAsset(scope, { ...file, path: pathPrefix + file.path, headers: PAGE_HEADERS }, unsent);
  });
}

/** Links in the page are relative to /docs, and would be wrong at /docs/. */
async function redirectTrailingSlash({ url }: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const [path = ''] = url.split('?');
  return path.endsWith('/') ? reply.redirect(`../${basename(path)}`, 308) : undefined;
}

function ownFile(file: string): Promise<Buffer> {
  return readFile(join(import.meta.dirname, file));
}

function libraryFile(file: string): Promise<Buffer> {
  return readFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`)));
}
