/** More connections, and more requests sent ahead on them, than a server allows. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { after, type TestContext, test } from 'node:test';
import { makeServer } from '../../src/http/app.ts';
import { type ConnectionLimits, limitConnections } from '../../src/http/limits/connections.ts';
import { DEFAULT_LIMITS } from '../../src/http/limits/limits.ts';
import { acme, shift } from '../support/document.ts';
import { listen } from '../support/listening.ts';
import { type RawClient, rawClient, statusesIn } from '../support/raw-client.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const CLOSE = 'Connection: close\r\n';
const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

test('the longest idle connection of whoever holds most makes room for a new one', async (context) => {
  const server = await startLimited(context, { maxConnections: 4 });
  const first = await server.connect('192.0.2.1');
  const second = await server.connect('192.0.2.1');
  await server.connect('192.0.2.1');
  await server.connect('192.0.2.2');
  // From here on, the second one has been idle for longer than the first one.
  await askOnce(first);
  const newcomer = await server.connect('192.0.2.3');
  assert.equal(await second.answer, '');
  await askOnce(newcomer);
  assert.deepEqual(server.held(), ['192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.3']);
});

test('however many idle connections an address opens, it takes none from others', async (context) => {
  const server = await startLimited(context, { maxConnections: 4 });
  const honest = await server.connect('192.0.2.2');
  for (let i = 0; i < 20; i++) await server.connect('192.0.2.1');
  await until('the others have closed', () => server.held().length === 4);
  assert.deepEqual(server.held().sort(), ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2']);
  await askOnce(honest);
});

test('busy connections make room only for an address that has fewer', async (context) => {
  const server = await startLimited(context, { maxConnections: 3 });
  const busy = [];
  for (let i = 0; i < 3; i++) {
    const client = await server.connect('192.0.2.1');
    client.socket.write(get('/slow'));
    busy.push(client);
  }
  await until('all are busy', () => server.waiting.length === 3);

  const another = await server.connect('192.0.2.1');
  another.socket.write(get('/quick'));
  assert.match(await another.answer, /^HTTP\/1\.1 503 [\s\S]*retry-after: \d/);
  // A balancer is told that the process lives.
  const check = await server.connect('192.0.2.1');
  check.socket.write(get('/healthz', CLOSE));
  assert.deepEqual(statusesIn(await check.answer), [200]);

  const newcomer = await server.connect('192.0.2.2');
  assert.equal(await busy[0]?.answer, '');
  await askOnce(newcomer);
  assert.deepEqual(server.held(), ['192.0.2.1', '192.0.2.1', '192.0.2.2']);
});

test('connections beyond the limit make room for each other', async (context) => {
  const server = await startLimited(context, { maxConnections: 1 });
  const busy = await server.connect('192.0.2.1');
  busy.socket.write(get('/slow'));
  await until('it is busy', () => server.waiting.length === 1);
  for (let i = 0; i < 40; i++) await server.connect('192.0.2.1');
  const check = await server.connect('192.0.2.1');
  check.socket.write(get('/healthz', CLOSE));
  assert.deepEqual(statusesIn(await check.answer), [200]);
});

test('of all requests that are sent ahead, whoever has sent most may send no more', async (context) => {
  const server = await startLimited(context, { maxAhead: 40 });
  const greedy: RawClient[] = [];
  for (let i = 0; i < 3; i++) {
    const client = await server.connect('192.0.2.1');
    client.socket.write(get('/slow').repeat(20));
    greedy.push(client);
  }
  // 19 and 19 ahead, and 2 more.
  await until('the last is refused', () => server.refused() === 1 && server.waiting.length === 43);
  const honest = await server.connect('192.0.2.2');
  honest.socket.write(get('/slow').repeat(9) + get('/slow', CLOSE));
  await until('those of another address are taken', () => server.waiting.length === 53);
  server.answerAll();
  assert.deepEqual(statusesIn(await honest.answer), Array(10).fill(200));
  assert.deepEqual(statusesIn((await greedy[2]?.answer) ?? ''), [200, 200, 200, 429]);
  assert.equal(server.refused(), 1);
});

test('what follows too many requests does not become one, whatever it is', async (context) => {
  const server = await startLimited(context, { maxPipelined: 4 });
  const upgrade = get('/slow', 'Connection: Upgrade\r\nUpgrade: websocket\r\n');
  const body = 'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody';
  for (const more of [
    get('/slow').repeat(1_000),
    upgrade,
    body,
    'CONNECT a:1 HTTP/1.1\r\n\r\n',
    'nonsense',
  ]) {
    const { socket, answer } = await server.connect('192.0.2.1');
    const before = server.requests();
    // Four that run, sixteen that wait, and one too many.
    socket.write(get('/slow').repeat(21) + more + get('/slow'));
    await until('all that were taken are answered', () => {
      server.answerAll();
      return socket.readableEnded;
    });
    assert.deepEqual(statusesIn(await answer), [...Array(20).fill(200), 429]);
    assert.equal(server.requests() - before, 21);
  }
});

test('requests that were sent ahead count until they are answered', async (context) => {
  const server = await startLimited(context, { maxAhead: 40 });
  const { socket, answer } = await server.connect('192.0.2.1');
  for (let i = 0; i < 3; i++) {
    socket.write(get('/slow').repeat(30));
    await until('they have come', () => server.waiting.length === 30);
    server.answerAll();
  }
  socket.write(get('/quick', CLOSE));
  assert.deepEqual(statusesIn(await answer), Array(91).fill(200));
});

test('requests that were sent ahead count until their connection ends', async (context) => {
  const server = await startLimited(context, { maxAhead: 40, maxConnections: 3 });
  // With whom the other one would have to share.
  await server.connect('192.0.2.3');
  for (let i = 0; i < 3; i++) {
    const leaving = await server.connect('192.0.2.1');
    leaving.socket.write(get('/slow').repeat(30));
    await until('they have come', () => server.waiting.length === 30);
    const staying = await server.connect('192.0.2.1');
    staying.socket.write(get('/slow'));
    await until('both are busy', () => server.waiting.length === 31);
    const newcomer = await server.connect('192.0.2.2');
    assert.equal(await leaving.answer, '');
    for (const { socket } of [staying, newcomer]) socket.destroy();
    server.answerAll();
    await until('all are gone', () => server.held().length === 1);
  }
  assert.equal(server.refused(), 0);
});

/** A server whose connections come from whichever addresses the test says. */
async function startLimited(context: TestContext, limits: Partial<ConnectionLimits>) {
  const waiting: (() => void)[] = [];
  const open = new Map<Socket, string>();
  let refused = 0;
  let nextAddress = '';
  const connections = limitConnections({
    ...DEFAULT_LIMITS,
    ...limits,
    isHealthCheck: (url) => url === '/healthz',
    onTooManyPipelined: () => refused++,
    onTooManyConnections: () => undefined,
  });
  const server = makeServer(
    (request, response) => {
      if (request.url?.startsWith('/slow')) waiting.push(() => response.end(request.url));
      else response.end();
    },
    { limits: DEFAULT_LIMITS, connections, onRejected: () => undefined },
  );
  let requests = 0;
  server.on('request', () => requests++);
  server.prependListener('connection', (socket) => {
    Object.defineProperty(socket, 'remoteAddress', { value: nextAddress });
    open.set(socket, nextAddress);
    socket.once('close', () => open.delete(socket));
  });
  const url = `http://127.0.0.1:${await listen(context, server)}`;
  return {
    waiting,
    /** The addresses of open connections, in the order in which they were opened. */
    held: () => [...open.values()],
    refused: () => refused,
    requests: () => requests,
    drain() {
      connections.close(server);
      server.close();
    },
    answerAll() {
      for (const answer of waiting.splice(0)) answer();
    },
    async connect(address: string): Promise<RawClient> {
      nextAddress = address;
      const accepted = once(server, 'connection');
      const client = await rawClient(url);
      await accepted;
      context.after(() => {
        client.socket.destroy();
      });
      return client;
    },
  };
}

/** Asks on a connection that stays open. */
async function askOnce({ socket }: RawClient): Promise<void> {
  socket.write(get('/quick'));
  await once(socket, 'data');
}

test('a request that comes while the server shuts down is answered, and is the last of its connection', async (context) => {
  const server = await startLimited(context, {});
  const { socket, answer } = await server.connect('192.0.2.1');
  socket.write(get('/slow?first'));
  await until('it has come', () => server.waiting.length === 1);
  server.drain();
  socket.write(get('/slow?second'));
  await until('the second has come, too', () => server.waiting.length === 2);
  server.answerAll();
  const [, first = '', second = ''] = (await answer).split('HTTP/1.1 200 OK');
  assert.match(first, /Connection: keep-alive[\s\S]*\/slow\?first/);
  assert.match(second, /Connection: close[\s\S]*\/slow\?second/);
});

// Requests that follow each other on one connection, without waiting for answers.

const service = await startService(
  { after },
  { now: '2026-11-15T12:00:00Z', app: { limits: { maxPipelined: 16 } } },
);
await service.import(acme([shift('2026-12-01'), shift('2026-12-02')]));
const token = await service.token('acme');

function listing(query: string, rest = ''): string {
  return `GET /acme/api/v1/shifts${query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${rest}\r\n`;
}

test('requests beyond what may be under way wait, and all are answered in their order', async () => {
  const days = Array.from({ length: 50 }, (_, i) => `2026-12-${String(1 + (i % 2)).padStart(2, '0')}`);
  const requests = days.map((day, i) => listing(`?day=${day}`, i === 49 ? 'Connection: close\r\n' : ''));
  const { answer } = await rawClient(service.url, requests.join(''));
  const listed = [...(await answer).matchAll(/"date":"([^"]+)"/g)].map(([, date]) => date);
  assert.deepEqual(listed, days);
});

test('a connection that has caught up is read on', async () => {
  const { socket, answer } = await rawClient(service.url);
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes;
  });
  for (const round of [1, 2, 3]) {
    socket.write(listing('?day=2026-12-01').repeat(20));
    await until('all are answered', () => statusesIn(received).length === 20 * round);
  }
  socket.end();
  assert.deepEqual(new Set(statusesIn(await answer)), new Set([200]));
});

test('of thousands that are sent ahead some are answered, then the connection is closed, and others are served', async () => {
  const { answer } = await rawClient(service.url, 'GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5_000));
  const statuses = statusesIn(await answer);
  assert.deepEqual(new Set(statuses.slice(0, -1)), new Set([404]));
  // Those under way, and four times as many that wait.
  assert.equal(statuses.length - 1, 16 + 64);
  assert.equal(statuses.at(-1), 429);
  assert.equal((await service.get('acme', '', token)).status, 200);
});

test('a broken request does not replace the answers to those before it', async () => {
  for (const [broken, status] of [
    ['nonsense\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nX: ${'x'.repeat(50_000)}\r\n\r\n`, 431],
    ['CONNECT a:1 HTTP/1.1\r\n\r\n', 405],
    [listing('', 'Expect: miracles\r\n'), 417],
  ] as const) {
    const { answer } = await rawClient(service.url, listing('?day=2026-12-01').repeat(6) + broken);
    assert.deepEqual(statusesIn(await answer), [200, 200, 200, 200, 200, 200, status]);
  }
});

test('an expectation of 100-continue is answered in turn, like any request', async () => {
  const { answer } = await rawClient(
    service.url,
    listing('?day=2026-12-01').repeat(2) + listing('?day=2026-12-02', 'Expect: 100-continue\r\n'),
  );
  const text = await answer;
  assert.deepEqual(statusesIn(text), [200, 200, 200]);
  assert.ok(text.endsWith('"total_pages":1}}'));
});
