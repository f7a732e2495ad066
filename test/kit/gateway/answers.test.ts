import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { createGateway, type FeedDocument, type GatewayOptions, gzip } from '@shiftfeed/gateway';
import { makeBodyRoom } from '../../../kit/gateway/src/bodies.ts';
import { fakeUpstream, makeShift, optionsFor } from './upstream.ts';

const SHIFTS = Array.from({ length: 30 }, (_, i) =>
  makeShift({
    id: i + 1,
    date: `2026-11-${16 + Math.floor(i / 10)}`,
    group: { id: (i % 3) + 1, name: `Group ${(i % 3) + 1}` },
  }),
);

const PATHS = ['/kitchen/shifts', '/kitchen/shifts.ics', '/kitchen'];

test('the JSON says what was looked at, and has the shifts in the order of the upstream', async () => {
  const { get } = start({ title: 'Kitchen', days_back: 7, days_ahead: 14, show: [] });
  const response = await get('/kitchen/shifts');
  assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
  const body = (await response.json()) as { shifts: object[] };
  assert.deepEqual(Object.keys(body), ['title', 'time_zone', 'from', 'to', 'shifts']);
  assert.deepEqual(
    { ...body, shifts: body.shifts.length },
    { title: 'Kitchen', time_zone: 'Europe/Amsterdam', from: '2026-11-08', to: '2026-11-29', shifts: 30 },
  );
  assert.deepEqual(body.shifts[0], {
    id: 1,
    date: '2026-11-16',
    start_time: '09:00',
    end_time: '17:00',
    end_date: '2026-11-16',
    cancelled: false,
  });
});

const NARROWED: readonly [search: string, from: string, to: string, ids: readonly number[]][] = [
  ['?date_from=2026-11-18', '2026-11-18', '2027-02-13', numbers(21, 30)],
  ['?date_to=2026-11-16', '2026-11-15', '2026-11-16', numbers(1, 10)],
  ['?date_from=2020-01-01&date_to=2030-01-01', '2026-11-15', '2027-02-13', numbers(1, 30)],
  ['?date_from=2026-11-17&date_to=2026-11-17&group_ids=2', '2026-11-17', '2026-11-17', [11, 14, 17, 20]],
  ['?group_ids=2,3&date_to=2026-11-16', '2026-11-15', '2026-11-16', [2, 3, 5, 6, 8, 9]],
  ['?group_ids[]=2&group_ids[]=3&date_to=2026-11-16', '2026-11-15', '2026-11-16', [2, 3, 5, 6, 8, 9]],
  ['?group_ids=99', '2026-11-15', '2027-02-13', []],
  ['?date_from=2026-11-18&date_to=2026-11-17', '2026-11-18', '2026-11-17', []],
  ['?', '2026-11-15', '2027-02-13', numbers(1, 30)],
];

for (const [search, from, to, ids] of NARROWED) {
  test(`${search} narrows to ${from}–${to} and ${ids.length} shifts`, async () => {
    const response = await start().get(`/kitchen/shifts${search}`);
    const body = (await response.json()) as { from: string; to: string; shifts: { id: number }[] };
    assert.deepEqual([body.from, body.to, body.shifts.map(({ id }) => id)], [from, to, ids]);
  });
}

test('what began before the days that are shown and is still on is there for whoever asks so far back', async () => {
  const weekend = { start_time: '18:00', end_time: '08:00' };
  const { get, upstream } = start();
  upstream.shifts = [
    makeShift({ id: 1, date: '2026-11-07', ...weekend, end_date: '2026-11-16' }),
    makeShift({ id: 2, date: '2026-11-13', ...weekend, end_date: '2026-11-16' }),
    makeShift({ id: 3, date: '2026-11-14', start_time: '18:00', end_time: '00:00', end_date: '2026-11-15' }),
    makeShift({ id: 4, date: '2026-11-15' }),
  ];
  const ids = async (search: string) => {
    const body = (await (await get(`/kitchen/shifts${search}`)).json()) as {
      from: string;
      shifts: { id: number }[];
    };
    return [body.from, ...body.shifts.map(({ id }) => id)];
  };
  assert.deepEqual(await ids(''), ['2026-11-15', 4]);
  assert.deepEqual(await ids('?date_from=2026-11-15'), ['2026-11-15', 4]);
  assert.deepEqual(await ids('?date_from=2026-11-14'), ['2026-11-15', 4]);
  assert.deepEqual(await ids('?date_from=2026-11-08'), ['2026-11-15', 2, 4]);
  // A week is all that is read.
  assert.deepEqual(await ids('?date_from=2020-01-01'), ['2026-11-15', 2, 4]);
  assert.deepEqual(await ids('?date_from=2026-11-08&date_to=2026-11-14'), ['2026-11-15']);
});

test('a group that is not shown is like one that does not exist', async () => {
  const { get } = start({ group_ids: [1] });
  const [hidden, unknown] = await Promise.all(
    [2, 99].map(async (id) => (await get(`/kitchen/shifts?group_ids=${id}`)).text()),
  );
  assert.equal(hidden, unknown);
});

const REFUSED: readonly [search: string, sentence: RegExp][] = [
  ['?date_from=2026-02-30', /date_from is "2026-02-30"/],
  ['?date_from=', /date_from is ""/],
  ['?date_from=2026-11-16&date_from=2026-11-17', /date_from is given twice/],
  ['?group_ids=', /group_ids is ""/],
  ['?group_ids=1,,2', /group_ids/],
  ['?group_ids=0', /group_ids/],
  ['?group_ids=1.5', /group_ids/],
  ['?published=false', /no parameter "published"/],
  ['?page=2', /no parameter "page"/],
  ['?<script>=1', /no parameter/],
];

for (const [search, sentence] of REFUSED) {
  test(`${search} is refused in every form`, async () => {
    const { get } = start();
    for (const path of [...PATHS, '/kitchen/board']) {
      const response = await get(path + search);
      const text = await response.text();
      assert.equal(response.status, 400, path);
      assert.ok(!text.includes('<script>') || path !== '/kitchen');
      assert.match(text.replaceAll('&quot;', '"').replaceAll('\\"', '"'), sentence);
      assert.equal(response.headers.get('cache-control'), 'no-store');
    }
  });
}

test('whoever has a body is told so, in whichever encoding they have it, until it changes', async () => {
  const { get, upstream, pass, refreshed } = start({}, { compressors: { gzip } });
  for (const path of PATHS) {
    const first = await get(path, { 'accept-encoding': 'gzip' });
    const etag = first.headers.get('etag') ?? '';
    for (const encoding of ['gzip', 'identity']) {
      const again = await get(path, { 'accept-encoding': encoding, 'if-none-match': `"x", W/${etag}` });
      assert.equal(again.status, 304);
      assert.equal(await again.text(), '');
      assert.match(again.headers.get('cache-control') ?? '', /^public, max-age=60$/);
    }
    assert.equal((await get(path, { 'if-none-match': '*' })).status, 304);
    assert.equal((await get(path, { 'if-none-match': '"other"' })).status, 200);
  }
  const known = (await get('/kitchen/shifts')).headers.get('etag') ?? '';
  upstream.shifts = SHIFTS.slice(1);
  pass(60_000);
  await refreshed();
  assert.equal((await get('/kitchen/shifts', { 'if-none-match': known })).status, 200);
});

test('a body is compressed as the visitor prefers, once, and is the same in every encoding', async () => {
  let compressions = 0;
  const { get } = start(
    {},
    {
      compressors: {
        br: async (body) => {
          compressions++;
          const { brotliCompressSync } = await import('node:zlib');
          return brotliCompressSync(body);
        },
        gzip: async (body) => (await import('node:zlib')).gzipSync(body),
      },
    },
  );
  const plain = await (await get('/kitchen/shifts')).text();
  const headers: [string, string][] = [
    ['gzip, br', 'br'],
    ['gzip, br;q=0.5', 'gzip'],
    ['*', 'br'],
    ['identity', 'identity'],
    ['br;q=0, *;q=0.1', 'gzip'],
    ['zstd', 'identity'],
    ['gzip;q=0.5, identity;q=0.9', 'identity'],
  ];
  for (const [accepted, expected] of headers) {
    const response = await get('/kitchen/shifts', { 'accept-encoding': accepted });
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.equal(response.headers.get('content-encoding') ?? 'identity', expected, accepted);
    assert.equal(Number(response.headers.get('content-length')), bytes.length);
    const unpack = { br: brotliDecompressSync, gzip: gunzipSync, identity: (body: Buffer) => body }[expected];
    assert.equal(unpack?.(bytes).toString(), plain);
  }
  await Promise.all(Array.from({ length: 20 }, () => get('/kitchen/shifts', { 'accept-encoding': 'br' })));
  assert.equal(compressions, 1);
});

test('compressing is left to the server around the gateway, unless the gateway is told to', async () => {
  const { get } = start();
  for (const path of PATHS) {
    const response = await get(path, { 'accept-encoding': 'gzip, br, zstd' });
    assert.equal(response.headers.get('content-encoding'), null);
    assert.match(response.headers.get('vary') ?? '', /Accept-Encoding/);
    assert.equal(await response.text(), await (await get(path)).text());
  }
});

test('gzip is there on every platform', async () => {
  const { get } = start({}, { compressors: { gzip } });
  const response = await get('/kitchen', { 'accept-encoding': 'gzip' });
  assert.match(gunzipSync(Buffer.from(await response.arrayBuffer())).toString(), /^<!doctype html>/);
});

test('a query that nobody asks for again is not compressed', async () => {
  const { get } = start({}, { compressors: { gzip } });
  const encodings = [];
  for (let i = 0; i < 2; i++) {
    const response = await get('/kitchen/shifts?date_to=2026-11-17', { 'accept-encoding': 'gzip' });
    encodings.push(response.headers.get('content-encoding'));
  }
  assert.deepEqual(encodings, [null, 'gzip']);
});

test('the headers of what is in memory fit each visit and the moment', async () => {
  const origin = 'https://www.example.org';
  const { get, pass } = start({ origins: [origin] }, { compressors: { gzip } });
  const ask = async (headers: Record<string, string>) => {
    const answer = await get('/kitchen/shifts', headers);
    const names = ['cache-control', 'content-encoding', 'access-control-allow-origin'];
    return [answer.status, ...names.map((name) => answer.headers.get(name))];
  };
  const etag = (await get('/kitchen/shifts')).headers.get('etag') ?? '';
  assert.deepEqual(await ask({}), [200, 'public, max-age=60', null, null]);
  assert.deepEqual(await ask({ origin }), [200, 'public, max-age=60', null, origin]);
  assert.deepEqual(await ask({}), [200, 'public, max-age=60', null, null]);
  pass(10_000);
  assert.deepEqual(await ask({ 'accept-encoding': 'gzip' }), [200, 'public, max-age=50', 'gzip', null]);
  assert.deepEqual(await ask({}), [200, 'public, max-age=50', null, null]);
  assert.deepEqual(await ask({ 'if-none-match': etag }), [304, 'public, max-age=50', null, null]);
  pass(1_000);
  assert.deepEqual(await ask({}), [200, 'public, max-age=49', null, null]);
});

test('HEAD has the headers of GET and no body, and OPTIONS says what can be done', async () => {
  const { get } = start();
  for (const path of [...PATHS, '/kitchen/board', '/gateway.css']) {
    const [head, whole] = [await get(path, {}, 'HEAD'), await get(path)];
    assert.deepEqual([...head.headers], [...whole.headers]);
    assert.equal(await head.text(), '');
  }
  for (const path of [...PATHS, '/kitchen/board', '/gateway.css']) {
    const options = await get(path, {}, 'OPTIONS');
    assert.equal(options.status, 204);
    assert.equal(options.headers.get('allow'), 'GET, HEAD, OPTIONS');
    assert.equal((await get(path, {}, 'POST')).status, 405);
  }
});

test('what does not exist is 404, and does not tell what does', async () => {
  const { get } = start();
  for (const path of [
    '/',
    '/other',
    '/kitchen/shifts.csv',
    '/KITCHEN',
    '/kitchen/shifts/x',
    '/shift-calendar.js',
  ]) {
    const response = await get(path);
    assert.equal(response.status, 404, path);
    assert.deepEqual(await response.json(), { error: 'There is nothing at this address.' });
  }
  assert.equal((await get('/kitchen/')).status, 200);
});

test('a browser that opens what does not exist gets a page that says so, and names nothing that does', async () => {
  const { get } = start({ title: 'Kitchen' });
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const pages = new Set<string>();
  for (const path of ['/', '/other', '/kitchen/shifts.csv']) {
    const response = await get(path, { accept, 'accept-language': 'en' });
    assert.equal(response.status, 404, path);
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.equal(
      response.headers.get('content-security-policy'),
      "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src 'self'; frame-ancestors 'none'",
    );
    pages.add(await response.text());
  }
  const [page = '', ...others] = pages;
  assert.deepEqual(others, []);
  assert.match(page, /<h1>Nothing here<\/h1>/);
  assert.doesNotMatch(page, /kitchen|<script/i);
  assert.match(page, /href="\/gateway\.css"/);
  const german = await (await get('/', { accept, 'accept-language': 'de-AT' })).text();
  assert.match(german, /<html lang="de-AT">.*<h1>Hier ist nichts<\/h1>/s);
  assert.equal(await (await get('/', { accept }, 'HEAD')).text(), '');
  const posted = await get('/', { accept }, 'POST');
  assert.equal(posted.headers.get('content-type'), 'application/json; charset=utf-8');
});

test('origins may read and frame; others may not', async () => {
  const origin = 'https://www.example.org';
  const ask = async (origins: readonly string[], from: string | undefined, path: string) => {
    const { headers } = await start({ origins }).get(path, from === undefined ? {} : { origin: from });
    return {
      allowed: headers.get('access-control-allow-origin'),
      frame: /frame-ancestors ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1],
    };
  };
  assert.deepEqual(await ask([], origin, '/kitchen'), { allowed: null, frame: "'none'" });
  assert.deepEqual(await ask([origin], origin, '/kitchen'), { allowed: origin, frame: origin });
  assert.deepEqual(await ask([origin], 'https://evil.example', '/kitchen'), { allowed: null, frame: origin });
  assert.deepEqual(await ask(['*'], origin, '/kitchen'), { allowed: '*', frame: '*' });
  assert.deepEqual(await ask([origin], origin, '/kitchen/shifts'), { allowed: origin, frame: "'none'" });
  const preflight = await start({ origins: [origin] }).get('/kitchen/shifts', { origin }, 'OPTIONS');
  assert.equal(preflight.headers.get('access-control-allow-methods'), 'GET, HEAD');
  assert.match(preflight.headers.get('vary') ?? '', /Origin/);
});

test('under a path of its own and behind a proxy, links lead to where visitors are', async () => {
  const { get } = start({}, { pathPrefix: '/rota', baseUrl: 'https://www.example.org/rota' });
  assert.equal((await get('/kitchen')).status, 404);
  const page = await (await get('/rota/kitchen?group_ids=2')).text();
  assert.match(page, /href="webcal:\/\/www\.example\.org\/rota\/kitchen\/shifts\.ics\?group_ids=2"/);
  assert.match(page, /href="\/rota\/gateway\.css"/);
  assert.equal((await get('/rota/gateway.css')).status, 200);
});

test('a slash at the end of the base URL or of the path prefix makes no difference', async () => {
  const { get } = start({}, { baseUrl: 'https://www.example.org/rota/', pathPrefix: '/rota/' });
  const page = await (await get('/rota/kitchen')).text();
  assert.match(page, /href="webcal:\/\/www\.example\.org\/rota\/kitchen\/shifts\.ics"/);
});

test('memory for answers is bounded, whatever visitors ask for', async () => {
  const maxBytes = 100_000;
  const room = makeBodyRoom(maxBytes, { gzip: async (body) => body });
  const bodies = room.open();
  for (let i = 0; i < 300; i++) {
    const body = await bodies.write(`key ${i}`, true, () => 'x'.repeat(100 * i));
    await body.compressed('gzip');
    assert.ok(room.bytes() <= maxBytes);
  }
  // What was asked for last is still there.
  assert.ok(bodies.find('key 299'));
});

test('a feed whose visitors make up queries leaves the answers of another feed in memory, until that is renewed', async () => {
  const room = makeBodyRoom(100_000, {});
  const [quiet, flooded] = [room.open(), room.open()];
  await quiet.write('page', true, () => 'x'.repeat(30_000));
  for (let i = 0; i < 100; i++) await flooded.write(`query ${i}`, false, () => 'x'.repeat(10_000));
  assert.ok(quiet.find('page'));
  assert.ok(room.bytes() > 80_000 && room.bytes() <= 100_000);
  flooded.close();
  assert.ok(room.bytes() < 40_000);
});

test('a long query counts in the memory for answers, however short its answer is', async () => {
  const bodies = makeBodyRoom(100_000, {}).open();
  const keyOf = (i: number) => `${i} ${'1,'.repeat(5_000)}`;
  for (let i = 0; i < 20; i++) await bodies.write(keyOf(i), false, () => '{}');
  assert.equal(bodies.find(keyOf(0)), undefined);
  assert.ok(bodies.find(keyOf(19)));
});

function start(feed: Partial<FeedDocument> = {}, options: Partial<GatewayOptions> = {}) {
  const upstream = fakeUpstream({ shifts: SHIFTS });
  let nowMs = Date.parse('2026-11-15T12:00:00Z');
  const waited: Promise<unknown>[] = [];
  const handler = createGateway(optionsFor(upstream, feed, { clock: () => nowMs, ...options }));
  const get = (target: string, headers: Record<string, string> = {}, method = 'GET') =>
    handler(new Request(`https://gw.example.org${target}`, { method, headers }), {
      waitUntil: (work) => waited.push(work),
    });
  return {
    upstream,
    get,
    pass(ms: number) {
      nowMs += ms;
    },
    async refreshed() {
      await get('/kitchen/shifts');
      await Promise.all(waited);
    },
  };
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
