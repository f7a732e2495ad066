/**
 * Serves the page at /docs: Swagger UI with the description of this service. Nothing comes from another server. Each file has
 * its own route, because all other paths below /docs/ belong to an account of that name.
 */

import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { serveAsset } from '../asset.ts';
import type { UnsentResponses } from '../limits/unsent.ts';

const HTML = 'text/html; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

/** Users type a token into this page: only our own scripts may run in it, and they may only connect to this server. */
const SECURITY_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // The icons of Swagger UI's style sheet are data URLs.
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

export function serveReference(app: FastifyInstance, pathPrefix: string, unsent: UnsentResponses): void {
  const files = [
    { path: '/docs', contentType: HTML, read: () => ownFile('page.html') },
    { path: '/docs/page.css', contentType: CSS, read: () => ownFile('page.css') },
    { path: '/docs/page.js', contentType: SCRIPT, read: () => ownFile('page.js') },
    { path: '/docs/swagger-ui.css', contentType: CSS, read: () => libraryFile('swagger-ui.css') },
    {
      path: '/docs/swagger-ui-bundle.js',
      contentType: SCRIPT,
      read: () => libraryFile('swagger-ui-bundle.js'),
    },
  ];
  app.register(async (scope) => {
    scope.addHook('onRequest', redirectTrailingSlash);
    for (const file of files)
      serveAsset(scope, { ...file, path: pathPrefix + file.path, headers: SECURITY_HEADERS }, unsent);
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
