import assert from 'node:assert/strict';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { makeSnapshot } from '../../src/feed/access/snapshots.ts';
import { makeMonthCache } from '../../src/feed/months.ts';
import { type BuildJob, makeBodyCache } from '../../src/http/encoding/bodies.ts';
import { parseQuery } from '../../src/http/listing/query.ts';
import { answerPage, type ListingBody } from '../../src/http/listing/response.ts';
import { assertDescribed } from '../support/description.ts';
import { acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';

const service = await startService({ after }, { now: '2026-11-15T12:00:00Z' });
await service.import(
  acme(Array.from({ length: 20 }, (_, i) => shift('2026-12-01', { id: i + 1, remarks: 'é' }))),
);
const token = await service.token('acme');

/** Without the help that fetch gives: neither asks for an encoding by itself nor unpacks one. */
async function get(query: string, headers: Record<string, string>, method = 'GET') {
  const target = `/acme/api/v1/shifts${query}`;
  const sent = request(service.url + target, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
  }).end();
  const [response] = await Promise.all([
    new Promise<import('node:http').IncomingMessage>((resolve) => sent.on('response', resolve)),
  ]);
  const { statusCode: status = 0, headers: received } = response;
  const body = await buffer(response);
  const unpacked = body.length === 0 ? '' : UNPACK[received['content-encoding'] ?? 'identity']?.(body);
  assertDescribed({
    method,
    target,
    status,
    headers: new Headers(received as Record<string, string>),
    body: String(unpacked),
  });
  return { status, headers: received, body };
}

const UNPACK: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  zstd: zstdDecompressSync,
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (body) => body,
};

const negotiation: [string | undefined, string][] = [
  [undefined, 'identity'],
  ['', 'identity'],
  ['identity', 'identity'],
  ['gzip', 'gzip'],
  ['br', 'br'],
  ['zstd', 'zstd'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, deflate, br', 'br'],
  ['GZIP', 'gzip'],
  ['gzip;q=1, br;q=0.5', 'gzip'],
  ['gzip;q=0.2, br;q=0.9, zstd;q=0.1', 'br'],
  ['gzip;q=0', 'identity'],
  ['*', 'zstd'],
  ['*;q=0.5, gzip', 'gzip'],
  ['deflate', 'identity'],
  ['identity;q=0, gzip', 'gzip'],
  ['identity;q=0, *;q=0.1', 'zstd'],
];
for (const [accept, expected] of negotiation) {
  test(`Accept-Encoding ${accept === undefined ? 'left out' : `"${accept}"`} gives ${expected}`, async () => {
    const plain = await get('', {});
    const { status, headers, body } = await get(
      '',
      accept === undefined ? {} : { 'accept-encoding': accept },
    );
    assert.equal(status, 200);
    assert.equal(headers['content-encoding'] ?? 'identity', expected);
    assert.equal(headers['content-length'], String(body.length));
    assert.deepEqual(UNPACK[expected]?.(body), plain.body);
    if (expected !== 'identity') assert.ok(body.length < plain.body.length / 2);
  });
}

test('who refuses every encoding gets 406', async () => {
  for (const accept of ['identity;q=0', '*;q=0', 'deflate, identity;q=0']) {
    const { status, body } = await get('', { 'accept-encoding': accept });
    assert.equal(status, 406, accept);
    assert.match(String(body), /^{"error":"/);
  }
});

test('a small body is left alone, whoever asked before, but for whoever refuses it as it is', async () => {
  for (const small of ['?per_page=1', '?day=1999-01-01'])
    for (const [accept, expected] of [
      ['gzip', undefined],
      ['gzip, identity;q=0', 'gzip'],
      ['gzip', undefined],
    ] as const) {
      const { headers } = await get(small, { 'accept-encoding': accept });
      assert.equal(headers['content-encoding'], expected, `${small} ${accept}`);
    }
});

test('each encoding has a tag of its own, and its 304', async () => {
  const tags = new Set<string>();
  for (const accept of ['identity', 'gzip', 'br', 'zstd']) {
    const { headers } = await get('', { 'accept-encoding': accept });
    const tag = headers.etag ?? '';
    tags.add(tag);
    const again = await get('', { 'accept-encoding': accept, 'if-none-match': tag });
    assert.equal(again.status, 304);
    assert.equal(again.headers.etag, tag);
  }
  assert.equal(tags.size, 4);
});

test('HEAD has the headers of GET, whatever the encoding', async () => {
  for (const accept of ['identity', 'gzip']) {
    const got = await get('', { 'accept-encoding': accept, connection: 'close', 'x-request-id': 'same' });
    const head = await get(
      '',
      { 'accept-encoding': accept, connection: 'close', 'x-request-id': 'same' },
      'HEAD',
    );
    assert.equal(head.body.length, 0);
    assert.deepEqual({ ...head.headers, date: '' }, { ...got.headers, date: '' });
  }
});

const ROOMY = { cacheBytes: 100_000, buildBytes: 100_000 };

function jobOf(run: () => Promise<Buffer>, memoryBytes = 5000): BuildJob {
  return { memoryBytes, isCacheable: true, run };
}

test('builds in progress stay within their budget, and make room when they end or fail', async () => {
  const bodyCache = makeBodyCache({ ...ROOMY, buildBytes: 10_000 });
  const endings = ['a', 'b'].map(() => Promise.withResolvers<Buffer>());
  const [first, second] = endings.map(({ promise }, i) =>
    bodyCache.build(
      String(i),
      jobOf(() => promise),
    ),
  );
  const another = () =>
    bodyCache.build(
      'another',
      jobOf(async () => Buffer.from('made')),
    );
  assert.equal(another(), undefined);
  endings[0]?.reject(new Error('on purpose'));
  await assert.rejects(first as Promise<Buffer>, /on purpose/);
  assert.equal(String(await another()), 'made');
  endings[1]?.resolve(Buffer.from('late'));
  assert.equal(String(await second), 'late');
});

test('with hardly any room, a page is still compressed when nothing else is; else it goes out plain, or is refused', async (context) => {
  const cramped = await startService(context, {
    now: '2026-11-15T12:00:00Z',
    app: { limits: { maxCompressionBytes: 1000 } },
  });
  await cramped.import(acme(Array.from({ length: 50 }, () => shift('2026-12-01'))));
  const bearer = await cramped.token('acme');
  const ask = (query: string, accept: string) =>
    cramped.get('acme', query, bearer, { headers: { 'accept-encoding': accept } });
  assert.equal((await ask('', 'gzip')).headers.get('content-encoding'), 'gzip');
  const pages = Array.from({ length: 40 }, (_, i) => `?per_page=${10 + i}`);
  for (const response of await Promise.all(pages.map((page) => ask(page, 'gzip')))) {
    assert.equal(((await response.json()) as ListingBody).meta.total, 50);
  }
  for (const response of await Promise.all(pages.map((page) => ask(page, 'br, identity;q=0')))) {
    if (response.status === 200) assert.equal(response.headers.get('content-encoding'), 'br');
    else assert.match(response.headers.get('retry-after') ?? '', /^\d+$/);
  }
});

test('a page that is asked for again, or at the same moment, is compressed once', async () => {
  const bodyCache = makeBodyCache(ROOMY);
  let times = 0;
  const job = jobOf(async () => {
    times++;
    return Buffer.from('x'.repeat(5000));
  });
  const [first, second] = await Promise.all([
    bodyCache.build('"a-gzip"', job),
    bodyCache.build('"a-gzip"', job),
  ]);
  assert.equal(bodyCache.get('"a-gzip"'), first);
  assert.equal(first, second);
  assert.equal(times, 1);
  assert.equal(bodyCache.get('"b-gzip"'), undefined);
});

test('a body that is kept takes no more memory than it has bytes', async () => {
  const build = (bytes: number) =>
    makeBodyCache(ROOMY).build(
      'a',
      jobOf(async () => Buffer.alloc(100_000).subarray(0, bytes)),
    );
  const body = await build(20_000);
  assert.ok(body instanceof Buffer);
  assert.deepEqual([body.length, body.buffer.byteLength], [20_000, 20_000]);
  assert.equal(await build(100), '\0'.repeat(100));
});

test('a page that is too small to be compressed is put together once', async () => {
  const bodyCache = makeBodyCache(ROOMY);
  const account = { id: 1, slug: 'acme', name: '', premium: true, timeZone: 'UTC', sort: 'time' } as const;
  const query = parseQuery('per_page=10');
  const page = makeSnapshot({ account, history: '', revision: 1, months: [] }).page(query, 0);
  const cut = page.cut(() => undefined, makeMonthCache(1));
  assert.ok(cut);
  const bodies = new Set<string>();
  for (let i = 0; i < 5; i++) {
    const { etag, answer } = await answerPage(cut, 0, () => undefined, ['gzip', 'identity'], bodyCache);
    bodies.add(`${etag} ${answer.chunks.join('')}`);
  }
  assert.equal(bodies.size, 1);
  const { builds, hits } = bodyCache.counts();
  assert.deepEqual({ builds, hits }, { builds: 1, hits: 3 });
});

test('bodies stay within their budget', async () => {
  const bodyCache = makeBodyCache({ ...ROOMY, cacheBytes: 12_000 });
  for (const tag of ['a', 'b', 'c', 'd']) {
    await bodyCache.build(
      tag,
      jobOf(async () => Buffer.alloc(5000)),
    );
    assert.ok(bodyCache.counts().bytes <= 12_000);
  }
  assert.equal(bodyCache.get('a'), undefined);
  assert.equal(bodyCache.get('d')?.length, 5000);
});

test('a page that is scattered over the months is the same, gathered or kept', async (context) => {
  const scattered = await startService(context, { now: '2026-11-15T12:00:00Z' });
  const groups = [
    { id: 1, name: 'Kitchen' },
    { id: 2, name: 'Bar' },
  ];
  const shifts = Array.from({ length: 200 }, (_, i) =>
    shift('2026-12-01', { id: i + 1, group_id: 1 + (i % 2) }),
  );
  await scattered.import(acme(shifts, { groups }));
  const bearer = await scattered.token('acme');
  const read = async () => {
    const { shifts: listed, meta } = await scattered.list('acme', '?group_ids=2', bearer);
    assert.equal(meta.total, 100);
    return listed.map(({ id }) => id);
  };
  const expected = Array.from({ length: 100 }, (_, i) => 2 * i + 2);
  assert.deepEqual(await read(), expected);
  assert.deepEqual(await read(), expected);
  await scattered.import({
    account: { slug: 'acme' },
    shifts: [
      { id: 2, group_id: 1 },
      { id: 1, group_id: 2 },
    ],
  });
  assert.deepEqual(await read(), [1, ...expected.slice(1)]);
});
