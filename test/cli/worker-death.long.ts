/** What clients notice of workers that die or stop, and what the processes leave behind. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { shiftfeed } from '../support/cli.ts';
import { ask, assertServes, HEALTH, LAST_HEALTH, signal, startCrew } from '../support/crew.ts';
import { newDatabaseUrl } from '../support/database.ts';
import { childrenOf } from '../support/processes.ts';
import { endOf } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

describe('a server with workers', { concurrency: 3 }, () => {
  describe('when workers are killed', () => {
    test('of which one was suspended, its connections end, and others are served', async (t) => {
      const { server, workers } = await startCrew(t);
      const [stopped = 0] = workers;
      signal([stopped], 'SIGSTOP');
      const answers = Array.from({ length: 20 }, () => text(ask(t, server, LAST_HEALTH)).catch(() => ''));
      await Promise.any(answers);
      signal([stopped], 'SIGKILL');
      for (const answer of await Promise.all(answers)) assert.match(answer, /^(HTTP\/1\.1 200 |$)/);
      await assertServes(t, server);
    });

    test('their clients see the end of the connection', async (t) => {
      const { server, workers } = await startCrew(t);
      const idle = Array.from({ length: 10 }, () => ask(t, server, HEALTH));
      await Promise.all(idle.map((socket) => once(socket, 'data')));
      // Their workers wait for the rest of the second request.
      const busy = Array.from({ length: 10 }, () => ask(t, server, HEALTH + HEALTH.slice(0, 20)));
      await Promise.all(busy.map((socket) => once(socket, 'data')));

      const ends = [...idle, ...busy].map(endOf);
      signal(workers, 'SIGKILL');
      await Promise.all(ends);
      await until('others have taken their place', () => childrenOf(server.child.pid).length === 2);
      await assertServes(t, server);
    });
  });

  test('a worker that is told to stop leaves new connections to others, serves its own, and is replaced', async (t) => {
    const { server, workers } = await startCrew(t);
    const sockets = Array.from({ length: 20 }, () => ask(t, server, HEALTH + LAST_HEALTH.slice(0, 20)));
    await Promise.all(sockets.map((socket) => once(socket, 'data')));
    signal(workers.slice(0, 1), 'SIGTERM');
    // A connection that the worker had not accepted when it stopped listening is reset.
    const resets: unknown[] = [];
    for (let i = 0; i < 10; i++) {
      const answer = await text(ask(t, server, LAST_HEALTH)).catch((error) => resets.push(error));
      if (typeof answer === 'string') assert.match(answer, /^HTTP\/1\.1 200 /);
    }
    assert.ok(resets.length <= 1, String(resets));
    for (const socket of sockets) socket.write(LAST_HEALTH.slice(20));
    for (const answer of await Promise.all(sockets.map(text))) assert.match(answer, /^HTTP\/1\.1 200 /);
    await until('there is another worker', () =>
      childrenOf(server.child.pid).some((pid) => !workers.includes(pid)),
    );
  });

  test('a worker that cannot start is one sentence', async (t) => {
    const databaseUrl = await newDatabaseUrl(t);
    const args = ['serve', '--port', '0', '--workers', '3', '--read-database', 'sqlite:/nowhere/none.db'];
    const { code, stdout, stderr } = await shiftfeed(args, { databaseUrl });
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.match(stderr, /^shiftfeed: [^\n]*\/nowhere\/none\.db[^\n]*\n$/);
  });
});
