import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { makeRateLimiter } from '../../src/http/limits/rate-limit.ts';
import type { ServiceOptions } from '../../src/http/service.ts';
import { acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';

const FOUR_A_MINUTE = { quota: 4, windowSeconds: 60 };

async function acmeService(context: TestContext, app: Partial<ServiceOptions>) {
  const service = await startService(context, { now: '2026-11-15T12:00:00Z', app });
  await service.import(acme([shift('2026-12-01')]));
  const token = await service.token('acme');
  return { service, token, get: (query = '', bearer = token) => service.get('acme', query, bearer) };
}

test('without a limit nothing is said of one', async (context) => {
  const { get } = await acmeService(context, {});
  const response = await get();
  assert.equal(response.headers.get('ratelimit'), null);
  assert.equal(response.headers.get('ratelimit-policy'), null);
});

test('a token may be used as often as allowed, and is told how much is left', async (context) => {
  const { get } = await acmeService(context, { rateLimit: FOUR_A_MINUTE });
  for (const limit of ['"token";r=3;t=15', '"token";r=2;t=30', '"token";r=1;t=45', '"token";r=0;t=60']) {
    const response = await get();
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('ratelimit'), limit);
    assert.equal(response.headers.get('ratelimit-policy'), '"token";q=4;w=60');
  }
  const refused = await get();
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('retry-after'), '15');
  assert.equal(refused.headers.get('ratelimit'), '"token";r=0;t=60');
  assert.deepEqual(await refused.json(), {
    error:
      'This token has sent too many requests: at most 4 requests in 60 seconds are allowed. Try again in 15 seconds.',
  });
});

test('who waits as long as they are told gets in again', async (context) => {
  const { service, get } = await acmeService(context, { rateLimit: FOUR_A_MINUTE });
  for (let i = 0; i < 4; i++) await get();
  const refused = await get();
  service.nowMs += Number(refused.headers.get('retry-after')) * 1000;
  assert.equal((await get()).status, 200);
  assert.equal((await get()).status, 429);
});

test('each token has its own limit, and wrong parameters and 304 count', async (context) => {
  const { service, get } = await acmeService(context, { rateLimit: FOUR_A_MINUTE });
  const other = await service.token('acme');
  for (const query of ['', '?months=13', '?day=2026-12-01', '']) await get(query);
  assert.equal((await get()).status, 429);
  assert.equal((await get('', other)).status, 200);
});

test('a token that is no longer live is told so, not that it asks too often', async (context) => {
  const { service, get } = await acmeService(context, { rateLimit: FOUR_A_MINUTE });
  const short = await service.token('acme', service.nowMs + 1000);
  for (let i = 0; i < 4; i++) await get('', short);
  assert.equal((await get('', short)).status, 429);
  service.nowMs += 1000;
  assert.equal((await get('', short)).status, 401);
});

test('an address that fails too often is told so, and no live token is kept out by that', async (context) => {
  const { service, get } = await acmeService(context, { failedTokenLimit: FOUR_A_MINUTE });
  for (let i = 0; i < 4; i++) assert.equal((await get('', `guess-${i}`)).status, 401);
  const refused = await get('', 'guess-5');
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('retry-after'), '15');
  assert.match(await refused.text(), /^{"error":"Too many invalid tokens came from this address: .+"}$/);
  assert.equal((await get()).status, 200);
  // Nor one that this process sees for the first time.
  assert.equal((await get('', await service.token('acme'))).status, 200);
  assert.equal((await service.get('acme', '')).status, 401);
  service.nowMs += 15_000;
  assert.equal((await get('', 'guess-6')).status, 401);
});

test('behind a trusted proxy, failures count for the client that it names; others cannot choose', async (context) => {
  for (const [trustProxy, expected] of [
    [['127.0.0.1'], [401, 401, 429]],
    [[], [401, 429, 429]],
    [['192.0.2.1'], [401, 429, 429]],
  ] as const) {
    const { service } = await acmeService(context, {
      trustProxy,
      failedTokenLimit: { quota: 1, windowSeconds: 60 },
    });
    const statusFor = async (address: string) =>
      (await service.get('acme', '', 'guess', { headers: { 'x-forwarded-for': address } })).status;
    assert.deepEqual(
      [await statusFor('198.51.100.1'), await statusFor('198.51.100.2'), await statusFor('198.51.100.1')],
      expected,
      trustProxy.join(),
    );
  }
});

test('an IPv6 network counts as one client, and an IPv4 address as the same however it is written', async (context) => {
  const { service } = await acmeService(context, {
    trustProxy: ['127.0.0.1'],
    failedTokenLimit: { quota: 1, windowSeconds: 60 },
  });
  const statusFor = async (address: string) =>
    (await service.get('acme', '', 'guess', { headers: { 'x-forwarded-for': address } })).status;
  for (const [first, second, status] of [
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', 429],
    ['2001:db8:1:3::1', '2001:db8:1:4::1', 401],
    ['2001:db8::1', '2001:db8:0:0:5::1', 429],
    ['198.51.100.7', '::ffff:198.51.100.7', 429],
    ['::1', '::2', 429],
  ] as const) {
    assert.equal(await statusFor(first), 401, first);
    assert.equal(await statusFor(second), status, second);
  }
});

test('whatever the arrivals, no window holds more than twice the quota, and a quiet key has all of it', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), steps, (quota, gaps) => {
      let nowMs = 1_000_000;
      const limiter = makeRateLimiter({ quota, windowSeconds: 10 }, () => nowMs);
      const granted: number[] = [];
      for (const gap of gaps) {
        nowMs += gap;
        const { isAllowed, remaining, retryAfterSeconds } = limiter.take('key');
        if (isAllowed) granted.push(nowMs);
        assert.equal(retryAfterSeconds > 0, remaining === 0);
        assert.ok(granted.filter((atMs) => atMs > nowMs - 10_000).length <= 2 * quota);
      }
      nowMs += 10_000;
      assert.equal(limiter.take('key').remaining, quota - 1);
    }),
  );
});

test('a clock that is set back keeps nobody out for longer than a window', () => {
  let nowMs = 10_000_000;
  const limiter = makeRateLimiter({ quota: 1, windowSeconds: 10 }, () => nowMs);
  limiter.take('key');
  nowMs = 0;
  assert.equal(limiter.take('key').isAllowed, false);
  nowMs = 10_000;
  assert.equal(limiter.take('key').isAllowed, true);
});
