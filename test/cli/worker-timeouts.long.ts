/**
 * What a process does about clients and workers that keep it waiting. These tests wait for the timeouts of the command
 * line, ten seconds and more, side by side. Those that choose shorter timeouts are in worker-timeouts.test.ts, and for
 * clients in limits.test.ts.
 */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { exitOf, startServer } from '../support/cli.ts';
import { ask, HEALTH, signal, startCrew } from '../support/crew.ts';
import { newDatabaseUrl } from '../support/database.ts';
import { isAlive } from '../support/processes.ts';
import { rawClient, STUCK_CLIENTS } from '../support/raw-client.ts';

describe('the command line', { concurrency: true }, () => {
  test('on SIGTERM, ends with 0 although clients keep their connections, whatever they sent', async (t) => {
    const { url, child } = await startServer(t, [], { databaseUrl: await newDatabaseUrl(t) });
    for (const bytes of STUCK_CLIENTS) {
      const { socket } = await rawClient(url, bytes);
      t.after(() => {
        socket.destroy();
      });
    }
    assert.deepEqual(await exitOf(child), [0, null]);
  });

  test('on SIGTERM, ends with 0 in spite of a worker that is suspended and of requests that never come to their end', async (t) => {
    const { server, workers } = await startCrew(t);
    const exit = once(server.child, 'exit');
    // So many that each worker has some.
    const sockets = Array.from({ length: 20 }, () => ask(t, server, HEALTH + HEALTH.slice(0, 20)));
    await Promise.all(sockets.map((socket) => once(socket, 'data')));
    signal(workers.slice(0, 1), 'SIGSTOP');
    server.child.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
    assert.deepEqual(workers.filter(isAlive), []);
  });
});
