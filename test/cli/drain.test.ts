/** How a server ends on SIGTERM: first it sends clients elsewhere, and balancers notice; then it stops. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { Agent, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { type Child, type Server, start } from '../support/cli.ts';
import { startHere, startServer } from '../support/cli-in-process.ts';
import { newDatabaseUrl, newFolder } from '../support/database.ts';
import { acme } from '../support/document.ts';
import { filledDatabase } from '../support/filled-database.ts';
import { freePort } from '../support/listening.ts';
import { rawClient } from '../support/raw-client.ts';
import { isLong, often } from '../support/strength.ts';
import { LIMIT_MS, until } from '../support/until.ts';

/** As good as for ever, so that nothing depends on how fast this machine is. */
const LONG = String(LIMIT_MS / 1000);
const STOPPING = { error: 'The server is about to stop: send requests to another one.' };

const DRAINING: readonly [
  name: string,
  begin: (t: TestContext, seconds: string) => Promise<Server<Child>>,
][] = [
  ['serve --workers 2', (t, seconds) => serve(t, seconds, '--workers', '2')],
  ['gateway', gateway],
  ['serve', serve],
];

describe('on SIGTERM', { concurrency: true }, () => {
  for (const [name, begin] of DRAINING.slice(0, often(2, 3))) {
    test(`${name} goes on answering, but not to /readyz, and says that connections end; a second one ends it`, async (t) => {
      const server = await begin(t, LONG);
      // Many, so that each worker has one.
      const idle = await Promise.all(Array.from({ length: 8 }, () => keepAlive(t, server.url)));
      // Copies, as the launcher and npm pass it on, do not shorten the time.
      for (let i = 0; i < 3; i++) server.child.kill('SIGTERM');
      await until('it drains everywhere', async () => {
        const checks = await Promise.all(Array.from({ length: 16 }, () => ask(server.url, '/readyz')));
        return checks.every(({ status }) => status === 503);
      });

      const check = await ask(server.url, '/readyz');
      assert.deepEqual([check.status, JSON.parse(check.body)], [503, STOPPING]);
      assert.equal(check.headers['retry-after'], '2');
      const alive = await ask(server.url, '/healthz');
      assert.deepEqual([alive.status, alive.headers.connection], [200, 'close']);
      // An idle connection was not closed: who sends a request on it right now gets an answer.
      for (const agent of idle) {
        const { status, headers, isReused } = await ask(server.url, '/healthz', agent);
        assert.deepEqual([status, headers.connection, isReused], [200, 'close', true]);
      }

      assert.deepEqual(await ended(server), [0, null]);
    });
  }

  test('a service whose first worker serves drains, although others have not started yet', async (t) => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const args = [
      'serve',
      '--workers',
      often('3', '6'),
      '--port',
      new URL(url).port,
      '--drain-seconds',
      LONG,
    ];
    const child = start(args, { databaseUrl: await newDatabaseUrl(t) });
    t.after(() => child.kill('SIGKILL'));
    const exit = once(child, 'exit');
    // A worker that has only just begun to listen may still end at once, with the connections that it was given.
    const ready = () => ask(url, '/readyz').catch(() => undefined);
    await until('the first worker serves', async () => (await ready())?.status === 200);
    child.kill('SIGTERM');
    await until('it drains', async () => {
      assert.equal(child.exitCode, null);
      return (await ready())?.status === 503;
    });
    child.kill('SIGINT');
    assert.deepEqual(await exit, [0, null]);
  });

  test('with --drain-seconds, it ends by itself after that time, although a connection stays idle', async (t) => {
    const { server, stream } = await serveStreams(t, '1');
    const streams = await Promise.all(Array.from({ length: 3 }, stream));
    const exit = once(server.child, 'exit');
    const idle = await rawClient(server.url, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(idle.socket, 'data');
    server.child.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
    assert.match(await idle.answer, /^HTTP\/1\.1 200 /);
    for (const { answer } of streams) assert.match(await answer, POLITE);
  });

  test('serve ends its streams politely, and tells new ones the state before their end', async (t) => {
    const { server, stream } = await serveStreams(t, LONG, ...often([], ['--workers', '2']));
    // Many, so that each worker has some.
    const streams = await Promise.all(Array.from({ length: 8 }, stream));
    server.child.kill('SIGTERM');
    await until('it drains everywhere', async () => {
      const checks = await Promise.all(Array.from({ length: 16 }, () => ask(server.url, '/readyz')));
      return checks.every(({ status }) => status === 503);
    });
    for (let i = 0; i < 4; i++) assert.match(await (await stream()).answer, POLITE);
    // Some have ended by now, and the others end with the process.
    assert.deepEqual(await ended(server), [0, null]);
    for (const { answer } of streams) assert.match(await answer, POLITE);
  });
});

/** One event, perhaps comments, and the end of the body. */
const POLITE = /^HTTP\/1\.1 200 .*event: listing(?!.*event: listing).*\r\n0\r\n\r\n$/s;

describe('on SIGINT, as Ctrl-C sends it', { concurrency: true }, () => {
  for (const args of often([['--workers', '2']], [[], ['--workers', '2']])) {
    test(`serve ${args.join(' ')} does not wait`, async (t) => {
      const server = await serve(t, LONG, ...args);
      const exit = once(server.child, 'exit');
      server.child.kill('SIGINT');
      assert.deepEqual(await exit, [0, null]);
    });

    if (!isLong) continue;
    test(`serve ${args.join(' ')} stops waiting`, async (t) => {
      const server = await serve(t, LONG, ...args);
      const exit = once(server.child, 'exit');
      server.child.kill('SIGTERM');
      await until('it drains', async () => (await ask(server.url, '/readyz')).status === 503);
      server.child.kill('SIGINT');
      assert.deepEqual(await exit, [0, null]);
    });
  }
});

async function serve(context: TestContext, seconds: string, ...args: string[]): Promise<Server<Child>> {
  const databaseUrl = await newDatabaseUrl(context);
  const env = { SHIFTFEED_DRAIN_SECONDS: seconds };
  return startServer(context, args, { databaseUrl, env });
}

/** A second signal ends it, unless that seems to be a copy of the first. */
async function ended({ child }: Server<Child>): Promise<unknown[]> {
  const exit = once(child, 'exit');
  let hasEnded = false;
  child.once('exit', () => {
    hasEnded = true;
  });
  await until('it ends', () => {
    child.kill('SIGTERM');
    return hasEnded;
  });
  return exit;
}

async function serveStreams(context: TestContext, seconds: string, ...args: string[]) {
  const { databaseUrl, token } = await filledDatabase(context, acme([]));
  const env = { SHIFTFEED_DRAIN_SECONDS: seconds };
  const server = await startServer(context, args, { databaseUrl, env });
  const asked = `GET /acme/api/v1/shifts HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`;
  return {
    server,
    /** Begins one. */
    async stream() {
      const client = await rawClient(server.url, asked);
      await until('it has begun', () => client.socket.bytesRead > 0);
      return client;
    },
  };
}

/** The service that it reads is away, which is none of its business here. */
async function gateway(context: TestContext, seconds: string): Promise<Server<Child>> {
  const file = join(await newFolder(context), 'website.json');
  const config = { upstream: 'http://127.0.0.1:1/acme', feeds: { kitchen: { group_ids: 'all' } } };
  await writeFile(file, JSON.stringify(config));
  const env = { SHIFTFEED_TOKEN: 'shiftfeed_x' };
  const args = ['gateway', file, '--port', '0', '--drain-seconds', seconds];
  const server = await startHere(context, args, { env });
  assert.equal((await ask(server.url, '/readyz')).status, 200);
  return server;
}

/** An agent whose one connection waits for a request. */
async function keepAlive(context: TestContext, url: string): Promise<Agent> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  context.after(() => agent.destroy());
  assert.equal((await ask(url, '/healthz', agent)).status, 200);
  return agent;
}

async function ask(url: string, path: string, agent?: Agent) {
  const request = get(url + path, { agent: agent ?? false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const { statusCode: status, headers } = response;
  return { status, headers, body: await text(response), isReused: request.reusedSocket };
}
