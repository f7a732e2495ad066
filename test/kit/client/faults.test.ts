/** What a caller gets when the server is away, slow, busy or wrong. */

import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import {
  ShiftfeedAccessError,
  ShiftfeedAnswerError,
  ShiftfeedClient,
  type ShiftfeedClientOptions,
  ShiftfeedError,
  ShiftfeedUnavailableError,
} from '@shiftfeed/client';
import { readRetryAfter, retryWaitMs, wait } from '../../../kit/client/src/ask.ts';
import { freePort } from '../../support/listening.ts';
import { until } from '../../support/until.ts';
import { inTurn, send, sendError, sendListing, someShift, startOtherServer } from './other-server.ts';

const server = await startOtherServer({ after });
const good = sendListing([someShift(1)]);

beforeEach(() => {
  server.requests.length = 0;
  server.answer = good;
});

function clientOf(options: Partial<ShiftfeedClientOptions> = {}): ShiftfeedClient {
  return new ShiftfeedClient({ url: server.url, token: 'secret-token', backoffMs: 1, ...options });
}

const cut: typeof good = (_, response) => {
  response.writeHead(200, { 'content-length': '1000' }).write('{"shifts":[');
  response.destroy();
};
const gone: typeof good = (request) => request.socket.destroy();

for (const [what, fault] of [
  ['429', sendError(429, 'Too many requests.')],
  ['429 with Retry-After', sendError(429, 'Too many requests.', { 'retry-after': '0' })],
  ['502', send(502, '<html>Bad Gateway</html>')],
  ['503', sendError(503, 'The database cannot be read at the moment.')],
  ['504', send(504, '')],
  ['a connection that closes', gone],
  ['an answer that breaks off', cut],
] as const) {
  test(`${what} is asked again, and not for ever`, async () => {
    server.answer = inTurn(fault, fault, good);
    assert.equal((await clientOf().list()).meta.total, 1);
    assert.equal(server.requests.length, 3);
    server.requests.length = 0;
    server.answer = fault;
    await assert.rejects(clientOf({ retries: 1 }).list(), ShiftfeedUnavailableError);
    assert.equal(server.requests.length, 2);
  });
}

for (const [status, kind] of [
  [400, ShiftfeedError],
  [401, ShiftfeedAccessError],
  [403, ShiftfeedAccessError],
  [404, ShiftfeedAccessError],
  [418, ShiftfeedError],
  [500, ShiftfeedUnavailableError],
] as const) {
  test(`${status} is told at once, with the sentence of the server or without one`, async () => {
    server.answer = sendError(status, 'What the server says.');
    await assert.rejects(clientOf().list(), (error) => {
      assert.ok(error instanceof kind);
      assert.deepEqual([error.status, error.message], [status, 'What the server says.']);
      assert.equal(error.name, kind.name);
      return true;
    });
    for (const body of ['', '<html>', '{"error":7}', '[]', '{"error":""}', 'x'.repeat(100_000)]) {
      server.answer = send(status, body);
      const message = `The server answered ${status}, without a sentence.`;
      await assert.rejects(clientOf().list(), { name: kind.name, status, message });
    }
    assert.equal(server.requests.length, 7);
  });
}

test('a server that is not there is told, with the reason', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  await assert.rejects(clientOf({ url, retries: 0 }).list(), {
    name: 'ShiftfeedUnavailableError',
    status: undefined,
    message: 'The server could not be reached (ECONNREFUSED).',
  });
});

test('an answer that does not come, or not whole, ends at the deadline', async () => {
  const head: typeof good = (_, response) => void response.writeHead(200).write('{"shifts":[');
  for (const answer of [() => undefined, head]) {
    server.answer = answer;
    let attempts = 0;
    const counting: typeof fetch = (...request) => {
      attempts++;
      return fetch(...request);
    };
    await assert.rejects(clientOf({ timeoutMs: 20, retries: 1, fetch: counting }).list(), {
      name: 'ShiftfeedUnavailableError',
      message: 'There was no answer within 20 ms.',
    });
    assert.equal(attempts, 2);
  }
});

test('a deadline holds for a fetch that does not listen to its signal', async () => {
  const fetch = () => new Promise<Response>(() => undefined);
  await assert.rejects(clientOf({ timeoutMs: 5, retries: 0, fetch }).list(), ShiftfeedUnavailableError);
});

test('a signal ends a request with its own reason, and the connection is closed', async () => {
  const closed = Promise.withResolvers<void>();
  server.answer = (request) => request.socket.once('close', () => closed.resolve());
  const controller = new AbortController();
  const listed = clientOf().list({}, { signal: controller.signal });
  await until('the request is there', () => server.requests.length === 1);
  const reason = new Error('The visitor left.');
  controller.abort(reason);
  await assert.rejects(listed, reason);
  await closed.promise;
  await assert.rejects(clientOf().list({}, { signal: controller.signal }), reason);
  assert.equal(server.requests.length, 1);
});

test('a signal ends the wait before the next attempt', async () => {
  const controller = new AbortController();
  const waited = wait(1_000_000, controller.signal);
  controller.abort();
  await assert.rejects(waited, { name: 'AbortError' });
  await assert.rejects(wait(0, controller.signal), { name: 'AbortError' });
});

test('a wait that is longer than allowed is left to the caller', async () => {
  server.answer = sendError(429, 'Too many requests.', { 'retry-after': '31' });
  await assert.rejects(clientOf().list(), { status: 429, retryAfterSeconds: 31 });
  assert.equal(server.requests.length, 1);
});

test('Retry-After is read as seconds or as a date, by the clock of the server', () => {
  const now = Date.parse('2026-11-15T12:00:00Z');
  const read = (retryAfter: string, date?: string) =>
    readRetryAfter(new Headers({ 'retry-after': retryAfter, ...(date && { date }) }), now);
  assert.equal(read('7'), 7);
  assert.equal(read('0'), 0);
  assert.equal(read('Sun, 15 Nov 2026 12:00:30 GMT'), 30);
  assert.equal(read('Sun, 15 Nov 2026 12:00:30 GMT', 'Sun, 15 Nov 2026 12:00:20 GMT'), 10);
  assert.equal(read('Sun, 15 Nov 2026 11:00:00 GMT'), 0);
  for (const nonsense of ['', '-1', '1.5', 'soon', '2026-11-15', 'Sun, 99 Nov 2026 11:00:00 GMT']) {
    assert.equal(read(nonsense), undefined, nonsense);
  }
});

test('waits grow up to a limit, are spread, and are never shorter than the server asks', () => {
  const longest = [0, 1, 2, 3, 30].map((attempt) => retryWaitMs(attempt, undefined, 250, 1));
  assert.deepEqual(longest, [250, 500, 1_000, 2_000, 10_000]);
  assert.equal(retryWaitMs(3, undefined, 250, 0.5), 1_000);
  assert.equal(retryWaitMs(3, 2, 250, 0), 2_000);
  assert.equal(retryWaitMs(0, 2, 250, 1), 2_250);
});

for (const [what, body, flaw] of [
  ['is not JSON', '<html>', 'it is not JSON'],
  ['is empty', '', 'it is not JSON'],
  ['is null', 'null', 'it is not an object'],
  ['is a list', '[]', 'it is not an object'],
  ['has no shifts', '{"meta":{}}', 'shifts is not a list'],
  ['has no meta', '{"shifts":[]}', 'meta is not an object'],
  ['has a shift with a wrong date', listing({ date: '2026-02-30' }), 'shifts[0].date is not a date'],
  ['has a shift with a wrong time', listing({ end_time: '24:00' }), 'shifts[0].end_time is not a time'],
  ['has a shift without a group', listing({ group: null }), 'shifts[0].group is not an object'],
  ['has a shift without a flag', listing({ noshow: undefined }), 'shifts[0].noshow is not true or false'],
  ['has an id that is a text', listing({ id: '1' }), 'shifts[0].id is not a whole number'],
] as const) {
  test(`an answer that ${what} is refused, by place and without its content`, async () => {
    server.answer = send(200, body);
    await assert.rejects(clientOf().list(), {
      name: 'ShiftfeedAnswerError',
      status: 200,
      message: `The answer cannot be used: ${flaw}.`,
    });
    assert.equal(server.requests.length, 1);
  });
}

test('bytes that are no text are refused', async () => {
  for (const bytes of [
    [0x22, 0xff, 0x22],
    [0x22, 0xc3],
  ]) {
    server.answer = (_, response) => void response.end(Buffer.from(bytes));
    await assert.rejects(clientOf().list(), { message: 'The answer cannot be used: it is not UTF-8.' });
  }
});

test('an answer that is too large is not read on', async () => {
  const closed = Promise.withResolvers<void>();
  server.answer = (_, response) => {
    response.once('close', () => closed.resolve());
    const more = () => {
      while (response.write('x'.repeat(65_536)));
      response.once('drain', more);
    };
    more();
  };
  await assert.rejects(clientOf({ maxResponseBytes: 1_000_000 }).list(), {
    name: 'ShiftfeedAnswerError',
    message: 'The answer cannot be used: it is larger than 1000000 bytes.',
  });
  await closed.promise;
});

test('an unexpected success is refused', async () => {
  for (const status of [204, 206, 304]) {
    server.answer = send(status, '');
    await assert.rejects(clientOf().list(), ShiftfeedAnswerError);
  }
});

function listing(fields: Parameters<typeof someShift>[1]): string {
  const meta = { total: 1, page: 1, per_page: 500, total_pages: 1 };
  return JSON.stringify({ shifts: [someShift(1, fields)], meta });
}
