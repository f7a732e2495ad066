/**
 * The page at /docs: Swagger UI, with the description of this very service and nothing from anywhere else. Each file has a
 * route of its own, because whatever else begins with /docs/ belongs to an account of that name.
 */

import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { serveAsset } from '../asset.ts';
import type { Unsent } from '../limits/unsent.ts';

const HTML = 'text/html; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

/** A token is typed into this page: only our own scripts may run in it, and they may only talk to us. */
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

export function serveReference(app: FastifyInstance, pathPrefix: string, unsent: Unsent): void {
  const files = [
    { path: '/docs', contentType: HTML, read: () => ours('page.html') },
    { path: '/docs/page.css', contentType: CSS, read: () => ours('page.css') },
    { path: '/docs/page.js', contentType: SCRIPT, read: () => ours('page.js') },
    { path: '/docs/swagger-ui.css', contentType: CSS, read: () => library('swagger-ui.css') },
    { path: '/docs/swagger-ui-bundle.js', contentType: SCRIPT, read: () => library('swagger-ui-bundle.js') },
  ];
  app.register(async (scope) => {
    scope.addHook('onRequest', dropTrailingSlash);
    for (const file of files)
      serveAsset(scope, { ...file, path: pathPrefix + file.path, headers: SECURITY_HEADERS }, unsent);
  });
}

/** The addresses in the page are relative to /docs and would lead nowhere from /docs/. */
async function dropTrailingSlash({ url }: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const [path = ''] = url.split('?');
  return path.endsWith('/') ? reply.redirect(`../${basename(path)}`, 308) : undefined;
}

function ours(file: string): Promise<Buffer> {
  return readFile(join(import.meta.dirname, file));
}

function library(file: string): Promise<Buffer> {
  return readFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`)));
}
