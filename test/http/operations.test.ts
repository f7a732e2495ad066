import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acme, shift } from '../support/document.ts';
import { type Line, startLine } from '../support/line.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const NOW = '2026-11-15T12:00:00Z';
const SITE = 'https://www.example.org';

test('/healthz says that the process lives, /readyz that the database can be asked', async (context) => {
  let line: Line | undefined;
  const service = await startService(context, {
    now: NOW,
    database: 'postgres',
    through: async (url) => {
      line = await startLine(context, url);
      return line.url;
    },
  });
  const status = async (path: string, method = 'GET') => (await service.fetch(path, { method })).status;
  assert.deepEqual(
    [await status('/healthz'), await status('/readyz'), await status('/readyz', 'HEAD')],
    [200, 200, 200],
  );
  await line?.cut();
  assert.deepEqual([await status('/healthz'), await status('/readyz')], [200, 503]);
  await line?.mend();
  await until('it is ready again', async () => (await status('/readyz')) === 200);
});

test('no origin may read from a browser unless the operator allows it', async (context) => {
  const service = await startService(context, { now: NOW });
  const response = await service.fetch('/acme/api/v1/shifts', { headers: { origin: SITE } });
  assert.equal(response.headers.get('access-control-allow-origin'), null);
});

test('an allowed origin may read, with the headers that matter, and errors too; others may not', async (context) => {
  const service = await startService(context, { now: NOW, app: { corsOrigins: new Set([SITE]) } });
  await service.import(acme([shift('2026-12-01')]));
  const token = await service.token('acme');
  for (const [bearer, query] of [
    [token, ''],
    [token, '?months=13'],
    ['dead', ''],
  ] as const) {
    const response = await service.get('acme', query, bearer, { headers: { origin: SITE } });
    assert.equal(response.headers.get('access-control-allow-origin'), SITE);
    assert.match(
      response.headers.get('access-control-expose-headers') ?? '',
      /ETag, Last-Modified, Link.*Shiftfeed-Listing, Shiftfeed-Revision/,
    );
    const other = await service.get('acme', query, bearer, { headers: { origin: 'https://evil.example' } });
    assert.equal(other.headers.get('access-control-allow-origin'), null);
  }
  const listing = await service.get('acme', '', token, { headers: { origin: SITE } });
  assert.match(listing.headers.get('vary') ?? '', /\bOrigin\b/);

  // These are refused before a route is chosen.
  for (const [path, method, status] of [
    ['/acme/api/v2/shifts', 'GET', 404],
    ['/acme/api/v1/shifts', 'POST', 405],
    [`/acme/api/v1/shifts?group_ids=${'1,'.repeat(9_000)}1`, 'GET', 414],
  ] as const) {
    const refusal = await service.fetch(path, { method, headers: { origin: SITE } });
    assert.equal(refusal.status, status);
    assert.equal(refusal.headers.get('access-control-allow-origin'), SITE, `${status}`);
  }
});

test('a browser that asks first is told what it may send', async (context) => {
  const service = await startService(context, { now: NOW, app: { corsOrigins: new Set([SITE]) } });
  const headers = {
    origin: SITE,
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'authorization',
  };
  const response = await service.fetch('/acme/api/v1/shifts', { method: 'OPTIONS', headers });
  assert.equal(response.status, 204);
  assert.equal(response.headers.get('access-control-allow-origin'), SITE);
  assert.match(response.headers.get('access-control-allow-headers') ?? '', /Authorization/);
  assert.equal(response.headers.get('access-control-allow-methods'), 'GET, HEAD');
});

test('with a base URL, links are whole, also for clients that take the server for a proxy', async (context) => {
  const service = await startService(context, { now: NOW, app: { baseUrl: 'https://shifts.example.org/v' } });
  await service.import(acme([shift('2026-12-01')]));
  const response = await service.get('acme', '', await service.token('acme'));
  assert.match(
    response.headers.get('link') ?? '',
    /^<https:\/\/shifts\.example\.org\/v\/acme\/api\/v1\/shifts\?page=1>; rel="first"/,
  );
});

test('under a path prefix everything lies there, and nothing outside of it', async (context) => {
  const service = await startService(context, { now: NOW, app: { pathPrefix: '/plan/v' } });
  await service.import(acme([shift('2026-12-01')]));
  const token = await service.token('acme');
  const headers = { authorization: `Bearer ${token}` };
  const fetchAt = (path: string, method = 'GET') => fetch(service.url + path, { headers, method });
  const statuses = async (prefix: string) => [
    (await fetchAt(`${prefix}/healthz`)).status,
    (await fetchAt(`${prefix}/acme/api/v1/shifts`)).status,
    (await fetchAt(`${prefix}/acme/api/v1/shifts`, 'POST')).status,
    (await fetchAt(`${prefix}/acme/api/v1/shifts`, 'OPTIONS')).status,
  ];
  assert.deepEqual(await statuses('/plan/v'), [200, 200, 405, 204]);
  assert.deepEqual(await statuses('/pl%61n/v'), [200, 200, 405, 204]);
  assert.deepEqual(await statuses(''), [404, 404, 404, 404]);
  assert.deepEqual(await statuses('/plan/w'), [404, 404, 404, 404]);
  assert.match(await (await fetchAt('/')).text(), /listed at \/plan\/v\/<account>\/api\/v1\/shifts/);
  const link = (await fetchAt('/plan/v/acme/api/v1/shifts')).headers.get('link') ?? '';
  assert.match(link, /^<\/plan\/v\/acme\/api\/v1\/shifts\?page=1>; rel="first"/);
});

test('a base URL stands for the path prefix in links', async (context) => {
  const app = { pathPrefix: '/inner', baseUrl: 'https://shifts.example.org/outer' };
  const service = await startService(context, { now: NOW, app });
  await service.import(acme([shift('2026-12-01')]));
  const headers = { authorization: `Bearer ${await service.token('acme')}` };
  const response = await fetch(`${service.url}/inner/acme/api/v1/shifts/`, { headers });
  assert.match(
    response.headers.get('link') ?? '',
    /^<https:\/\/shifts\.example\.org\/outer\/acme\/api\/v1\/shifts\?page=1>; rel="first"/,
  );
});
