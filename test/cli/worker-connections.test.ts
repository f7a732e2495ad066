/** A connection of a worker is like one of a server without workers. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { startServer } from '../support/cli.ts';
import { newDatabaseUrl } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { filledDatabase } from '../support/filled-database.ts';
import { isLong } from '../support/strength.ts';
import { until } from '../support/until.ts';

const WRONG = { authorization: 'Bearer wrong', connection: 'close' };

const PROXY = '127.0.0.3';
const { databaseUrl, token } = await filledDatabase({ after }, acme([shift('2026-12-01')]));
const SHARED_ARGS = [
  '--host',
  'localhost',
  '--failed-token-limit',
  '1/h',
  '--trust-proxy',
  PROXY,
  '--header-timeout',
  '2',
];
const shared = await startServer({ after }, ['--workers', '2', ...SHARED_ARGS], { databaseUrl });
const sharedPort = Number(new URL(shared.url).port);
const LISTING = `http://127.0.0.1:${sharedPort}/acme/api/v1/shifts`;

describe('a connection of a worker', () => {
  test('answers requests that are sent ahead, in their order, and stays open for more', async (t) => {
    const socket = connect(sharedPort, '127.0.0.1').setEncoding('utf8');
    t.after(() => {
      socket.destroy();
    });
    const request = (path: string, more = '') =>
      `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n${more}\r\n`;
    const listing = '/acme/api/v1/shifts?day=2026-12-01';
    socket.write(request('/healthz') + request(listing) + request('/nowhere'));
    let answers = '';
    const statuses = () => [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    socket.on('data', (text: string) => {
      answers += text;
    });
    await until('three are answered', () => statuses().length === 3);
    const end = once(socket, 'end');
    socket.write(request(listing, 'Connection: close\r\n'));
    await end;
    assert.deepEqual(statuses(), ['200', '200', '404', '200']);
  });

  test('has limited time for the head of a request', async () => {
    const socket = connect(sharedPort, '127.0.0.1');
    socket.write('GET /healthz HTTP/1.1\r\n');
    assert.match(await text(socket), /^HTTP\/1\.1 408 /);
  });

  test('has the address of its client, by which wrong tokens are counted', async () => {
    assertLimited(await statusesOf(LISTING, () => ({ localAddress: '127.0.0.1' })));
    assert.equal(await statusOf(LISTING, { localAddress: '127.0.0.2' }), 401);
  });

  test('has the address that a proxy tells, if the proxy is trusted', async () => {
    const by = (localAddress: string, client: string) => ({
      localAddress,
      headers: { 'x-forwarded-for': client },
    });
    assertLimited(await statusesOf(LISTING, () => by(PROXY, '10.0.0.1')));
    assert.equal(await statusOf(LISTING, by(PROXY, '10.0.0.2')), 401);
    assertLimited(await statusesOf(LISTING, (i) => by('127.0.0.4', `10.0.1.${i}`)));
  });

  // Some containers have no IPv6.
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  const skip = !addresses.some(({ address }) => address === '::1') && 'this machine has no IPv6.';
  if (isLong)
    test('may come by IPv6', { skip }, async (t) => {
      const databaseUrl = await newDatabaseUrl(t);
      const args = ['--workers', '2', '--host', '::1', '--failed-token-limit', '1/h'];
      const server = await startServer(t, args, { databaseUrl });
      assert.match(server.url, /^http:\/\/\[::1\]:\d+$/);
      assertLimited(await statusesOf(`${server.url}/acme/api/v1/shifts`, () => ({})));
    });

  test('may come by either address of localhost', async () => {
    assert.equal(await statusOf(`http://127.0.0.1:${sharedPort}/healthz`, {}), 200);
    assert.equal(await statusOf(`http://localhost:${sharedPort}/healthz`, {}), 200);
  });
});

interface From {
  readonly localAddress?: string;
  readonly headers?: Record<string, string>;
}

/** Each of the two workers allows one wrong token. Which worker a connection gets is up to the system. */
function assertLimited(statuses: readonly (number | undefined)[]): void {
  const refused = statuses.filter((status) => status === 429).length;
  assert.equal(statuses[0], 401);
  assert.ok(refused >= statuses.length - 2, String(statuses));
  assert.ok(statuses.every((status) => status === 401 || status === 429));
}

async function statusesOf(url: string, from: (i: number) => From) {
  const statuses = [];
  for (let i = 0; i < 6; i++) statuses.push(await statusOf(url, from(i)));
  return statuses;
}

/** On a connection of its own. */
async function statusOf(url: string, { localAddress, headers }: From): Promise<number | undefined> {
  const request = get(url, {
    agent: false,
    headers: { ...WRONG, ...headers },
    ...(localAddress && { localAddress }),
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await text(response);
  return response.statusCode;
}
