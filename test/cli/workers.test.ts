import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { shiftfeed, startServer } from '../support/cli.ts';
import { shiftfeed as shiftfeedInProcess } from '../support/cli-in-process.ts';
import { newDatabaseUrl } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { listenTo } from '../support/event-stream.ts';
import { filledDatabase } from '../support/filled-database.ts';
import { listen } from '../support/listening.ts';
import { refused } from '../support/outcome.ts';
import { isLong, often } from '../support/strength.ts';

test('streams of all workers, and of another process on the same database, tell of a change', async (t) => {
  const { databaseUrl, token, write } = await filledDatabase(t, acme([shift('2026-12-01')]), 'postgres');
  const servers = await Promise.all(
    [['--workers', '2'], []].map((args) => startServer(t, args, { databaseUrl })),
  );
  // Many, so that each worker has some.
  const streams = await Promise.all(
    servers.flatMap(({ url }) =>
      Array.from({ length: 8 }, () => listenTo(`${url}/acme/api/v1/shifts`, token)),
    ),
  );
  const firsts = new Set(await Promise.all(streams.map(({ event }) => event(1))));
  assert.equal(firsts.size, 1);
  await write(acme([shift('2026-12-02')]));
  const seconds = new Set(await Promise.all(streams.map(({ event }) => event(2))));
  assert.equal(seconds.size, 1);
  for (const { leave } of streams) leave();
});

test('a taken port is one sentence, however many workers there are', async (t) => {
  const port = await listen(t, createServer());
  const databaseUrl = await newDatabaseUrl(t);
  assert.deepEqual(
    await shiftfeed(['serve', '--port', String(port), '--workers', often('2', '3')], { databaseUrl }),
    refused(`Port ${port} on 127.0.0.1 is in use already: choose another one with --port.`),
  );
});

test('--workers takes a number or auto', async (t) => {
  const databaseUrl = await newDatabaseUrl(t);
  for (const wrong of ['0', 'many', '257', '1.5']) {
    const { code } = await shiftfeedInProcess(['serve', '--workers', wrong], { databaseUrl });
    assert.equal(code, 2, wrong);
  }
  if (!isLong) return;
  const server = await startServer(t, ['--workers', 'auto'], { databaseUrl });
  assert.equal((await fetch(`${server.url}/acme/api/v1/shifts`)).status, 401);
});

test('a server whose reader closes the pipe after the first line serves on', async (t) => {
  const server = await startServer(t, ['--demo'], { databaseUrl: await newDatabaseUrl(t) });
  server.child.stdout?.destroy();
  for (let i = 0; i < 3; i++) assert.equal((await fetch(`${server.url}/acme/api/v1/shifts`)).status, 401);
  assert.equal(server.child.exitCode, null);
});
