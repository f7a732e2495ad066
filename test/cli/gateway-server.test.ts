/** The server of the gateway, in this process and with an upstream that is a function. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { setImmediate as otherWork } from 'node:timers/promises';
import { type Answer, openGateway, type Visit } from '@shiftfeed/gateway';
import { pino } from 'pino';
import { makeGatewayMetrics } from '../../src/gateway/metrics.ts';
import { type GatewayServerOptions, startGatewayServer } from '../../src/gateway/server.ts';
import { DEFAULT_LIMITS } from '../../src/http/limits/limits.ts';
import { makeTurns } from '../../src/http/limits/turns.ts';
import { makeProblemLog } from '../../src/http/observe/problem-log.ts';
import { fakeUpstream, makeShift, optionsFor } from '../kit/gateway/upstream.ts';
import { driveUntil, makeDrivenLoop, useUp } from '../support/driven-loop.ts';
import { isListening } from '../support/listening.ts';
import { rawClient } from '../support/raw-client.ts';
import { ANY_PORT } from '../support/server-options.ts';
import { until } from '../support/until.ts';

const logger = pino({ level: 'silent' });
const metrics = makeGatewayMetrics('1.0.0');
const gateway = openGateway(optionsFor(fakeUpstream({ shifts: [makeShift()] })));
const options: GatewayServerOptions = {
  gateway: {
    ...gateway,
    answer: async (visit): Promise<Answer> =>
      visit.path === '/broken' ? Promise.reject(new Error('broken')) : gateway.answer(visit),
  },
  address: ANY_PORT,
  logger,
  problems: makeProblemLog(logger),
};
const server = await startGatewayServer({ ...options, metrics });
after(() => server.stop());

for (const [host, shown] of [
  ['shifts.example.org:8443', 'shifts.example.org:8443'],
  ['[::1]:8090', '[::1]:8090'],
  ['a.example:99999', 'localhost'],
  ['999.999.999.999', 'localhost'],
  ['[::::]', 'localhost'],
  ['a"><script>', 'localhost'],
] as const) {
  test(`the page for the host ${host} shows the address of its calendar at ${shown}`, async () => {
    const { status, body } = await get('/kitchen', host);
    assert.equal(status, 200);
    assert.ok(body.includes(`"webcal://${shown}/kitchen/shifts.ics"`));
  });
}

test('a visit that could not be answered is counted', async () => {
  const { status, body } = await get('/broken', 'a.example');
  assert.equal(status, 500);
  assert.ok(!body.includes('broken'));
  assert.match(await metrics.registry.metrics(), /requests_total\{route="none",status="500"\} 1/);
});

test('visits that get the same answer from memory each have an id of their own, and HEAD has no body', async () => {
  const direct = await startGatewayServer({ ...options, gateway });
  after(() => direct.stop());
  const visit = async (id: string, method = 'GET') => {
    const headers = { 'x-request-id': id };
    const response = await fetch(`${direct.url}/kitchen/shifts`, { method, headers });
    return { id: response.headers.get('x-request-id'), body: await response.text() };
  };
  const { body } = await visit('first');
  assert.ok(body.startsWith('{'));
  assert.deepEqual(await visit('second'), { id: 'second', body });
  assert.deepEqual(await visit('third', 'HEAD'), { id: 'third', body: '' });
  const ids = Array.from({ length: 20 }, (_, i) => `at-once-${i}`);
  const atOnce = await Promise.all(ids.map((id) => visit(id)));
  assert.deepEqual(
    atOnce,
    ids.map((id) => ({ id, body })),
  );
});

test('an answer that cannot be sent only ends its connection', async () => {
  const answer = async ({ path }: Visit): Promise<Answer> => {
    const headerList = path === '/split' ? ['a', 'b\r\nc'] : [];
    return { status: 200, headers: {}, headerList, body: undefined, route: 'none' };
  };
  const failing = await startGatewayServer({ ...options, gateway: { ...gateway, answer } });
  after(() => failing.stop());
  await assert.rejects(fetch(`${failing.url}/split`));
  assert.equal((await fetch(`${failing.url}/whole`)).status, 200);
});

test('who has connected before the gateway stops is answered, even if the request comes afterwards', async (t) => {
  // No time passes between connecting and stopping.
  t.mock.method(performance, 'now', () => 0);
  t.mock.timers.enable({ apis: ['setInterval'] });
  const metrics = makeGatewayMetrics('1.0.0');
  const stopping = await startGatewayServer({ ...options, gateway, metrics });
  const { socket, answer } = await rawClient(stopping.url);
  await until('it is connected', async () =>
    /^shiftfeed_gateway_connections 1$/m.test(await metrics.registry.metrics()),
  );
  const stopped = stopping.stop();
  await until('nobody listens', async () => !(await isListening(stopping.url)));
  // What closes idle connections.
  t.mock.timers.tick(1_000);
  for (let i = 0; i < 3; i++) await otherWork();
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
  assert.match(await answer, /^HTTP\/1\.1 200 [\s\S]*^connection: close\r$/im);
  await stopped;
});

test('a visitor is answered before a crowd from another address, which is refused when it waited too long', async () => {
  const loop = makeDrivenLoop();
  const turns = makeTurns(DEFAULT_LIMITS, loop);
  const metrics = makeGatewayMetrics('1.0.0');
  const busy = await startGatewayServer({ ...options, trustProxy: ['loopback'], turns, metrics });
  after(() => busy.stop());
  const answered: string[] = [];
  const statuses = new Set<number>();
  const visit = async (address: string) => {
    const response = await fetch(`${busy.url}/kitchen/shifts`, { headers: { 'x-forwarded-for': address } });
    await response.text();
    answered.push(address);
    statuses.add(response.status);
    if (response.status === 503) assert.equal(response.headers.get('retry-after'), '2');
  };
  await visit('192.0.2.2');
  useUp(turns, loop);
  const crowd = Array.from({ length: 200 }, () => visit('192.0.2.1'));
  await until('the crowd waits', () => turns.counts().waiting === 200);
  const visitor = visit('192.0.2.2');
  await until('all wait', () => turns.counts().waiting === 201);
  await driveUntil(loop, visitor);
  assert.ok(answered.filter((address) => address === '192.0.2.1').length < 100);
  // A health check is an asker of its own, also where it comes from the address of the crowd.
  const checked = fetch(`${busy.url}/healthz`, { headers: { 'x-forwarded-for': '192.0.2.1' } });
  assert.equal((await driveUntil(loop, checked)).status, 200);
  assert.ok(answered.filter((address) => address === '192.0.2.1').length < 150);
  loop.passMs(DEFAULT_LIMITS.maxWaitMs + 1);
  await driveUntil(loop, Promise.all(crowd));
  assert.deepEqual(statuses, new Set([200, 503]));
  assert.match(await metrics.registry.metrics(), /^shiftfeed_gateway_overloaded_total [1-9]\d*$/m);
});

async function get(path: string, host: string): Promise<{ status: number | undefined; body: string }> {
  const sent = request(server.url + path, { headers: { host }, agent: false }).end();
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, body: await text(response) };
}
