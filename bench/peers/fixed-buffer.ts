/**
 * The limit: Fastify sending the bytes of a file, read once, for every request, and the smallest answer that it can give at all.
 * Takes a folder, each file of which becomes a path, and how many processes share the port; prints its URL.
 */

import cluster from 'node:cluster';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fastify } from 'fastify';

const [folder = '.', workers = '1'] = process.argv.slice(2);

if (cluster.isPrimary && Number(workers) > 1) {
  let listening = 0;
  cluster.on('listening', (_worker, { port }) => {
    if (++listening === Number(workers)) process.stdout.write(`http://127.0.0.1:${port}\n`);
  });
  for (let i = 0; i < Number(workers); i++) cluster.fork();
  process.on('SIGTERM', () => process.exit(0));
} else {
  const app = fastify();
  for (const file of readdirSync(folder)) {
    const body = readFileSync(join(folder, file));
    app.get(`/${file}`, (_request, reply) => reply.type('application/json; charset=utf-8').send(body));
  }
  app.get('/smallest', (_request, reply) => reply.code(204).send());
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  if (cluster.isPrimary) process.stdout.write(`${url}\n`);
}
