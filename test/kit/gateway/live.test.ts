/** The stream of a feed for visitors. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { after, describe, test } from 'node:test';
import { ShiftfeedUnavailableError } from '@shiftfeed/client';
import { NoStream } from '@shiftfeed/client/reader';
import { createGateway, openGateway } from '@shiftfeed/gateway';
import { pino } from 'pino';
import { openLive } from '../../../kit/gateway/src/live.ts';
import { startGatewayServer } from '../../../src/gateway/server.ts';
import { makeProblemLog } from '../../../src/http/observe/problem-log.ts';
import { acme, shift } from '../../support/document.ts';
import { listenTo } from '../../support/event-stream.ts';
import { ANY_PORT } from '../../support/server-options.ts';
import { startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

describe('A stream of a feed', async () => {
  const now = '2026-11-15T12:00:00Z';
  const service = await startService({ after }, { now });
  const write = (fields: object) => service.import(acme([shift('2026-12-01', { id: 1, ...fields })]));
  await write({});
  const token = await service.token('acme');
  const options = {
    token,
    clock: () => service.nowMs,
    config: {
      upstream: `${service.url}/acme`,
      feeds: { kitchen: { group_ids: 'all', max_age: 3600, origins: ['https://a.example'] } },
    },
  };
  const logger = pino({ level: 'silent' });
  const server = await startGatewayServer({
    gateway: openGateway({ ...options, live: true }),
    address: ANY_PORT,
    logger,
    problems: makeProblemLog(logger),
  });
  after(() => server.stop());
  const url = `${server.url}/kitchen/live`;
  const shownId = async () =>
    (await fetch(`${server.url}/kitchen/shifts?date_from=2026-11-08`)).headers.get('etag')?.split('"')[1];

  test('tells that what visitors can see is another, and nothing of what they cannot see', async () => {
    const stream = await listenTo(url, undefined, { origin: 'https://a.example' });
    assert.equal(stream.response.headers.get('access-control-allow-origin'), 'https://a.example');
    const first = await stream.event(1);
    assert.equal(first, await shownId());
    assert.match(stream.text(), /^retry: \d+\n\nevent: shifts\nid: \S+\ndata:\n\n$/);
    // Neither remarks nor noshow are shown.
    await write({ remarks: 'secret' });
    await write({ remarks: 'secret', start_time: '10:00' });
    const second = await stream.event(2);
    assert.notEqual(second, first);
    assert.equal(second, await shownId(), 'who asks after the event gets what it is about');
    await write({ noshow: true, start_time: '10:00' });
    await write({ start_time: '11:00' });
    await stream.event(3);
    assert.equal(stream.ids().length, 3);
    const again = await listenTo(url, undefined, { 'last-event-id': await stream.event(3) });
    await write({ start_time: '12:00' });
    assert.equal(await again.event(1), await stream.event(4));
    assert.equal(service.streams(), 1, 'one for all visitors');
    for (const { leave } of [stream, again]) leave();
    await until('nobody listens to the service', () => service.streams() === 0);
  });

  test('tells of a night that began before the days of the feed and is still on', async () => {
    const night = (end_time: string) =>
      service.import(
        acme([shift('2026-11-14', { id: 2, start_time: '22:00', end_time, end_date: '2026-11-15' })]),
      );
    await night('06:00');
    const stream = await listenTo(url);
    await stream.event(1);
    await night('07:00');
    await until(
      'it was told',
      async () => stream.ids().at(-1) === (await shownId()) && stream.ids().length > 1,
    );
    stream.leave();
  });

  test('is told of midnight, and listens to other days then', async () => {
    const stream = await listenTo(url);
    const before = await stream.event(1);
    service.nowMs += 24 * 3_600_000;
    assert.notEqual(await stream.event(2), before);
    stream.leave();
    await until('nobody listens to the service', () => service.streams() === 0);
  });

  test('is refused to an address that has 200 of them', async () => {
    const streams = await Promise.all(Array.from({ length: 200 }, () => listenTo(url)));
    const { status, headers } = await fetch(url);
    assert.deepEqual([status, headers.get('retry-after')], [503, '30']);
    if (process.platform === 'linux') {
      // Every machine has this address, too.
      const [other] = await once(get(url, { localAddress: '127.0.0.5' }), 'response');
      assert.equal(other.statusCode, 200);
      other.destroy();
    }
    for (const { leave } of streams) leave();
    assert.equal((await fetch(`${url}?date_from=2026-12-01`)).status, 400);
    assert.equal(
      (await fetch(url, { method: 'HEAD' })).headers.get('content-type'),
      'text/event-stream; charset=utf-8',
    );
    assert.equal((await fetch(url, { method: 'POST' })).status, 405);
  });

  test('is refused to the visitor after 2,000 others of the feed, until one has left', async () => {
    const gateway = createGateway({ ...options, live: true });
    const visit = () => gateway(new Request('https://gateway.example/kitchen/live'));
    const visits = await Promise.all(Array.from({ length: 2_000 }, visit));
    assert.ok(visits.every(({ status }) => status === 200));
    const { status, headers } = await visit();
    assert.deepEqual([status, headers.get('retry-after')], [503, '60']);
    await visits.pop()?.body?.cancel();
    visits.push(await visit());
    assert.equal(visits.at(-1)?.status, 200);
    for (const { body } of visits) await body?.cancel();
  });

  test('is there in a function if that says so, and ends with its visitor', async () => {
    const request = () => new Request('https://gateway.example/kitchen/live');
    assert.equal((await createGateway(options)(request())).status, 404);
    const answer = await createGateway({ ...options, live: true })(request());
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('event: shifts')) {
      const piece = await reader?.read();
      assert.ok(piece?.value, `the stream ended after ${text}`);
      text += piece.value;
    }
    await until('it listens', () => service.streams() === 1);
    await reader?.cancel();
    await until('it does not any more', () => service.streams() === 0);
  });
});

// Not beside a service, whose timers would stand still, too.
test('a gateway listens again soon after its connection was lost, later to an upstream that refuses, and seldom to one without streams', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  for (const [error, leastMs, mostMs] of [
    [new ShiftfeedUnavailableError('The server could not be reached.'), 1_000, 5_000],
    [new ShiftfeedUnavailableError('There are too many streams.', 503), 30_000, 30_000],
    [new NoStream(), 600_000, 600_000],
  ] as const) {
    let tries = 0;
    async function* hear() {
      tries++;
      yield* [];
      throw error;
    }
    const keeper = { renew: async () => undefined };
    const live = openLive({ keeper, upstream: { hear, days: () => '' }, idNow: async () => undefined });
    const leave = live.join({ say: () => true }, undefined);
    await settle();
    context.mock.timers.tick(leastMs - 1);
    await settle();
    assert.equal(tries, 1, error.message);
    context.mock.timers.tick(mostMs - leastMs + 1);
    await settle();
    assert.equal(tries, 2, error.message);
    leave();
    await settle();
  }
});

test('visitors who come and go all the time do not make a gateway listen anew each time', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const heard: AbortSignal[] = [];
  async function* hear(signal: AbortSignal) {
    heard.push(signal);
    await once(signal, 'abort');
    yield* [];
  }
  const keeper = { renew: async () => undefined };
  const live = openLive({ keeper, upstream: { hear, days: () => '' }, idNow: async () => undefined });
  for (let i = 0; i < 20; i++) live.join({ say: () => true }, undefined)();
  assert.deepEqual(
    heard.map(({ aborted }) => aborted),
    [false],
  );
  context.mock.timers.tick(1_000);
  assert.equal(heard[0]?.aborted, true);
});
