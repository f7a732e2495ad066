import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { findFree, listen } from '../../src/server/listening.ts';
import { startServer } from '../../src/server/server.ts';
import { acme } from '../support/document.ts';
import { filledDatabase } from '../support/filled-database.ts';
import { isListening } from '../support/listening.ts';
import { rawClient, statusesIn } from '../support/raw-client.ts';
import { ANY_PORT, serverOptions } from '../support/server-options.ts';
import { until } from '../support/until.ts';

const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
/** Stands for localhost where that has two addresses. */
const TWO_ADDRESSES = { ...ANY_PORT, host: 'localhost', hosts: ['127.0.0.1', '127.0.0.2'] };

test('a server that stops answers what is on its way to its second address, and takes nothing more there', async (context) => {
  const { databaseUrl } = await filledDatabase(context, acme([]));
  const options = serverOptions(databaseUrl, { drainTimeoutMs: 60_000 });
  const server = await startServer({ ...options, address: TWO_ADDRESSES });
  const second = server.url.replace('127.0.0.1', '127.0.0.2');
  const { socket, answer } = await rawClient(second, HEALTH + HEALTH.slice(0, 20));
  await once(socket, 'data');
  const stopped = server.stop();
  await until('nobody listens any more', async () => !(await isListening(second)));
  socket.write(HEALTH.slice(20));
  assert.deepEqual(statusesIn(await answer), [200, 200]);
  await stopped;
});

test('a second address that is taken is left out', async (context) => {
  const squatter = createServer().listen(0, '127.0.0.2');
  context.after(() => squatter.close());
  await once(squatter, 'listening');
  const { port } = squatter.address() as AddressInfo;
  const server = createServer();
  const { url, address } = await listen(server, { ...TWO_ADDRESSES, port });
  context.after(() => server.close());
  assert.equal(url, `http://127.0.0.1:${port}`);
  assert.deepEqual(address.hosts, ['127.0.0.1']);
});

test('a port that is found free is given back, and not found where somebody listens', async (context) => {
  const address = await findFree(TWO_ADDRESSES);
  assert.deepEqual(address.hosts, TWO_ADDRESSES.hosts);
  const server = createServer();
  // As a worker of another server would.
  const { closeOthers } = await listen(server, address);
  context.after(() => server.close());
  context.after(closeOthers);
  await assert.rejects(findFree(address), /^ServerFailure: Port \d+ on localhost is in use already: /);
});
