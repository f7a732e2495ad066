/** What a server does for its first request, while nobody waits for it. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { unobservedListing, warmUpSoon } from '../../src/cli/serve/warm-up.ts';
import { warmUp } from '../../src/feed/loading/warm-up.ts';
import { makeMetrics } from '../../src/http/observe/metrics.ts';
import { makeScratch } from '../../src/listing/build-month.ts';
import { openStore } from '../../src/store/open.ts';
import { DATABASES, newDatabaseUrl } from '../support/database.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

test('a server asks its database, has its thread warm up, and asks itself for a listing without a token that exists', async (context) => {
  const { address, asked } = await listening(context);
  const { feed, loader, done } = noted();
  context.after(warmUpSoon({ feed, loader, listing: { ...address, path: '/shifts/-/api/v1/shifts' } }));
  await until('it is asked', () => asked.length > 0);
  assert.deepEqual(asked, ['GET /shifts/-/api/v1/shifts Bearer none']);
  assert.deepEqual(done, ['warmUp', 'checkHealth']);
});

test('a server that counts, logs or limits such requests does not ask itself', () => {
  const address = { address: '127.0.0.1', port: 1234 };
  assert.deepEqual(unobservedListing(address, { pathPrefix: '/shifts' }), {
    ...address,
    path: '/shifts/-/api/v1/shifts',
  });
  const metrics = makeMetrics();
  const failedTokenLimit = { quota: 1, windowSeconds: 60 };
  for (const observed of [{ metrics }, { logRequests: true }, { failedTokenLimit }])
    assert.equal(unobservedListing(address, observed), null);
});

test('what a server asks of itself reaches the check of the token', async (context) => {
  const service = await startService(context, { now: '2026-11-15T12:00:00Z' });
  const { hostname, port } = new URL(service.url);
  const listing = unobservedListing({ address: hostname, port: Number(port) }, {});
  const response = await service.fetch(listing?.path ?? '', { headers: { authorization: 'Bearer none' } });
  assert.equal(response.status, 401);
  assert.equal(service.counts().freshnessQueries, 1);
});

test('a server that is not to ask itself still warms up', async (context) => {
  const { feed, loader, done } = noted();
  context.after(warmUpSoon({ feed, loader, listing: null }));
  await until('both were asked', () => done.length === 2);
});

test('a server that stops while it waits for its database does not ask itself', async (context) => {
  const { address, asked } = await listening(context);
  const { loader, done } = noted();
  const { promise, resolve } = Promise.withResolvers<void>();
  const feed = {
    checkHealth() {
      done.push('checkHealth');
      return promise;
    },
  };
  const stop = warmUpSoon({ feed, loader, listing: { ...address, path: '/' } });
  await until('the database is asked', () => done.includes('checkHealth'));
  stop();
  resolve();
  await delay(100);
  assert.deepEqual(asked, []);
});

test('a server that stops before does nothing', async (context) => {
  const { address, asked } = await listening(context);
  const { feed, loader, done } = noted();
  warmUpSoon({ feed, loader, listing: { ...address, path: '/' } })();
  await delay(400);
  assert.deepEqual([asked, done], [[], []]);
});

test('neither a database nor a thread nor a port that is gone does any harm', async (context) => {
  const { address, asked, server } = await listening(context);
  server.close();
  await once(server, 'close');
  const { feed, loader, done } = noted();
  const listing = { ...address, path: '/' };
  const failing = (what: string) => async () => {
    done.push(`${what} fails`);
    throw new Error('on purpose');
  };
  context.after(warmUpSoon({ feed, loader, listing }));
  context.after(warmUpSoon({ feed: { checkHealth: failing('database') }, loader, listing }));
  context.after(warmUpSoon({ feed, loader: { warmUp: failing('thread') }, listing }));
  await until('all have begun', () => done.length === 6);
  await delay(100);
  assert.deepEqual(asked, []);
});

for (const kind of DATABASES)
  test(`the thread that loads makes up pages, and connects to ${kind}`, async (context) => {
    const store = await openStore(await newDatabaseUrl(context, kind), { missing: 'create' });
    context.after(() => store.close());
    const slugs: string[] = [];
    const read: typeof store.read = (slug, ...rest) => {
      slugs.push(slug);
      return store.read(slug, ...rest);
    };
    await warmUp(async () => ({ read }), makeScratch());
    assert.deepEqual(slugs, ['']);
  });

/** A feed and a loader that note what they are asked. */
function noted() {
  const done: string[] = [];
  const note = (what: string) => async () => void done.push(what);
  return { done, feed: { checkHealth: note('checkHealth') }, loader: { warmUp: note('warmUp') } };
}

/** A server that notes what it is asked. */
async function listening(context: TestContext) {
  const asked: string[] = [];
  const server = createServer(({ method, url, headers }, response) => {
    asked.push(`${method} ${url} ${headers.authorization}`);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  return { server, asked, address: server.address() as AddressInfo };
}
