import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { exitOf, shiftfeed, start, startServer, whenReady } from '../support/cli.ts';
import { shiftfeed as shiftfeedInProcess } from '../support/cli-in-process.ts';
import { DATABASES, newDatabaseUrl } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { listenTo } from '../support/event-stream.ts';
import { filledDatabase } from '../support/filled-database.ts';
import { listen } from '../support/listening.ts';
import { refused } from '../support/outcome.ts';
import { childrenOf } from '../support/processes.ts';
import { isLong, often } from '../support/strength.ts';
import { until } from '../support/until.ts';

if (isLong)
  for (const database of DATABASES)
    test(`serve --workers, on ${database}, serves from several processes on one port, and replaces one that dies`, async (t) => {
      const { databaseUrl, token } = await filledDatabase(t, acme([shift('2026-12-01')]), database);
      const server = await startServer(t, ['--workers', '2'], { databaseUrl });
      const workers = childrenOf(server.child.pid);
      assert.equal(workers.length, 2);
      const status = () => statusOf(`${server.url}/acme/api/v1/shifts`, token);
      /** A busy machine may take longer for a question than a server waits. Then it says so, and is asked again. */
      const isServed = async () => {
        const answered = await status();
        assert.ok(answered === 200 || answered === 503, String(answered));
        return answered === 200;
      };
      await until('shifts are listed', isServed);

      process.kill(workers[0] as number, 'SIGKILL');
      await until('there is another worker', async () => {
        await status();
        return childrenOf(server.child.pid).some((pid) => !workers.includes(pid));
      });
      for (let i = 0; i < 20; i++) await until('shifts are listed', isServed);

      assert.deepEqual(await exitOf(server.child), [0, null]);
    });

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

if (isLong)
  test('an address of another machine is one sentence, too', async (t) => {
    const args = ['serve', '--host', '192.0.2.1', '--port', '0', '--workers', '2'];
    assert.deepEqual(
      await shiftfeed(args, { databaseUrl: await newDatabaseUrl(t) }),
      refused('The address 192.0.2.1 is not one of this machine: choose another one with --host.'),
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

if (isLong)
  test('--demo with workers prints one URL and one request', async (t) => {
    const server = await startServer(t, ['--workers', '2', '--demo'], {
      databaseUrl: await newDatabaseUrl(t),
    });
    const token = /Bearer (\S+)'/.exec(await server.nextLine())?.[1];
    assert.equal(await statusOf(`${server.url}/demo/api/v1/shifts`, token ?? ''), 200);
  });

if (isLong)
  test('--read-database is where shifts are read, and --database where the schema is kept', async (t) => {
    const { databaseUrl: readUrl, token } = await filledDatabase(t, acme([shift('2026-12-01')]), 'postgres');
    const databaseUrl = await newDatabaseUrl(t, 'postgres');
    const args = ['serve', '--port', '0', '--read-database', readUrl];
    const server = await whenReady(t, start(args, { databaseUrl }));
    assert.equal(await statusOf(`${server.url}/acme/api/v1/shifts`, token), 200);
    const { code, stdout } = await shiftfeedInProcess(['account', 'list', '--json'], { databaseUrl });
    assert.deepEqual([code, stdout], [0, '[]\n']);
  });

test('a server whose reader closes the pipe after the first line serves on', async (t) => {
  const server = await startServer(t, ['--demo'], { databaseUrl: await newDatabaseUrl(t) });
  server.child.stdout?.destroy();
  for (let i = 0; i < 3; i++) assert.equal((await fetch(`${server.url}/acme/api/v1/shifts`)).status, 401);
  assert.equal(server.child.exitCode, null);
});

/** 0 when the connection broke, as it does when its process is killed. */
async function statusOf(url: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, connection: 'close' };
  const response = await fetch(url, { headers }).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.status ?? 0;
}
