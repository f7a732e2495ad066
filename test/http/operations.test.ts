import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acme, shift } from '../support/document.ts';
import { type Line, startLine } from '../support/line.ts';
import { startService } from '../support/service.ts';

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
  while ((await status('/readyz')) !== 200);
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
      /ETag.*Link.*Shiftfeed-Revision/,
    );
    const other = await service.get('acme', query, bearer, { headers: { origin: 'https://evil.example' } });
    assert.equal(other.headers.get('access-control-allow-origin'), null);
  }
  const listing = await service.get('acme', '', token, { headers: { origin: SITE } });
  assert.match(listing.headers.get('vary') ?? '', /\bOrigin\b/);
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
