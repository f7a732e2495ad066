/** The stream of a feed for visitors. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createGateway, openGateway } from '@shiftfeed/gateway';
import { pino } from 'pino';
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
    (await fetch(`${server.url}/kitchen/shifts`)).headers.get('etag')?.split('"')[1];

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

  test('is told of midnight, and listens to other days then', async () => {
    const stream = await listenTo(url);
    const before = await stream.event(1);
    service.nowMs += 24 * 3_600_000;
    assert.notEqual(await stream.event(2), before);
    stream.leave();
  });

  test('is refused to an address that has 200 of them', async () => {
    const streams = await Promise.all(Array.from({ length: 200 }, () => listenTo(url)));
    const { status, headers } = await fetch(url);
    assert.deepEqual([status, headers.get('retry-after')], [503, '30']);
    for (const { leave } of streams) leave();
    assert.equal((await fetch(`${url}?date_from=2026-12-01`)).status, 400);
    assert.equal(
      (await fetch(url, { method: 'HEAD' })).headers.get('content-type'),
      'text/event-stream; charset=utf-8',
    );
    assert.equal((await fetch(url, { method: 'POST' })).status, 405);
  });

  test('is there in a function if that says so, and ends with its visitor', async () => {
    const request = () => new Request('https://gateway.example/kitchen/live');
    assert.equal((await createGateway(options)(request())).status, 404);
    const answer = await createGateway({ ...options, live: true })(request());
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('event: shifts')) text += (await reader?.read())?.value;
    await until('it listens', () => service.streams() === 1);
    await reader?.cancel();
    await until('it does not any more', () => service.streams() === 0);
  });
});
