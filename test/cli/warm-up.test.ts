/** What a server does for its first request, while nobody waits for it. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { warmUpSoon } from '../../src/cli/serve/warm-up.ts';
import { warmUp } from '../../src/feed/loading/warm-up.ts';
import { makeScratch } from '../../src/listing/build-month.ts';
import { openStore } from '../../src/store/open.ts';
import { DATABASES, newDatabaseUrl } from '../support/database.ts';
import { until } from '../support/until.ts';

test('a server asks its database, and itself for its health', async (context) => {
  const { address, asked } = await listening(context);
  const feed = healthyFeed();
  context.after(warmUpSoon({ feed, health: { ...address, path: '/shifts/healthz' } }));
  await until('it is asked', () => asked.length > 0);
  assert.deepEqual(asked, ['GET /shifts/healthz']);
  assert.equal(feed.checks, 1);
});

test('a server that counts or logs its health checks asks only its database', async (context) => {
  const feed = healthyFeed();
  context.after(warmUpSoon({ feed, health: null }));
  await until('the database is asked', () => feed.checks > 0);
});

test('a server that stops before does nothing', async (context) => {
  const { address, asked } = await listening(context);
  const feed = healthyFeed();
  warmUpSoon({ feed, health: { ...address, path: '/healthz' } })();
  await delay(400);
  assert.deepEqual([asked, feed.checks], [[], 0]);
});

test('neither a database nor a port that is gone does any harm', async (context) => {
  const { address, asked, server } = await listening(context);
  server.close();
  await once(server, 'close');
  const feed = healthyFeed();
  const broken = {
    async checkHealth() {
      await feed.checkHealth();
      throw new Error('on purpose');
    },
  };
  context.after(warmUpSoon({ feed, health: { ...address, path: '/healthz' } }));
  context.after(warmUpSoon({ feed: broken, health: null }));
  await until('both databases are asked', () => feed.checks === 2);
  await delay(100);
  assert.deepEqual(asked, []);
});

for (const kind of DATABASES)
  test(`the thread that loads makes up pages, and connects to ${kind}`, async (context) => {
    const store = await openStore(await newDatabaseUrl(context, kind), { missing: 'create' });
    context.after(() => store.close());
    const slugs: string[] = [];
    await warmUp(async () => {
      const read: typeof store.read = (slug, ...rest) => {
        slugs.push(slug);
        return store.read(slug, ...rest);
      };
      return { ...store, read };
    }, makeScratch());
    assert.deepEqual(slugs, ['']);
  });

function healthyFeed() {
  const feed = {
    checks: 0,
    async checkHealth() {
      feed.checks++;
    },
  };
  return feed;
}

/** A server that notes what it is asked. */
async function listening(context: TestContext) {
  const asked: string[] = [];
  const server = createServer(({ method, url }, response) => {
    asked.push(`${method} ${url}`);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  return { server, asked, address: server.address() as AddressInfo };
}
