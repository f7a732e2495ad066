import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { assertDescribed } from '../support/description.ts';
import { acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';

const service = await startService({ after }, { now: '2026-11-15T12:00:00Z' });
await service.import(acme([shift('2026-11-20'), shift('2026-11-21')]));
const token = await service.token('acme');
const LISTING = '/acme/api/v1/shifts';

/** Sends bytes as they are and returns all that comes back until the server closes. */
async function raw(request: string): Promise<{ status: number; headers: string; body: string }> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(request);
  const answer = await text(socket);
  const [headers = '', body = ''] = answer.split('\r\n\r\n');
  const status = Number(headers.split(' ')[1]);
  const [method = '', target = ''] = request.split(' ', 2);
  // A tunnel is not asked of any path, and paths are what is described.
  if (method !== 'CONNECT') {
    assertDescribed({ method, target, status, headers: parseHeaders(headers), body });
  }
  return { status, headers, body };
}

function parseHeaders(head: string): Headers {
  const lines = head.split('\r\n').slice(1);
  return new Headers(lines.map((line) => line.split(': ', 2) as [string, string]));
}

function request(line: string, headers: readonly string[] = ['Host: localhost']): string {
  return [line, ...headers, 'Connection: close', '', ''].join('\r\n');
}

const broken: [string, string, number][] = [
  ['what is not HTTP', 'hello\r\n\r\n', 400],
  ['an unknown HTTP version', `GET ${LISTING} HTTP/9.9\r\nHost: x\r\n\r\n`, 400],
  ['an unknown method', request(`FETCH ${LISTING} HTTP/1.1`), 400],
  ['a header without a colon', request(`GET ${LISTING} HTTP/1.1`, ['Host: x', 'nonsense']), 400],
  ['bad percent-encoding in the path', request('GET /%zz/api/v1/shifts HTTP/1.1'), 400],
  ['percent-encoding that is no UTF-8', request('GET /%ff/api/v1/shifts HTTP/1.1'), 400],
  ['a request without a Host', request(`GET ${LISTING} HTTP/1.1`, []), 400],
  ['an over-long URL', request(`GET ${LISTING}?group_ids=${'1,'.repeat(9_000)}1 HTTP/1.1`), 414],
  ['an over-long URL of another path', request(`GET /${'x'.repeat(17_000)} HTTP/1.1`), 414],
  ['a URL beyond all limits', request(`GET ${LISTING}?${'x'.repeat(100_000)} HTTP/1.1`), 431],
  [
    'headers beyond all limits',
    request(`GET ${LISTING} HTTP/1.1`, ['Host: x', `X: ${'x'.repeat(100_000)}`]),
    431,
  ],
  [
    'an expectation that nobody can meet',
    request(`GET ${LISTING} HTTP/1.1`, ['Host: x', 'Expect: miracles']),
    417,
  ],
  ['a fragment, which might be a filter gone astray', request(`GET ${LISTING}#group_ids=1 HTTP/1.1`), 400],
  ['a wish to tunnel', request('CONNECT localhost:443 HTTP/1.1'), 405],
];
for (const [what, bytes, status] of broken) {
  test(`${what} is answered ${status} with a JSON error`, async () => {
    const answer = await raw(bytes);
    assert.equal(answer.status, status);
    assert.match(answer.headers, /content-type: application\/json/i);
    assert.match(answer.body, /^{"error":"[^"]+\."}$/);
  });
}

test('any other method on the listing is 405 with Allow, token or not', async () => {
  const others = METHODS.filter((method) => !['GET', 'HEAD', 'OPTIONS', 'CONNECT'].includes(method));
  assert.ok(others.length > 20);
  for (const method of others) {
    for (const path of [
      LISTING,
      `${LISTING}/`,
      '/acme/%61pi/v1/shifts?months=13',
      '/nowhere/api/v1/shifts',
    ]) {
      const answer = await raw(request(`${method} ${path} HTTP/1.1`));
      assert.equal(answer.status, 405, `${method} ${path}`);
      assert.match(answer.headers, /\r\nallow: GET, HEAD, OPTIONS\r\n/i);
      assert.match(answer.body, /^{"error":"[^"]+\."}$/);
    }
  }
});

test('what is there besides the listing can only be read, and says so', async () => {
  for (const path of [
    '/healthz',
    '/healthz/',
    '/readyz',
    '/readyz/',
    '/openapi.json',
    '/docs',
    '/docs/page.css',
  ]) {
    for (const method of ['POST', 'DELETE', 'OPTIONS']) {
      const response = await service.fetch(path, { method });
      assert.equal(response.status, 405, `${method} ${path}`);
      assert.equal(response.headers.get('allow'), 'GET, HEAD');
    }
  }
});

test('a body that cannot be read does not change the answer', async () => {
  for (const headers of [
    { 'content-type': 'application/json' },
    { 'content-type': 'text/plain' },
    { 'content-type': 'nonsense' },
  ]) {
    const wrongMethod = await service.fetch(LISTING, { method: 'POST', headers, body: '{' });
    assert.equal(wrongMethod.status, 405);
    const options = await service.fetch(LISTING, { method: 'OPTIONS', headers, body: '{' });
    assert.equal(options.status, 204);
    const wrongPath = await service.fetch('/x', { method: 'POST', headers, body: '{' });
    assert.equal(wrongPath.status, 404);
  }
});

test('an unknown path is 404 for every method, and says where shifts are', async () => {
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE', 'PROPFIND']) {
    const response = await service.fetch('/nothing/here', { method });
    assert.equal(response.status, 404, method);
    if (method !== 'HEAD') assert.match(await response.text(), /\/<account>\/api\/v1\/shifts/);
  }
});

test('OPTIONS says what is allowed, without a token', async () => {
  const response = await service.fetch(LISTING, { method: 'OPTIONS' });
  assert.equal(response.status, 204);
  assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS');
});

test('an internal error says so and nothing else', async (context) => {
  const other = await startService(context, { now: '2026-11-15T12:00:00Z' });
  await other.import(acme([shift('2026-11-20')]));
  const bearer = await other.token('acme');
  const account = await other.store.findAccount('acme');
  assert.ok(account);
  // A program that writes to the database itself may put there what no import would.
  await other.store.write(async (transaction) => {
    await transaction.saveAccount({ ...account, timeZone: 'Nowhere/Land' });
    return true;
  });
  const response = await other.get('acme', '', bearer);
  assert.equal(response.status, 500);
  const id = response.headers.get('x-request-id');
  assert.deepEqual(await response.json(), {
    error: `An internal error occurred. Its log entry has the id ${id}.`,
  });
});

const authorization = `Bearer ${token}`;
const ANSWERS: [number, string, RequestInit][] = [
  [200, '/acme/api/v1/shifts', { headers: { authorization } }],
  [200, '/acme/api/v1/shifts', { headers: { authorization }, method: 'HEAD' }],
  [204, '/acme/api/v1/shifts', { method: 'OPTIONS' }],
  [304, '/acme/api/v1/shifts', { headers: { authorization, 'if-none-match': '*' } }],
  [400, '/acme/api/v1/shifts?months=13', { headers: { authorization } }],
  [401, '/acme/api/v1/shifts', {}],
  [404, '/nobody/api/v1/shifts', { headers: { authorization } }],
  [404, '/acme/api/v2/shifts', { headers: { authorization } }],
  [405, '/acme/api/v1/shifts', { method: 'POST' }],
  [406, '/acme/api/v1/shifts', { headers: { authorization, 'accept-encoding': 'identity;q=0' } }],
  [200, '/healthz', {}],
];
for (const [status, path, init] of ANSWERS) {
  test(`${init.method ?? 'GET'} ${path}, answered ${status}, does not say that the version is to end`, async () => {
    const response = await fetch(service.url + path, init);
    assert.equal(response.status, status);
    assert.equal(response.headers.get('deprecation'), null);
    assert.equal(response.headers.get('sunset'), null);
    assert.doesNotMatch(response.headers.get('link') ?? '', /rel="?(deprecation|sunset)/);
  });
}
