/** Clients that do not read their answers, which keep months in memory that the cache has let go of. */

import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { trackUnsentResponses } from '../../src/http/limits/unsent.ts';
import { acme, shift } from '../support/document.ts';
import { silentClient } from '../support/raw-client.ts';
import { startService } from '../support/service.ts';
import { isLong, often } from '../support/strength.ts';
import { until } from '../support/until.ts';

test('clients that keep old months in memory are cut off, the oldest first, and others are served', async (context) => {
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  const service = await startService(context, {
    hasThread: true,
    now: '2026-11-15T12:00:00Z',
    app: { logger, limits: { maxUnsentBytes: 30_000_000 } },
  });
  // More than the buffers of a connection hold.
  const month = (remark: string) =>
    acme(
      Array.from({ length: 500 }, (_, i) =>
        shift('2026-12-01', { id: i + 1, remarks: remark.repeat(5_000) }),
      ),
    );
  await service.import(month('語'));
  const token = await service.token('acme');
  const bytes = `GET /acme/api/v1/shifts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`;
  const sockets: Socket[] = [];
  for (let i = 0; i < often(5, 8); i++) {
    const socket = await silentClient(service.url);
    socket.write(bytes);
    context.after(() => {
      socket.destroy();
    });
    // The answer has begun, but no more of it is read.
    await once(socket, 'readable');
    sockets.push(socket);
    await service.import(month(String.fromCodePoint(0x8a9f + i)));
    // Old months are let go of when the new ones are read.
    assert.equal((await service.get('acme', '?per_page=1', token)).status, 200);
  }
  await until('the log tells', () => lines.some((line) => line.includes('read too slowly')));
  const received = await Promise.all(sockets.map((socket) => text(socket).catch(() => '')));
  const isWhole = received.map((answer) => answer.endsWith('"total_pages":1}}'));
  assert.deepEqual([isWhole[0], isWhole.at(-1)], [false, true]);
  assert.equal((await service.get('acme', '?per_page=1', token)).status, 200);
});

if (isLong)
  test('an answer that waits behind another one is watched as well, if it keeps more than itself in memory', async (context) => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
    const service = await startService(context, {
      hasThread: true,
      now: '2026-11-15T12:00:00Z',
      app: { logger, limits: { maxUnsentBytes: 1_000_000 } },
    });
    const month = (date: string, firstId: number, remark: string) =>
      Array.from({ length: 500 }, (_, i) => shift(date, { id: firstId + i, remarks: remark.repeat(5_000) }));
    await service.import(acme([...month('2026-12-01', 1, '語'), ...month('2027-01-01', 1_000, '語')]));
    const token = await service.token('acme');
    const ask = (query: string) =>
      `GET /acme/api/v1/shifts?${query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const socket = await silentClient(service.url);
    context.after(() => {
      socket.destroy();
    });
    // The first fills the connection. Its month stays in the cache, so only the second keeps something of its own: it is
    // too large to be copied, so it keeps its month.
    socket.write(ask('months=12') + ask('months=1&per_page=2'));
    await once(socket, 'readable');
    // Once this is answered, so is the second one, which came before it.
    assert.equal((await service.get('acme', '?months=1&per_page=2', token)).status, 200);
    await service.import(acme(month('2027-01-01', 1_000, '言')));
    assert.equal((await service.get('acme', '?months=1', token)).status, 200);
    await until('it is cut off', () => lines.some((line) => line.includes('read too slowly')));
  });

test('an answer that is not read at the least rate is cut off, and one that is read in time is not', (context) => {
  const { unsent, cut, tick } = watched(context, {
    maxUnsentBytes: 1_000_000,
    minReadRateBytesPerSecond: 1_000,
  });
  const slow = answer();
  const quick = answer();
  // 20 s at the least rate, and a grace of 10.
  unsent.add(slow.response, slow.socket, 20_000, []);
  unsent.add(quick.response, quick.socket, 20_000, []);
  tick(29_000);
  quick.response.emit('close');
  assert.deepEqual([slow.isDestroyed(), quick.isDestroyed(), cut()], [false, false, 0]);
  tick(1_500);
  assert.deepEqual([slow.isDestroyed(), quick.isDestroyed(), cut()], [true, false, 1]);
});

test('the time of an answer begins when those before it on its connection were read', (context) => {
  const { unsent, tick } = watched(context, { maxUnsentBytes: 1_000_000, minReadRateBytesPerSecond: 1_000 });
  const { response, socket, isDestroyed } = answer();
  unsent.add(response, socket, 20_000, []);
  unsent.add(answer().response, socket, 20_000, []);
  tick(29_000);
  response.emit('close');
  tick(29_000);
  assert.equal(isDestroyed(), false);
  tick(2_000);
  assert.equal(isDestroyed(), true);
});

test('memory that several answers share counts once, and what is cached does not count', (context) => {
  const cached = new Uint8Array(5_000);
  const shared = new Uint8Array(600);
  const { unsent, cut, tick } = watched(
    context,
    { maxUnsentBytes: 1_000, minReadRateBytesPerSecond: 1_000 },
    (buffer) => buffer === cached.buffer,
  );
  const answers = [shared, shared, shared, cached, cached, new Uint8Array(500)].map((bytes) => {
    const added = answer();
    unsent.add(added.response, added.socket, bytes.length, [bytes]);
    return added;
  });
  assert.equal(unsent.bytes(), 1_100);
  tick(300);
  assert.deepEqual(
    answers.map(({ isDestroyed }) => isDestroyed()),
    [true, true, true, false, false, false],
  );
  assert.equal(cut(), 3);
  assert.equal(unsent.bytes(), 500);
});

test('an answer of any size may be read slowly while no other waits', (context) => {
  const { unsent, tick } = watched(context, { maxUnsentBytes: 1_000, minReadRateBytesPerSecond: 1_000 });
  const [first, second] = [answer(), answer()];
  const add = ({ response, socket }: typeof first) =>
    unsent.add(response, socket, 50_000, [new Uint8Array(50_000)]);
  add(first);
  tick(30_000);
  assert.equal(first.isDestroyed(), false);
  add(second);
  tick(300);
  assert.deepEqual([first.isDestroyed(), second.isDestroyed()], [true, false]);
});

test('whoever keeps most in memory is cut off first, and not who came first', (context) => {
  const { unsent, cut, tick } = watched(context, { maxUnsentBytes: 1_000, minReadRateBytesPerSecond: 1_000 });
  const answers = ['192.0.2.2', '192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.3'].map((address) => {
    const added = answer(address);
    unsent.add(added.response, added.socket, 300, [new Uint8Array(300)]);
    return added;
  });
  tick(300);
  assert.deepEqual(
    answers.map(({ isDestroyed }) => isDestroyed()),
    [false, true, true, false, false],
  );
  assert.equal(cut(), 2);
});

test('strings count for each answer that waits', (context) => {
  const { unsent, cut, tick } = watched(context, { maxUnsentBytes: 1_000, minReadRateBytesPerSecond: 1_000 });
  const text = 'x'.repeat(600);
  for (let i = 0; i < 3; i++) {
    const { response, socket } = answer();
    unsent.add(response, socket, text.length, [text]);
  }
  assert.equal(unsent.bytes(), 1_800);
  tick(300);
  assert.deepEqual([cut(), unsent.bytes()], [2, 600]);
});

function watched(
  context: TestContext,
  limits: { maxUnsentBytes: number; minReadRateBytesPerSecond: number },
  isCached: (buffer: ArrayBufferLike) => boolean = () => false,
) {
  context.mock.timers.enable({ apis: ['setInterval'] });
  let times = 0;
  let nowMs = 0;
  const unsent = trackUnsentResponses({
    ...limits,
    isCached,
    onAbort: () => times++,
    stopwatch: () => nowMs,
  });
  const tick = (ms: number) => {
    for (const endMs = nowMs + ms; nowMs < endMs; nowMs += 250) context.mock.timers.tick(250);
  };
  return { unsent, cut: () => times, tick };
}

function answer(remoteAddress = '192.0.2.1') {
  let destroyed = false;
  const socket = {
    remoteAddress,
    destroy() {
      destroyed = true;
    },
  };
  return {
    response: new EventEmitter() as ServerResponse,
    socket: socket as Socket,
    isDestroyed: () => destroyed,
  };
}
