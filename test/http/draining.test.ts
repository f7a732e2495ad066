/** A server that shuts down answers what it was sent, and tells clients to send no more. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { limitConnections } from '../../src/http/limits/connections.ts';
import { DEFAULT_LIMITS } from '../../src/http/limits/limits.ts';
import { makeServer } from '../../src/http/server.ts';
import { listen } from '../support/listening.ts';

test('a request that comes while the server shuts down is answered, and is the last of its connection', async (t) => {
  const waiting: (() => void)[] = [];
  const connections = limitConnections({
    ...DEFAULT_LIMITS,
    isHealthCheck: () => false,
    onTooManyPipelined: () => undefined,
    onTooManyConnections: () => undefined,
  });
  const server = makeServer((request, response) => waiting.push(() => response.end(request.url)), {
    limits: DEFAULT_LIMITS,
    connections,
    onRejected: () => undefined,
  });
  const client = connect(await listen(t, server), '127.0.0.1');
  t.after(() => client.destroy());
  const requested = async (count: number) => {
    while (waiting.length < count) await once(server, 'request');
  };

  client.write('GET /first HTTP/1.1\r\nHost: a\r\n\r\n');
  await requested(1);
  connections.drain(server);
  server.close();
  client.write('GET /second HTTP/1.1\r\nHost: a\r\n\r\n');
  await requested(2);
  for (const respond of waiting) respond();
  const answers = Buffer.concat(await client.toArray()).toString();
  const [, first = '', second = ''] = answers.split('HTTP/1.1 200 OK');
  assert.match(first, /Connection: keep-alive[\s\S]*\/first/);
  assert.match(second, /Connection: close[\s\S]*\/second/);
});
