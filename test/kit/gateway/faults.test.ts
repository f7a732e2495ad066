/**
 * What visitors get while the upstream misbehaves. The clock is the test's; the network is a function or a real socket.
 */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ShiftfeedAccessError } from '@shiftfeed/client';
import { createGateway, type GatewayOptions, openGateway, type UpstreamAttempt } from '@shiftfeed/gateway';
import { makeBodyRoom } from '../../../kit/gateway/src/bodies.ts';
import { keepCopy } from '../../../kit/gateway/src/feed-copy.ts';
import type { Reading } from '../../../kit/gateway/src/upstream.ts';
import type { Cleanup } from '../../support/database.ts';
import { type FakeUpstream, fakeUpstream, listing, makeShift, optionsFor, visitTo } from './upstream.ts';

const TOKEN = 'shiftfeed_hush';
const START_MS = Date.parse('2026-11-15T12:00:00Z');
const SECOND = 1000;
const HOUR = 3600 * SECOND;
const MAX_AGE = 60;

test('a thousand visitors at once cost one request to the upstream, and none more while the copy is fresh', async () => {
  const { upstream, visit, pass } = start();
  const answers = await Promise.all(Array.from({ length: 1000 }, () => visit()));
  assert.ok(answers.every(({ status }) => status === 200));
  pass((MAX_AGE - 1) * SECOND);
  for (const path of ['/kitchen', '/kitchen/shifts.ics', '/kitchen/shifts?date_from=2026-11-20']) {
    assert.equal((await visit(path)).status, 200);
  }
  assert.equal(upstream.requests.length, 1);
});

test('once there is a copy nobody waits: it is renewed behind the scenes, by one conditional request for all', async () => {
  const { upstream, visit, pass, settled } = start();
  await visit();
  const { promise, resolve } = Promise.withResolvers<Response>();
  upstream.instead = () => promise;
  pass(MAX_AGE * SECOND);
  const answers = await Promise.all(Array.from({ length: 100 }, () => visit()));
  assert.deepEqual(idsOf(answers[99]), [1]);
  assert.equal(upstream.requests.length, 2);
  assert.ok(upstream.requests[1]?.headers.has('if-none-match'));
  resolve(listing([makeShift({ id: 2 })], 1, new Headers(), 'Europe/Amsterdam'));
  await settled();
  assert.deepEqual(idsOf(await visit()), [2]);
});

/** How an upstream can fail, without ending what it published. */
const FAULTS: Readonly<Record<string, (upstream: FakeUpstream) => void>> = {
  'is away': (upstream) => {
    upstream.instead = () => Promise.reject(new TypeError('fetch failed'));
  },
  'answers with wrong JSON': (upstream) => {
    upstream.instead = () => new Response('{"shifts": [');
  },
  'answers with other JSON': (upstream) => {
    upstream.instead = () => Response.json({ shifts: [{ id: 'x' }], meta: {} });
  },
  'answers with a page for people': (upstream) => {
    upstream.instead = () => new Response('<h1>Maintenance</h1>', { status: 200 });
  },
  'answers 429': (upstream) => {
    upstream.instead = () => Response.json({ error: 'Too many' }, { status: 429 });
  },
  'answers 500': (upstream) => {
    upstream.instead = () => Response.json({ error: 'Broken at /srv/hush' }, { status: 500 });
  },
  'answers 503': (upstream) => {
    upstream.instead = () => Response.json({ error: 'Away' }, { status: 503 });
  },
  'redirects elsewhere': (upstream) => {
    upstream.instead = () => Response.redirect('https://elsewhere.example/', 302);
  },
  'has more than fits': (upstream) => {
    upstream.shifts = [makeShift({ id: 2, remarks: 'x'.repeat(2_000_000) })];
  },
  'has more than fits, on many pages': (upstream) => {
    upstream.shifts = Array.from({ length: 4_000 }, (_, i) => makeShift({ id: i + 2 }));
  },
};

for (const [what, misbehave] of Object.entries(FAULTS)) {
  test(`while the upstream ${what}, visitors get the last good copy, for up to a day`, async () => {
    const { upstream, visit, pass, settled, attempts } = start();
    await visit();
    misbehave(upstream);
    for (const ms of [MAX_AGE * SECOND, HOUR, 22 * HOUR]) {
      pass(ms);
      const answer = await visit();
      assert.equal(answer.status, 200);
      assert.deepEqual(idsOf(answer), [1]);
      await settled();
      assert.ok(attempts.at(-1)?.error instanceof Error);
    }
    pass(HOUR);
    await assertUnavailable(visit);
    // And then it is well again.
    upstream.instead = undefined;
    upstream.shifts = [makeShift({ id: 3 })];
    pass(MAX_AGE * SECOND);
    assert.deepEqual(idsOf(await visit()), [3]);
  });

  test(`before there is a copy, an upstream that ${what} is a 503 that says nothing of it`, async () => {
    const { upstream, visit, pass } = start();
    misbehave(upstream);
    await assertUnavailable(visit);
    upstream.instead = undefined;
    upstream.shifts = [makeShift()];
    pass(5 * SECOND);
    assert.equal((await visit()).status, 200);
  });
}

test('an answer says how old its shifts are, once the upstream should have renewed them', async () => {
  const { upstream, visit, pass, settled } = start({
    config: { ...CONFIG, feeds: { kitchen: { ...CONFIG.feeds.kitchen, origins: ['*'] } } },
  });
  const age = async (path?: string) => (await visit(path)).headers['shiftfeed-age'];
  assert.equal(await age(), '0');
  upstream.instead = () => Promise.reject(new TypeError('fetch failed'));
  // It is due, and may come any moment.
  pass((MAX_AGE + 30) * SECOND);
  assert.equal(await age(), '0');
  pass(2 * HOUR);
  assert.equal(await age(), '7290');
  assert.match((await visit('/kitchen/board')).text, /Last updated: 1:00.PM/);
  pass(20 * HOUR);
  assert.match((await visit('/kitchen/board')).text, /Last updated: Sun, Nov 15, 1:00.PM/);
  const { headers } = await visit();
  upstream.instead = undefined;
  pass(HOUR);
  await visit();
  await settled();
  const again = await visit('/kitchen/shifts', {
    'if-none-match': headers.etag ?? '',
    origin: 'https://www.example.org',
  });
  assert.equal(again.status, 304);
  assert.equal(again.headers['shiftfeed-age'], '0');
  assert.match(again.headers['access-control-expose-headers'] ?? '', /Shiftfeed-Age/);
});

for (const status of [401, 403, 404]) {
  test(`the feed ends at once when the upstream answers ${status}, and returns when it does`, async () => {
    const { upstream, visit, pass, settled } = start();
    await visit();
    upstream.instead = () => Response.json({ error: `Sentence of ${TOKEN}` }, { status });
    pass(MAX_AGE * SECOND);
    await visit();
    await settled();
    for (const path of ['/kitchen/shifts', '/kitchen/shifts.ics', '/kitchen']) {
      await assertUnavailable(() => visit(path));
    }
    upstream.instead = undefined;
    pass(MAX_AGE * SECOND);
    assert.equal((await visit()).status, 200);
  });
}

test('an upstream that is away is not asked by every visitor, nor before the time that it asks for', async () => {
  const { upstream, visit, pass, settled } = start();
  await visit();
  upstream.instead = () => new Response('{}', { status: 429, headers: { 'retry-after': '600' } });
  pass(MAX_AGE * SECOND);
  for (let i = 0; i < 10; i++) await visit();
  await settled();
  assert.equal(upstream.requests.length, 2);
  pass(599 * SECOND);
  await visit();
  assert.equal(upstream.requests.length, 2);
  pass(SECOND);
  await visit();
  await settled();
  assert.equal(upstream.requests.length, 3);
});

test('who comes before there is a copy waits for a slow upstream, but not for long', async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  const keeper = keepCopy({
    maxAgeSeconds: MAX_AGE,
    read: () => promise,
    clock: () => START_MS,
    makeBodies,
    onAttempt: () => undefined,
    firstWaitMs: 1,
  });
  assert.equal(await keeper.take(), undefined);
  reject(new Error('It gave up.'));
});

test('an owner whose log fails loses neither the copy nor the process', async () => {
  const { upstream, visit, pass, settled } = start({
    onAttempt: () => {
      throw new Error('The disk is full.');
    },
  });
  assert.deepEqual(idsOf(await visit()), [1]);
  upstream.instead = () => Response.json({ error: 'Gone' }, { status: 401 });
  pass(MAX_AGE * SECOND);
  await visit();
  await settled();
  await assertUnavailable(visit);
});

test('a reading that never ends, as on a worker whose request was cancelled, is given up by the clock', async () => {
  const { keeper, readings, pass } = keepByHand();
  keeper.find();
  pass(89 * SECOND);
  keeper.find();
  assert.equal(readings.length, 1);
  pass(2 * SECOND);
  keeper.find();
  keeper.find();
  assert.equal(readings.length, 2);
  readings[1]?.reject(new ShiftfeedAccessError('Revoked', 401));
  await keeper.settled();
  readings[0]?.resolve(READING);
  // Its other steps are over before a later turn of the event loop.
  await new Promise(setImmediate);
  assert.equal(keeper.find(), undefined);
});

test('a reading that was given up and then refused does not end the copy that a later one made', async () => {
  const { keeper, readings, pass, attempts } = keepByHand();
  keeper.find();
  pass(91 * SECOND);
  keeper.find();
  readings[1]?.resolve(READING);
  await keeper.settled();
  readings[0]?.reject(new ShiftfeedAccessError('The old token was revoked', 401));
  await new Promise(setImmediate);
  assert.deepEqual(keeper.find()?.shifts, READING.shifts);
  assert.equal(attempts.length, 1);
  // Nor does it decide when the next one begins.
  pass((MAX_AGE - 1) * SECOND);
  keeper.find();
  assert.equal(readings.length, 2);
});

const makeBodies = makeBodyRoom(1_000_000, {}).open;

const READING: Reading = {
  timeZone: 'UTC',
  window: { from: '2026-11-15', to: '2026-11-16' },
  shifts: [makeShift()],
  people: {},
  modifiedMs: {},
  isMixed: false,
};

/** A copy whose readings end when the test says so. */
function keepByHand() {
  let nowMs = START_MS;
  const readings: PromiseWithResolvers<Reading>[] = [];
  const attempts: unknown[] = [];
  const keeper = keepCopy({
    maxAgeSeconds: MAX_AGE,
    read: () => {
      const reading = Promise.withResolvers<Reading>();
      readings.push(reading);
      return reading.promise;
    },
    clock: () => nowMs,
    makeBodies,
    onAttempt: (attempt) => attempts.push(attempt),
  });
  return {
    keeper,
    readings,
    attempts,
    pass(ms: number) {
      nowMs += ms;
    },
  };
}

test('a worker whose visitor goes away before the first copy still waits for it', async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const upstream = fakeUpstream();
  upstream.instead = () => promise;
  const gateway = createGateway(optionsFor(upstream));
  const waited: Promise<unknown>[] = [];
  const answer = gateway(new Request('https://gw.example.org/kitchen/shifts'), {
    waitUntil: (work) => waited.push(work),
  });
  assert.equal(waited.length, 1);
  resolve(listing([makeShift()], 1, new Headers(), 'Europe/Amsterdam'));
  await Promise.all(waited);
  assert.equal((await answer).status, 200);
});

test('a clock that was set back does not stop the feed', async () => {
  const { upstream, visit, pass, settled } = start();
  await visit();
  pass(-1000 * HOUR);
  upstream.shifts = [makeShift({ id: 2, date: '2026-10-10' })];
  await visit();
  await settled();
  assert.equal(upstream.requests.length, 2);
  assert.equal((await visit()).status, 200);
});

test('without a zone from anywhere the feed does not start, and the owner is told', async () => {
  const { upstream, visit, attempts } = start();
  upstream.timeZone = undefined;
  await assertUnavailable(visit);
  assert.match(String(attempts[0]?.error), /time zone/);
});

test('a copy of yesterday does not show a day that is over', async () => {
  const { upstream, visit, pass, settled } = start();
  upstream.shifts = [makeShift({ id: 1, date: '2026-11-15' }), makeShift({ id: 2, date: '2026-11-16' })];
  assert.deepEqual(idsOf(await visit()), [1, 2]);
  upstream.instead = () => Promise.reject(new Error('away'));
  pass(20 * HOUR);
  const answer = await visit();
  await settled();
  assert.deepEqual(idsOf(answer), [2]);
  assert.equal(JSON.parse(answer.text).from, '2026-11-16');
});

test('a copy of yesterday shows today, also in a feed of one day', async () => {
  const { upstream, visit, pass, settled } = start({
    config: { ...CONFIG, feeds: { kitchen: { ...CONFIG.feeds.kitchen, days_ahead: 0 } } },
  });
  upstream.shifts = [makeShift({ id: 1, date: '2026-11-15' }), makeShift({ id: 2, date: '2026-11-16' })];
  assert.deepEqual(idsOf(await visit()), [1]);
  upstream.instead = () => Promise.reject(new Error('away'));
  pass(20 * HOUR);
  const answer = await visit();
  await settled();
  assert.deepEqual(idsOf(answer), [2]);
  const { from, to } = JSON.parse(answer.text);
  assert.deepEqual([from, to], ['2026-11-16', '2026-11-16']);
});

test('a token is read anew before each request, so that it can be replaced', async () => {
  const tokens = ['first', 'second'];
  const { upstream, visit, pass, settled } = start({ token: async () => tokens.shift() ?? 'third' });
  await visit();
  pass(MAX_AGE * SECOND);
  await visit();
  await settled();
  assert.deepEqual(
    upstream.requests.map(({ headers }) => headers.get('authorization')),
    ['Bearer first', 'Bearer second'],
  );
});

test('a feed that nobody visits is read only when it is told to be', async () => {
  const feeds = { kitchen: { group_ids: 'all' }, service: { group_ids: 'all' } } as const;
  const { upstream, visit, settled, refresh } = start({ config: { ...CONFIG, feeds } });
  await visit();
  await settled();
  assert.equal(upstream.requests.length, 1);
  refresh();
  await settled();
  assert.equal(upstream.requests.length, 2);
});

test('on a worker, what is renewed behind the scenes is waited for', async () => {
  const upstream = fakeUpstream({ shifts: [makeShift()] });
  let nowMs = START_MS;
  const gateway = createGateway(optionsFor(upstream, { max_age: MAX_AGE }, { clock: () => nowMs }));
  const request = () => new Request('https://gw.example.org/kitchen/shifts');
  await gateway(request());
  nowMs += MAX_AGE * SECOND;
  upstream.shifts = [makeShift({ id: 2 })];
  const waited: Promise<unknown>[] = [];
  await gateway(request(), { waitUntil: (work) => waited.push(work) });
  await Promise.all(waited);
  const { shifts } = (await (await gateway(request())).json()) as { shifts: { id: number }[] };
  assert.deepEqual(
    shifts.map(({ id }) => id),
    [2],
  );
});

test('a compressor that failed often is used again', async () => {
  let failures = 20;
  const shifts = Array.from({ length: 50 }, (_, id) => makeShift({ id: id + 1 }));
  const compressors: GatewayOptions['compressors'] = {
    gzip(bytes) {
      if (failures-- > 0) throw new Error('No memory.');
      return Promise.resolve(gzipSync(bytes));
    },
  };
  const gateway = createGateway(optionsFor(fakeUpstream({ shifts }), {}, { compressors }));
  const visit = () =>
    gateway(new Request('https://gw.example.org/kitchen/shifts', { headers: { 'accept-encoding': 'gzip' } }));
  while (failures > 0) await assert.rejects(visit(), /No memory/);
  assert.equal((await visit()).headers.get('content-encoding'), 'gzip');
});

test('on a worker, what is renewed is waited for even if the visit fails that began it', async () => {
  const shifts = Array.from({ length: 50 }, (_, id) => makeShift({ id: id + 1 }));
  const upstream = fakeUpstream({ shifts });
  let nowMs = START_MS;
  const compressors = {
    gzip() {
      throw new Error('No memory.');
    },
  };
  const gateway = createGateway(
    optionsFor(upstream, { max_age: MAX_AGE }, { clock: () => nowMs, compressors }),
  );
  const request = (init?: RequestInit) => new Request('https://gw.example.org/kitchen/shifts', init);
  await gateway(request());
  nowMs += MAX_AGE * SECOND;
  upstream.shifts = [makeShift({ id: 51 })];
  const waited: Promise<unknown>[] = [];
  const failing = gateway(request({ headers: { 'accept-encoding': 'gzip' } }), {
    waitUntil: (work) => waited.push(work),
  });
  await assert.rejects(failing, /No memory/);
  assert.equal(waited.length, 1);
  await Promise.all(waited);
  const { shifts: shown } = (await (await gateway(request())).json()) as { shifts: { id: number }[] };
  assert.deepEqual(
    shown.map(({ id }) => id),
    [51],
  );
});

/** What a real socket can do that a function cannot. */
const RUDE: Readonly<Record<string, (socket: Socket) => void>> = {
  'closes in the middle of its answer': (socket) => {
    socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"shifts":');
  },
  'closes its half of the connection': (socket) => socket.end(),
  'resets the connection': (socket) => socket.resetAndDestroy(),
  'speaks no HTTP': (socket) => socket.end('220 smtp.example ESMTP\r\n'),
  'never ends its headers': (socket) => {
    const trickle = setInterval(() => socket.write('x-more: x\r\n'), 50);
    socket.write('HTTP/1.1 200 OK\r\n');
    socket.on('close', () => clearInterval(trickle)).on('error', () => clearInterval(trickle));
  },
};

for (const [what, misbehave] of Object.entries(RUDE)) {
  test(`visitors get the last good copy at once while the upstream ${what}`, async (context) => {
    const port = await startRude(context, misbehave);
    const { upstream, visit, pass, settled, attempts } = start();
    await visit();
    const aborted = new AbortController();
    upstream.instead = (url, init) => {
      const signal = AbortSignal.any([init.signal as AbortSignal, aborted.signal]);
      return fetch(`http://127.0.0.1:${port}${url.pathname}`, { ...init, signal });
    };
    pass(MAX_AGE * SECOND);
    assert.deepEqual(idsOf(await visit()), [1]);
    // Stands for the deadline, which is tested where it is kept: in the client.
    if (what.startsWith('never')) aborted.abort();
    await settled();
    assert.ok(attempts.at(-1)?.error instanceof Error);
    assert.deepEqual(idsOf(await visit()), [1]);
  });
}

const CONFIG = {
  upstream: 'https://hush.example/hush',
  feeds: { kitchen: { group_ids: 'all', max_age: MAX_AGE } },
} as const;

interface Seen {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

function start(options: Partial<GatewayOptions> = {}) {
  const upstream = fakeUpstream({ shifts: [makeShift()] });
  const attempts: UpstreamAttempt[] = [];
  let nowMs = START_MS;
  const gateway = openGateway({
    config: CONFIG,
    token: TOKEN,
    clock: () => nowMs,
    fetch: upstream.fetch,
    maxCopyBytes: 1_000_000,
    onAttempt: (attempt) => attempts.push(attempt),
    ...options,
  });
  return {
    upstream,
    attempts,
    pass(ms: number) {
      nowMs += ms;
    },
    settled: gateway.settled,
    refresh: gateway.refresh,
    async visit(target = '/kitchen/shifts', sent: Readonly<Record<string, string>> = {}): Promise<Seen> {
      const { status, headers, body } = await gateway.answer(visitTo(target, sent));
      return { status, headers, text: new TextDecoder().decode(body) };
    },
  };
}

function idsOf(seen: Seen | undefined): number[] {
  const { shifts } = JSON.parse(seen?.text ?? '') as { shifts: { id: number }[] };
  return shifts.map(({ id }) => id);
}

async function assertUnavailable(visit: () => Promise<Seen>): Promise<void> {
  const { status, headers, text } = await visit();
  assert.equal(status, 503);
  assert.match(headers['retry-after'] ?? '', /^\d+$/);
  assert.match(text, /cannot be shown at the moment/);
  assert.doesNotMatch(text + JSON.stringify(headers), /hush|upstream|token|Sentence/i);
}

async function startRude(context: Cleanup, misbehave: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('data', () => misbehave(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
