/** Limits of a server process, and clients that run into them. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { startServer as startServerHere } from '../../src/cli/serve/server.ts';
import { environment, LAUNCHER, type Server, startServer, whenReady } from '../support/cli.ts';
import { shiftfeed } from '../support/cli-in-process.ts';
import { newDatabaseUrl, newFolder } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { filledDatabase } from '../support/filled-database.ts';
import { rawClient, statusesIn } from '../support/raw-client.ts';
import { serverOptions } from '../support/server-options.ts';
import { until } from '../support/until.ts';

const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const LISTING = 'GET /acme/api/v1/shifts HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

/** A line of the log shows it, so that few lines are more than a pipe and the log's own memory hold. */
const LONG_QUERY = `group_ids=${Array.from({ length: 1_000 }, (_, i) => 10_000_000_000 + i).join()}`;

async function openIdle(context: TestContext, url: string, count: number): Promise<() => void> {
  const clients = await Promise.all(Array.from({ length: count }, () => rawClient(url)));
  const closeAll = () => {
    for (const { socket } of clients) socket.destroy();
  };
  context.after(closeAll);
  return closeAll;
}

async function statusOf(url: string, request: string): Promise<number | undefined> {
  return statusesIn(await (await rawClient(url, request)).answer)[0];
}

describe('--max-connections', () => {
  test('past it, connections are only told that the process lives, and the log says so', async (context) => {
    const folder = await newFolder(context);
    const { server, log } = await startWithLog(context, folder, ['--max-connections', '5']);
    const closeAll = await openIdle(context, server.url, 5);
    assert.equal(await statusOf(server.url, LISTING), 503);
    assert.equal(await statusOf(server.url, HEALTH), 200);
    // Whoever holds connections past the limit, too, cannot keep others from asking.
    await openIdle(context, server.url, 40);
    assert.equal(await statusOf(server.url, HEALTH), 200);
    await until('it is logged', () => log().includes('All 5 connections are in use'));
    closeAll();
    await until('others are served again', async () => (await statusOf(server.url, LISTING)) === 401);
  });

  test('is lowered to what the limit of open files allows, which is told, and /healthz answers at that limit', async (context) => {
    const folder = await newFolder(context);
    const { server, log } = await startWithLog(context, folder, [], 'ulimit -n 128');
    await until('it is logged', () => /may open too few files for 10000 .* accepts 64\./.test(log()));
    await openIdle(context, server.url, 100);
    assert.equal(await statusOf(server.url, HEALTH), 200);
    assert.equal(server.child.exitCode, null);
  });
});

test('a head that does not arrive within --header-timeout is answered 408', async (context) => {
  const server = await startServer(context, ['--header-timeout', '1'], {
    databaseUrl: await newDatabaseUrl(context),
  });
  assert.equal(await statusOf(server.url, 'GET / HTTP/1.1\r\nX: '), 408);
});

test('a connection that is idle for longer than --idle-timeout is closed', async (context) => {
  const server = await startServer(context, ['--idle-timeout', '1'], {
    databaseUrl: await newDatabaseUrl(context),
  });
  const { answer } = await rawClient(server.url, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.deepEqual(statusesIn(await answer), [200]);
});

test('limits out of their range are wrong usage', async (context) => {
  const databaseUrl = await newDatabaseUrl(context);
  for (const option of [
    '--max-connections',
    '--max-pipelined',
    '--header-timeout',
    '--idle-timeout',
    '--min-read-rate',
    '--in-flight-mb',
  ]) {
    const { code, stderr } = await shiftfeed(['serve', option, '0'], { databaseUrl });
    assert.equal(code, 2);
    assert.match(stderr, new RegExp(`${option}.*Expected a whole number from 1 to \\d+`));
  }
});

describe('a server that stops', () => {
  test('ends although clients keep their connections, whatever they sent', async (context) => {
    const { databaseUrl } = await filledDatabase(context, acme([]));
    const server = await startServerHere(serverOptions(databaseUrl, { drainTimeoutMs: 50 }));
    for (const bytes of [
      '',
      'GET / HT',
      'CONNECT a:1 HTTP/1.1\r\n\r\n',
      `CONNECT a:1 HTTP/1.1\r\n\r\n${'x'.repeat(100_000)}`,
      'CONNECT a:1 HTTP/1.1\r\nContent-Length: 9\r\n\r\n',
      'nonsense\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n',
    ]) {
      const { socket } = await rawClient(server.url, bytes);
      context.after(() => {
        socket.destroy();
      });
    }
    await server.stop();
    await assert.rejects(rawClient(server.url), { code: 'ECONNREFUSED' });
  });
});

describe('A log', () => {
  test('that nobody reads stops neither answers nor the end of the process, and tells what was lost', async (context) => {
    const { databaseUrl, token } = await filledDatabase(context, acme([shift('2026-12-01')]));
    const child = spawn(process.execPath, [LAUNCHER, 'serve', '--port', '0', '--log-level', 'info'], {
      env: { ...environment(), DATABASE_URL: databaseUrl },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const stderr = child.stderr;
    const server = await whenReady(context, withoutStderr(child));
    const headers = { authorization: `Bearer ${token}` };
    const ask = async () =>
      (await fetch(`${server.url}/acme/api/v1/shifts?${LONG_QUERY}`, { headers })).status;
    for (let i = 0; i < 5; i++) {
      const statuses = await Promise.all(Array.from({ length: 40 }, ask));
      assert.deepEqual(new Set(statuses), new Set([200]));
    }
    const log = text(stderr);
    await until('there is room again', async () => {
      await ask();
      return stderr.readableLength === 0;
    });
    await ask();
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
    assert.match(await log, /"lines":\d+,"msg":"Log lines were lost/);
  });

  test('that is never read at all does not keep the process from ending', async (context) => {
    const databaseUrl = await newDatabaseUrl(context);
    const child = spawn(process.execPath, [LAUNCHER, 'serve', '--port', '0', '--log-level', 'info'], {
      env: { ...environment(), DATABASE_URL: databaseUrl },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const server = await whenReady(context, withoutStderr(child));
    for (let i = 0; i < 5; i++) {
      const url = `${server.url}/acme/api/v1/shifts?${LONG_QUERY}`;
      await Promise.all(Array.from({ length: 40 }, () => fetch(url)));
    }
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
  });

  test('whose disk is full does not change an answer', async (context) => {
    const full = await open('/dev/full', 'w');
    context.after(() => full.close());
    const child = spawn(process.execPath, [LAUNCHER, 'serve', '--port', '0', '--log-level', 'info'], {
      env: { ...environment(), DATABASE_URL: await newDatabaseUrl(context) },
      stdio: ['ignore', 'pipe', full.fd],
    });
    const server = await whenReady(context, child);
    for (let i = 0; i < 20; i++) {
      assert.equal((await fetch(`${server.url}/acme/api/v1/shifts`)).status, 401);
    }
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
  });
});

/** Starts a server whose log is a file, by a shell that first runs another command. */
async function startWithLog(
  context: TestContext,
  folder: string,
  args: readonly string[],
  command = 'true',
): Promise<{ server: Server; log: () => string }> {
  const file = join(folder, 'log');
  const line = `${command}; exec "$0" "$@" 2> "${file}"`;
  const serve = ['serve', '--port', '0', ...args];
  const child = spawn('bash', ['-c', line, process.execPath, LAUNCHER, ...serve], {
    env: { ...environment(), DATABASE_URL: `sqlite:${join(folder, 'test.db')}` },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return { server: await whenReady(context, child), log: () => readFileSync(file, 'utf8') };
}

/** As `whenReady` sees it, so that it does not read the log. */
function withoutStderr(child: ChildProcess): ChildProcess {
  return Object.assign(child, { stderr: null });
}
