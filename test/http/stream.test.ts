/** The stream of a listing: what it tells, whom it is for, and how it ends. */

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { after, describe, test } from 'node:test';
import { pino } from 'pino';
import { makeStreams } from '../../src/http/limits/streams.ts';
import { makeMetrics } from '../../src/http/observe/metrics.ts';
import type { Exchange } from '../../src/http/protocol/exchange.ts';
import type { ErrorBody } from '../../src/http/protocol/problems.ts';
import { acme, shift } from '../support/document.ts';
import { listenTo } from '../support/event-stream.ts';
import { type Line, startLine } from '../support/line.ts';
import { rawClient, statusesIn } from '../support/raw-client.ts';
import { putClockBack, type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const NOW = '2026-11-15T12:00:00Z';
const DAY_MS = 24 * 3_600_000;

const urlOf = ({ url }: Service, search = '') => `${url}/acme/api/v1/shifts${search}`;
const tagOf = async (service: Service, token: string, search = '') =>
  (await service.get('acme', search, token)).headers.get('shiftfeed-listing');

for (const database of ['sqlite', 'postgres'] as const) {
  describe(`A stream, on ${database}`, async () => {
    const service = await startService({ after }, { database, now: NOW });
    await service.import(acme([shift('2026-12-01', { id: 1 })]));

    test('tells the tag at first and whenever it is another one, and nothing of other months', async () => {
      const token = await service.token('acme');
      const all = await listenTo(urlOf(service), token);
      const december = await listenTo(urlOf(service, '?months=12'), token);
      assert.equal(await all.event(1), await tagOf(service, token));
      const known = await december.event(1);
      assert.match(
        all.text(),
        /^retry: [1-4]\d{3}\n\nevent: listing\nid: (\S+)\ndata: {"listing":"\1","revision":\d+}\n\n$/,
      );
      await service.import(acme([shift('2027-01-01', { id: 2 })]));
      assert.equal(await all.event(2), await tagOf(service, token));
      await service.import(acme([shift('2026-12-01', { id: 1, remarks: 'changed' })]));
      assert.equal(await december.event(2), await tagOf(service, token, '?months=12'));
      assert.equal(december.ids().length, 2, 'January is none of its business');
      for (const { leave } of [all, december]) leave();

      const tag = await tagOf(service, token);
      const again = await listenTo(urlOf(service), token, { 'last-event-id': tag });
      await service.import(acme([shift('2026-12-01', { id: 1, remarks: 'again' })]));
      assert.notEqual(await again.event(1), tag, 'what is known is not told');
      const late = await listenTo(urlOf(service), token, { 'last-event-id': known });
      assert.equal(await late.event(1), await again.event(1));
      for (const { leave } of [again, late]) leave();
    });

    test('ends when its token is revoked or expires, when premium ends, and when the account is gone', async (context) => {
      putClockBack(context, service);
      const { store } = service;
      const ends: Record<string, (accountId: number) => Promise<unknown>> = {
        revoked: async (id) => store.revokeToken((await store.tokens(id))[0]?.id ?? 0, 1),
        asleep: () => service.import({ account: { slug: 'asleep', premium: false } }),
        gone: (id) => store.removeAccount(id),
        renamed: (id) => store.renameAccount(id, 'other'),
        expired: async () => Object.assign(service, { nowMs: service.nowMs + DAY_MS }),
      };
      for (const [slug, end] of Object.entries(ends)) {
        await service.import({ account: { slug, premium: true } });
        const accountId = (await store.findAccount(slug))?.id ?? 0;
        const token = await service.token(slug, slug === 'expired' ? service.nowMs + DAY_MS : undefined);
        const stream = await listenTo(`${service.url}/${slug}/api/v1/shifts`, token);
        await end(accountId);
        await stream.ended;
        const asked = await service.get(slug, '', token, { headers: { accept: 'text/event-stream' } });
        assert.equal(asked.status, slug === 'renamed' ? 404 : 401, slug);
      }
    });

    test('whoever has closed their side before it begins is told once', async () => {
      const token = await service.token('acme');
      const { socket, answer } = await rawClient(service.url);
      const head = `GET /acme/api/v1/shifts HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n`;
      socket.end(`${head}Accept: text/event-stream\r\n\r\n`);
      await until('the stream has ended', () => socket.readableEnded);
      assert.match(await answer, /event: listing/);
    });

    test('tells of midnight where the account is', async (context) => {
      putClockBack(context, service);
      const token = await service.token('acme');
      await service.import(acme([shift('2026-12-20', { id: 9, publish_date: '2026-11-16' })]));
      const stream = await listenTo(urlOf(service), token);
      const before = await stream.event(1);
      service.nowMs += DAY_MS;
      assert.notEqual(await stream.event(2), before);
      assert.equal(await stream.event(2), await tagOf(service, token));
      stream.leave();
    });
  });
}

describe('A stream is admitted as its listing is', async () => {
  const service = await startService(
    { after },
    { now: NOW, app: { corsOrigins: new Set(['https://a.example']) } },
  );
  await service.import(acme([shift('2026-12-01')]));
  const token = await service.token('acme');
  const authorization = `Bearer ${token}`;
  const STREAM = { accept: 'text/event-stream' };

  test('a wrong token, account or parameter gets the JSON that it gets there', async () => {
    const cases: [slug: string, search: string, token: string | undefined][] = [
      ['acme', '', undefined],
      ['acme', '', 'shiftfeed_none'],
      ['nobody', '', token],
      ['acme', '?months=13', token],
    ];
    for (const [slug, search, given] of cases) {
      const [page, stream] = await Promise.all(
        [{}, STREAM].map((headers) => service.get(slug, search, given, { headers })),
      );
      assert.ok(page && stream && page.status >= 400);
      assert.deepEqual([stream.status, await stream.json()], [page.status, await page.json()]);
    }
  });

  test('only whoever prefers it to JSON gets one, HEAD gets its headers, and pages may open it', async () => {
    const typeFor = async (accept: string, method = 'HEAD') =>
      (await fetch(urlOf(service), { method, headers: { authorization, accept } })).headers.get(
        'content-type',
      );
    assert.equal(await typeFor('Text/Event-Stream'), 'text/event-stream; charset=utf-8');
    assert.equal(
      await typeFor('text/event-stream, application/json;q=0.9'),
      'text/event-stream; charset=utf-8',
    );
    const types = ['*/*', 'application/json', 'application/*'].map((json) => `text/event-stream, ${json}`);
    for (const accept of [
      ...types,
      '*/*',
      'text/event-stream;q=0.1, */*;q=0.2',
      'text/event-stream;q=0',
      'text/*',
    ])
      assert.equal(await typeFor(accept), 'application/json; charset=utf-8', accept);
    const headers = { authorization, ...STREAM, origin: 'https://a.example', 'accept-encoding': 'gzip' };
    const head = await fetch(urlOf(service), { method: 'HEAD', headers });
    const { 'cache-control': cache, vary, 'x-accel-buffering': buffering } = Object.fromEntries(head.headers);
    assert.deepEqual(
      [head.status, cache, buffering, vary],
      [200, 'no-store', 'no', 'Accept, Authorization, Origin'],
    );
    assert.equal(head.headers.get('content-encoding'), null);
    assert.equal(head.headers.get('access-control-allow-origin'), 'https://a.example');
    const preflight = await fetch(urlOf(service), {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example' },
    });
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Last-Event-ID/);
    assert.equal((await fetch(`${service.url}/healthz`, { headers: STREAM })).status, 200);
  });

  const HEAD = `GET /acme/api/v1/shifts HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n`;
  const ASK = `${HEAD}Accept: text/event-stream\r\n`;

  test('a body and a range are refused with a sentence, and HTTP/1.0 gets a stream that ends with its connection', async () => {
    const refused = {
      'Content-Length: 2\r\n\r\n{}': /takes no body/,
      'Range: bytes=0-9\r\n\r\n': /no ranges/,
    };
    for (const [rest, sentence] of Object.entries(refused)) {
      const client = await rawClient(service.url, `${ASK}Connection: close\r\n${rest}`);
      const answer = await client.answer;
      assert.deepEqual(statusesIn(answer), [400]);
      assert.match(answer, sentence);
    }
    const old = await rawClient(service.url, `${ASK.replace('1.1', '1.0')}\r\n`);
    let text = '';
    old.socket.on('data', (bytes) => {
      text += bytes;
    });
    await until('its event came', () => text.includes('event: listing'));
    assert.doesNotMatch(text, /transfer-encoding/i);
    old.socket.destroy();
  });

  test('what is sent behind a stream is not answered, and a stream among other requests is refused', async () => {
    const page = `${HEAD}\r\n`;
    const behind = await rawClient(service.url, `${ASK}\r\n`);
    await until('the stream is open', () => behind.socket.bytesRead > 0);
    behind.socket.write(page.repeat(100));
    behind.socket.write('nonsense'.repeat(1000));
    // Whoever half-closes has left.
    behind.socket.end();
    const answer = await behind.answer;
    assert.deepEqual(statusesIn(answer), [200]);
    assert.match(answer, /event: listing/);
    const last = `${HEAD}Connection: close\r\n\r\n`;
    const among = await rawClient(service.url, `${page}${ASK}\r\n${page}${last}`);
    const answers = await among.answer;
    assert.deepEqual(statusesIn(answers), [200, 400, 200, 200]);
    assert.match(answers, /needs a connection of its own/);
  });

  test('whoever leaves, however rudely, is gone', async () => {
    const clients = await Promise.all(Array.from({ length: 6 }, () => rawClient(service.url, `${ASK}\r\n`)));
    await until('all have begun', () => clients.every(({ socket }) => socket.bytesRead > 0));
    for (const [i, { socket }] of clients.entries()) {
      if (i % 3 === 0) socket.resetAndDestroy();
      else if (i % 3 === 1) socket.destroy();
      else socket.end();
    }
    await until('no stream is open', () => service.streams() === 0);
  });
});

test('comments keep a stream awake, also while the database is away; then it tells what became of the listing', async (context) => {
  let line: Line | undefined;
  const service = await startService(context, {
    now: NOW,
    database: 'postgres',
    staleIfErrorMs: 2 * DAY_MS,
    app: { limits: { commentMs: 300 } },
    through: async (databaseUrl) => {
      line = await startLine(context, databaseUrl);
      return line.url;
    },
  });
  await service.import(acme([shift('2026-12-01', { id: 1 })]));
  const token = await service.token('acme');
  const stream = await listenTo(urlOf(service), token);
  await stream.event(1);
  await service.list('acme', '', token);
  await line?.cut();
  // It may not be told, because nobody knows what became of the account.
  service.nowMs += DAY_MS;
  await service.import(acme([shift('2026-12-01', { id: 1, remarks: 'meanwhile' })]));
  await until('the outage is noticed', async () =>
    (await service.get('acme', '', token)).headers.has('shiftfeed-stale'),
  );
  const during = await listenTo(urlOf(service), token);
  const length = stream.text().length;
  await until('comments come', () => stream.text().length >= length + 9 && during.text().includes(':\n\n'));
  assert.deepEqual([stream.ids().length, during.ids().length], [1, 0]);
  await line?.mend();
  const tag = await stream.event(2);
  assert.equal(await during.event(1), tag);
  assert.equal(tag, await tagOf(service, token));
  for (const { leave } of [stream, during]) leave();
});

test('a token has 100 streams, a process no more than half of its connections; others get 503', async (context) => {
  const service = await startService(context, { now: NOW, app: { limits: { maxConnections: 240 } } });
  await service.import(acme([]));
  const [token, other] = [await service.token('acme'), await service.token('acme')];
  const open = (count: number, by: string) =>
    Promise.all(Array.from({ length: count }, () => listenTo(urlOf(service), by)));
  const refusal = async (by: string) => {
    const answer = await service.get('acme', '', by, { headers: { accept: 'text/event-stream' } });
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '30']);
    return ((await answer.json()) as ErrorBody).error;
  };
  const [first, ...rest] = await open(100, token);
  assert.match(await refusal(token), /This token has 100 streams open/);
  const others = await open(20, other);
  assert.match(await refusal(other), /too many streams open at the moment/);
  first?.leave();
  await until('there is room again', async () => {
    const stream = await listenTo(urlOf(service), other).catch(() => undefined);
    stream?.leave();
    return stream !== undefined;
  });
  for (const { leave } of [...rest, ...others]) leave();
});

test('a stream is not idle: connections on which nothing is under way make room before it does', async (context) => {
  const service = await startService(context, { now: NOW, app: { limits: { maxConnections: 4 } } });
  await service.import(acme([]));
  const stream = await listenTo(urlOf(service), await service.token('acme'));
  const before = await stream.event(1);
  for (let i = 0; i < 6; i++) {
    const { socket } = await rawClient(service.url, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    await until('it is answered', () => socket.bytesRead > 0);
  }
  await service.import(acme([shift('2026-12-01', { id: 1 })]));
  assert.notEqual(await stream.event(2), before);
  stream.leave();
});

test('streams of a server that drains end one after the other, and a new one gets an event and its end; one line is logged of each', async (context) => {
  const lines: string[] = [];
  const metrics = makeMetrics();
  const service = await startService(context, {
    now: NOW,
    app: {
      logger: pino({ level: 'info' }, { write: (line: string) => lines.push(line) }),
      logRequests: true,
      metrics,
      drainMs: 600,
    },
  });
  await service.import(acme([]));
  const token = await service.token('acme');
  const streams = await Promise.all(Array.from({ length: 3 }, () => listenTo(urlOf(service), token)));
  const order: number[] = [];
  streams.forEach(({ ended }, i) => void ended.then(() => order.push(i)));
  streams[2]?.leave();
  await until('it has left', () => lines.length === 1);
  assert.match(await metrics.registry.metrics(), /^shiftfeed_http_streams 2$/m);
  service.drain();
  const late = await listenTo(urlOf(service), token);
  await late.ended;
  assert.equal(late.ids().length, 1);
  await Promise.all(streams.map(({ ended }) => ended));
  await until('all are logged', () => lines.length === 4);
  const logged = lines.map((line) => JSON.parse(line)).filter(({ ended }) => ended !== undefined);
  assert.deepEqual(logged.map(({ ended }) => ended).sort(), ['client', 'stopping', 'stopping']);
  assert.ok(logged.every(({ status, token: id, ms }) => status === 200 && id > 0 && ms > 0));
  const text = await metrics.registry.metrics();
  assert.match(text, /^shiftfeed_http_streams_ended_total{reason="stopping"} 2$/m);
  assert.match(
    text,
    /^shiftfeed_http_request_duration_seconds_count{route="[^"]+"} 1$/m,
    'only the one that ended at once',
  );
});

/** A client of which the test decides whether it reads, and what it is told. */
function fakeClient(write: (text: string) => void) {
  const request = { method: 'GET', headers: {}, socket: new EventEmitter() };
  const response = Object.assign(new EventEmitter(), {
    req: request,
    destroyed: false,
    writableLength: 0,
    write,
    destroy: () => response.emit('close'),
  });
  return { response, exchange: { request, response } as unknown as Exchange };
}

const STREAMS = {
  maxStreams: 60,
  maxConnections: 120,
  drainMs: 0,
  takeConnection: () => true,
  onTooMany: () => undefined,
};

test('a client that does not read is told nothing more, and is cut off by the next comment', async () => {
  const { response, exchange } = fakeClient(() => assert.fail('nothing is written'));
  const streams = makeStreams({ ...STREAMS, commentMs: 15 });
  const { promise: left, resolve } = Promise.withResolvers<void>();
  let isSaid: boolean | undefined;
  const { stream } = streams.open(exchange, [], [], (opened) => {
    queueMicrotask(() => {
      isSaid = opened.say('event: listing\n\n');
    });
    return resolve;
  });
  stream?.begin();
  response.writableLength = 1;
  await left;
  assert.deepEqual([isSaid, stream?.reason(), streams.count()], [false, 'unread', 0]);
});

test('comments are spread over time, although streams were opened at the same moment', (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const streams = makeStreams({ ...STREAMS, commentMs: 15_000 });
  let comments = 0;
  for (let i = 0; i < 60; i++)
    streams.open(fakeClient(() => comments++).exchange, [], [], () => () => undefined);
  context.mock.timers.tick(1_000);
  assert.equal(comments, 4);
  context.mock.timers.tick(14_000);
  assert.equal(comments, 60);
});
