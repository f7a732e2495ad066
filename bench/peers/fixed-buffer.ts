/**
 * The limit: Fastify sending the bytes of a file, read once, for every request, and a fixed 304. Takes a folder, each file of which becomes a path, and prints its URL.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fastify } from 'fastify';

/** Those that Shiftfeed sends. */
const NOT_MODIFIED_HEADERS = {
  'x-request-id': '0e1b5a93-d7a8-4ba7-b828-1ad34faa3b55-123456',
  'cache-control': 'private, no-cache',
  vary: 'Accept-Encoding, Authorization, Origin',
  etag: '"zkobKAG9dhkr7zwinfp_tOZQIOU-1-500"',
  'shiftfeed-listing': 'zkobKAG9dhkr7zwinfp_tOZQIOU',
  'shiftfeed-revision': 1794732864613792,
  'shiftfeed-time-zone': 'Europe/Amsterdam',
  'last-modified': 'Sun, 15 Nov 2026 09:34:24 GMT',
};

const [folder = '.'] = process.argv.slice(2);

// What Shiftfeed asks of Node, its limit gets, too.
const app = fastify({ http: { optimizeEmptyRequests: true } });
for (const file of readdirSync(folder)) {
  const body = readFileSync(join(folder, file));
  const headers = file.endsWith('.gz') ? { 'content-encoding': 'gzip' } : {};
  app.get(`/${file}`, (_request, reply) =>
    reply.type('application/json; charset=utf-8').headers(headers).send(body),
  );
}
app.get('/not-modified', (_request, reply) => reply.code(304).headers(NOT_MODIFIED_HEADERS).send());
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
