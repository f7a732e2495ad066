/** Limits of a server process, and clients that run into them. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { startServer as startServerHere } from '../../src/server/server.ts';
import { environment, exitOf, program, type Server, start, startServer, whenReady } from '../support/cli.ts';
import { shiftfeed, startServer as startHere } from '../support/cli-in-process.ts';
import { newDatabaseUrl, newFolder } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { filledDatabase } from '../support/filled-database.ts';
import { rawClient, STUCK_CLIENTS, statusesIn } from '../support/raw-client.ts';
import { serverOptions } from '../support/server-options.ts';
import { isLong } from '../support/strength.ts';
import { until } from '../support/until.ts';

const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const LISTING = 'GET /acme/api/v1/shifts HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

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
  test('past it, idle connections make room for new ones, and the log says so', async (context) => {
    const databaseUrl = await newDatabaseUrl(context);
    const server = await startHere(context, ['--max-connections', '5'], { databaseUrl });
    await openIdle(context, server.url, 40);
    assert.equal(await statusOf(server.url, LISTING), 401);
    await until('it is logged', () => server.complaints().includes('All 5 connections are in use'));
  });

  if (isLong)
    test('holds for each worker, whose idle connections make room as well', async (context) => {
      const databaseUrl = await newDatabaseUrl(context);
      const server = await startServer(context, ['--workers', '2', '--max-connections', '5'], {
        databaseUrl,
      });
      await openIdle(context, server.url, 40);
      for (let i = 0; i < 4; i++) assert.equal(await statusOf(server.url, LISTING), 401);
    });

  test('is lowered to what the limit of open files allows, which is told, and /healthz answers at that limit', async (context) => {
    const folder = await newFolder(context);
    const { server, log } = await startWithLog(context, folder, 'ulimit -n 128');
    await until('it is logged', () => /may open too few files for 10000 .* accepts 64\./.test(log()));
    await openIdle(context, server.url, 100);
    assert.equal(await statusOf(server.url, HEALTH), 200);
    assert.equal(server.child.exitCode, null);
  });
});

test('a head that does not arrive within --header-timeout is answered 408', async (context) => {
  const server = await startHere(context, ['--header-timeout', '1'], {
    databaseUrl: await newDatabaseUrl(context),
  });
  assert.equal(await statusOf(server.url, 'GET / HTTP/1.1\r\nX: '), 408);
});

test('a connection that is idle for longer than --idle-timeout is closed', async (context) => {
  const server = await startHere(context, ['--idle-timeout', '1'], {
    databaseUrl: await newDatabaseUrl(context),
  });
  const { answer } = await rawClient(server.url, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.deepEqual(statusesIn(await answer), [200]);
});

test('limits out of their range are wrong usage', async (context) => {
  const databaseUrl = await newDatabaseUrl(context);
  for (const option of ['--max-connections', '--header-timeout', '--idle-timeout']) {
    const { code, stderr } = await shiftfeed(['serve', option, '0'], { databaseUrl });
    assert.equal(code, 2);
    assert.match(stderr, new RegExp(`${option}.*Expected a whole number from 1 to \\d+`));
  }
});

describe('a server that stops', () => {
  test('ends although clients keep their connections, whatever they sent', async (context) => {
    const { databaseUrl } = await filledDatabase(context, acme([]));
    const server = await startServerHere(serverOptions(databaseUrl, { drainTimeoutMs: 50 }));
    for (const bytes of STUCK_CLIENTS) {
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
  if (isLong)
    test('that nobody reads stops neither answers nor the end of the process, and tells what was lost', async (context) => {
      const { databaseUrl, token } = await filledDatabase(context, acme([shift('2026-12-01')]));
      const child = start(['serve', '--port', '0', '--log-level', 'info'], { databaseUrl });
      const stderr = child.stderr ?? assert.fail();
      const server = await whenReady(context, withoutStderr(child));
      const request = listingRequests(token, 1);
      // Of these, the log has more lines than a pipe and its own memory hold.
      assert.deepEqual(await askOften(server.url, token, 60), new Set([200]));
      const log = text(stderr);
      await until('there is room again', async () => {
        await statusOf(server.url, request);
        return stderr.readableLength === 0;
      });
      await statusOf(server.url, request);
      assert.deepEqual(await exitOf(child), [0, null]);
      assert.match(await log, /"lines":\d+,"msg":"Log lines were lost/);
    });

  test('that is never read at all does not keep the process from ending', async (context) => {
    const databaseUrl = await newDatabaseUrl(context);
    const child = start(['serve', '--port', '0', '--log-level', 'info'], { databaseUrl });
    const server = await whenReady(context, withoutStderr(child));
    assert.deepEqual(await askOften(server.url, 'none', 20), new Set([401]));
    assert.deepEqual(await exitOf(child), [0, null]);
  });

  test('whose disk is full does not change an answer', async (context) => {
    const full = await open('/dev/full', 'w');
    context.after(() => full.close());
    const child = start(['serve', '--port', '0', '--log-level', 'info'], {
      databaseUrl: await newDatabaseUrl(context),
      stdio: ['ignore', 'pipe', full.fd],
    });
    const server = await whenReady(context, child);
    for (let i = 0; i < 10; i++) {
      assert.equal((await fetch(`${server.url}/acme/api/v1/shifts`)).status, 401);
    }
    assert.deepEqual(await exitOf(child), [0, null]);
  });
});

/**
 * Sends hundreds of requests, and returns the statuses that were seen. The requests are pipelined, which costs much
 * less than sending one after the other.
 */
async function askOften(url: string, token: string, hundreds: number): Promise<Set<number>> {
  const seen = new Set<number>();
  for (let i = 0; i < hundreds; i++) {
    const { answer } = await rawClient(url, listingRequests(token, 100));
    const statuses = statusesIn(await answer);
    assert.equal(statuses.length, 100);
    for (const status of statuses) seen.add(status);
  }
  return seen;
}

/** Requests whose lines in the log are long. The last one ends the connection. */
function listingRequests(token: string, count: number): string {
  const id = 'x'.repeat(128);
  const head = `GET /acme/api/v1/shifts HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\nAuthorization: Bearer ${token}\r\n`;
  return `${`${head}\r\n`.repeat(count - 1)}${head}Connection: close\r\n\r\n`;
}

/** Starts a server whose log is a file, by a shell that first runs another command. */
async function startWithLog(
  context: TestContext,
  folder: string,
  command: string,
): Promise<{ server: Server; log: () => string }> {
  const file = join(folder, 'log');
  const line = `${command}; exec "$0" "$@" 2> "${file}"`;
  const child = spawn('bash', ['-c', line, ...program(), 'serve', '--port', '0'], {
    env: { ...environment(), DATABASE_URL: `sqlite:${join(folder, 'test.db')}` },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return { server: await whenReady(context, child), log: () => readFileSync(file, 'utf8') };
}

/** As `whenReady` sees it, so that it does not read the log. */
function withoutStderr(child: ChildProcess): ChildProcess {
  return Object.assign(child, { stderr: null });
}
