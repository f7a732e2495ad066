/** The limit: Fastify sending the bytes of a file, read once, for every request. */

import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';

const body = readFileSync(process.argv[2] as string);
const app = fastify();
app.get('/*', (_request, reply) => reply.type('application/json; charset=utf-8').send(body));
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
