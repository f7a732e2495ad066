import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { ACME, KITCHEN, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';

const service = await startService({ after }, { now: '2026-11-15T12:00:00Z' });

/** The page is for people: the description of the API, to which other responses are held, does not speak of it. */
function get(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(service.url + path, { redirect: 'manual', ...init });
}

/** What the page refers to, as a browser would resolve it. */
async function addressesIn(pageUrl: string): Promise<string[]> {
  const html = await (await get('/docs')).text();
  const found = [...html.matchAll(/(?:href|src)="(?!data:)([^"]+)"/g)].map(([, address = '']) => address);
  return found.map((address) => new URL(address, pageUrl).href);
}

test('/docs is a page that loads nothing but what the service itself has', async () => {
  const addresses = await addressesIn(`${service.url}/docs`);
  assert.equal(addresses.length, 6);
  for (const address of addresses) {
    assert.ok(address.startsWith(`${service.url}/`), address);
    assert.equal((await fetch(address)).status, 200, address);
  }
});

test('the library cleans HTML with a DOMPurify that is not open to CVE-2025-26791', async () => {
  const bundle = await (await get('/docs/swagger-ui-bundle.js')).text();
  const versions = [...bundle.matchAll(/DOMPurify\.version\s*=\s*"(\d+)\.(\d+)\.(\d+)"/g)];
  assert.equal(versions.length, 1);
  const [major = 0, minor = 0, patch = 0] = versions[0]?.slice(1).map(Number) ?? [];
  assert.ok(major * 1e6 + minor * 1e3 + patch >= 3_002_004, `${major}.${minor}.${patch}`);
});

test('what is installed runs no scripts of its own, and the telemetry of the library is an empty package', () => {
  const { packages } = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));
  const withScript = Object.entries<LockedPackage>(packages).filter(
    ([, { hasInstallScript, dev }]) => hasInstallScript && !dev,
  );
  assert.deepEqual(withScript, []);
  assert.equal(packages['node_modules/@scarf/scarf'].name, 'empty-npm-package');
});

interface LockedPackage {
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
}

test('the page also works under a path of a larger site', async () => {
  for (const address of await addressesIn('https://www.example.org/shifts/docs')) {
    assert.ok(address.startsWith('https://www.example.org/shifts/'), address);
  }
});

test('/docs/ leads to /docs, where the addresses in the page are right', async () => {
  const response = await get('/docs/');
  assert.equal(response.status, 308);
  const target = new URL(response.headers.get('location') ?? '', `${service.url}/shifts/docs/`);
  assert.equal(target.href, `${service.url}/shifts/docs`);
});

const TYPES: [string, string][] = [
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/page.css', 'text/css; charset=utf-8'],
  ['/docs/page.js', 'text/javascript; charset=utf-8'],
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
];
for (const [path, type] of TYPES) {
  test(`${path} has its type, its tag, its HEAD, and lets nobody else in`, async () => {
    const headers = { 'accept-encoding': 'identity' };
    const response = await get(path, { headers });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), type);
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(response.headers.get('cache-control'), 'no-cache');
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);

    const etag = response.headers.get('etag') ?? '';
    assert.match(etag, /^"[\w-]+"$/);
    assert.equal((await get(path, { headers: { ...headers, 'if-none-match': etag } })).status, 304);

    const head = await get(path, { method: 'HEAD', headers });
    assert.equal(head.status, 200);
    assert.equal(head.headers.get('content-length'), String((await response.bytes()).length));
  });
}

test('the library is sent compressed to whoever accepts that, and is the same when it is unpacked', async () => {
  const plain = await get('/docs/swagger-ui.css', { headers: { 'accept-encoding': 'identity' } });
  const text = await plain.text();
  for (const encoding of ['gzip', 'br', 'zstd']) {
    const packed = await get('/docs/swagger-ui.css', { headers: { 'accept-encoding': encoding } });
    assert.equal(packed.headers.get('content-encoding'), encoding);
    assert.ok(Number(packed.headers.get('content-length')) < text.length / 4);
    assert.equal(await packed.text(), text);
  }
});

test('an account may have the name of a path that the service has for itself', async () => {
  for (const slug of ['docs', 'explorer', 'healthz', 'readyz', 'openapi']) {
    await service.import({
      account: { ...ACME, slug },
      groups: [KITCHEN],
      shifts: [shift('2026-12-01', { id: 1, remarks: slug })],
    });
    const { shifts } = await service.list(slug, '', await service.token(slug));
    assert.deepEqual(
      shifts.map(({ remarks }) => remarks),
      [slug],
    );
    assert.equal((await service.fetch(`/${slug}/api/v1/shifts`, { method: 'POST' })).status, 405);
  }
});

test('whoever asks for what is not there is told of the page', async () => {
  for (const path of ['/docs/nothing', '/explorer', '/nothing']) {
    const response = await service.fetch(path);
    assert.equal(response.status, 404);
    assert.match(await response.text(), / \/docs /);
  }
});
