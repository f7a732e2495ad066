/** Requests that follow each other on one connection, without waiting for answers. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { acme, shift } from '../support/document.ts';
import { rawClient, statusesIn } from '../support/raw-client.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

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
