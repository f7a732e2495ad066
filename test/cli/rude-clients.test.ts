/** Clients that end their connections at any moment, against a server process: it lives, and nothing is left behind. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { startServer } from '../support/cli.ts';
import { acme, shift } from '../support/document.ts';
import { filledDatabase } from '../support/filled-database.ts';
import { endOf, rawClient, silentClient, statusesIn } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

const { databaseUrl, token } = await filledDatabase(
  { after },
  acme(Array.from({ length: 500 }, () => shift('2026-12-01', { remarks: 'x'.repeat(1000) }))),
);
const server = await startServer({ after }, [], { databaseUrl });
const LISTING = '/acme/api/v1/shifts?day=2026-12-01';

/** Open files and connections of the server. */
function descriptors(): number {
  return readdirSync(`/proc/${server.child.pid}/fd`).length;
}

const REQUESTS: Readonly<Record<string, string>> = {
  'a listing': `GET ${LISTING} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  'a large listing': `GET ${LISTING}&per_page=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  'the last listing': `GET ${LISTING} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  'a wish to tunnel': 'CONNECT a:1 HTTP/1.1\r\n\r\n',
  'a wish to tunnel, with 100 kB sent ahead': `CONNECT a:1 HTTP/1.1\r\n\r\n${'x'.repeat(100_000)}`,
  'a wish to tunnel, with a body': 'CONNECT a:1 HTTP/1.1\r\nContent-Length: 1000\r\n\r\nhalf',
  'a wish to upgrade': `GET ${LISTING} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  'what is not HTTP': `${'nonsense '.repeat(1000)}\r\n\r\n`,
  'the beginning of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'headers without an end': `GET ${LISTING} HTTP/1.1\r\nX: ${'x'.repeat(100_000)}`,
  'an expectation': `GET ${LISTING} HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n`,
  'a body that never comes': `POST ${LISTING} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nhalf`,
  'a body in broken chunks': `POST ${LISTING} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
  'a listing followed by nonsense': `GET ${LISTING} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\nnonsense\r\n\r\n`,
};

describe('A client that resets its connection', () => {
  for (const [what, bytes] of Object.entries(REQUESTS)) {
    test(`at once, half-way or late in ${what} leaves nothing behind`, async () => {
      const before = descriptors();
      for (const isSent of [0, 0.5, 1]) {
        for (let i = 0; i < 5; i++) {
          const { socket } = await rawClient(server.url, bytes.slice(0, bytes.length * isSent));
          if (i % 2 === 1) await Promise.race([once(socket, 'readable'), once(socket, 'close'), tick()]);
          socket.resetAndDestroy();
        }
      }
      await until('the server has closed the connections', () => descriptors() <= before);
      assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
    });
  }
});

describe('A client that stays after', () => {
  for (const what of [
    'a wish to tunnel',
    'a wish to tunnel, with 100 kB sent ahead',
    'a wish to tunnel, with a body',
    'what is not HTTP',
    'headers without an end',
    'an expectation',
  ]) {
    test(`${what} is answered, and then its connection is closed`, async () => {
      const before = descriptors();
      const { socket, answer } = await rawClient(server.url, REQUESTS[what]);
      const ended = once(socket, 'end');
      assert.equal(statusesIn(await answer).length, 1);
      await ended;
      await until('the server has closed the connection', () => descriptors() <= before);
      socket.destroy();
    });
  }
});

test('a client that half-closes its connection after its requests gets all answers', async () => {
  const before = descriptors();
  const clients = Array.from({ length: 10 }, async (_, i) => {
    // Pages that nobody has asked for yet have to be compressed, so the goodbye is there before the answer.
    const requests = [1, 2, 3].map(
      (page) =>
        `GET ${LISTING}&per_page=${100 + i}&page=${page} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: br\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    const { socket, answer } = await rawClient(server.url);
    socket.end(requests.join(''));
    assert.deepEqual(statusesIn(await answer), [200, 200, 200]);
  });
  await Promise.all(clients);
  await until('the server has closed the connections', () => descriptors() <= before);
});

test('a client that goes on sending after its last response has been sent is read to its end', async () => {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  let problem: unknown;
  socket.on('error', (error) => {
    problem = error;
  });
  let answer = '';
  socket.setEncoding('latin1').on('data', (text) => {
    answer += text;
  });
  socket.write(`${REQUESTS['a listing']}${REQUESTS['headers without an end']}`);
  await once(socket, 'end');
  assert.deepEqual(statusesIn(answer), [200, 431]);
  for (let i = 0; i < 20; i++) await written(socket, 'x'.repeat(10_000));
  socket.end();
  await endOf(socket);
  assert.equal(problem, undefined);
});

for (const [behind, last, status] of [
  ['a request to close', REQUESTS['the last listing'], 200],
  ['nonsense', 'nonsense\r\n\r\n', 400],
] as const) {
  test(`a client that goes on sending behind ${behind}, and reads late, gets all answers`, async () => {
    const before = descriptors();
    const socket = await silentClient(server.url);
    // More than fits into the buffers of the client, so that some of it is lost if the server resets the connection.
    socket.write(`${REQUESTS['a large listing']?.repeat(5)}${last}`);
    for (let i = 0; i < 30; i++) await written(socket, 'x'.repeat(10_000));
    const answer = text(socket).catch((error: unknown) => `${error}`);
    assert.deepEqual(statusesIn(await answer), [200, 200, 200, 200, 200, status]);
    await until('the server has closed the connection', () => descriptors() <= before);
  });
}

test('a client that never closes its side, and never stops sending, is disconnected', async () => {
  const before = descriptors();
  const { hostname, port } = new URL(server.url);
  const clients = [0, 10_000].map(async (pieceBytes) => {
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    socket.on('error', () => undefined);
    socket.resume();
    socket.write(REQUESTS['the last listing'] ?? '');
    await once(socket, 'end');
    while (pieceBytes > 0 && !socket.destroyed) await written(socket, 'x'.repeat(pieceBytes));
    return socket;
  });
  await until('the server has closed the connections', () => descriptors() <= before);
  for (const socket of await Promise.all(clients)) socket.destroy();
});

async function written(socket: Socket, bytes: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.write(bytes, () => resolve());
  await promise;
  await tick();
}

function tick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
