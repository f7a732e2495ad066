/**
 * What a process does about clients and workers that keep it waiting. This test waits for the timeouts of the command
 * line, ten seconds and more. Those that choose shorter timeouts are in worker-timeouts.test.ts, and for clients in
 * limits.test.ts.
 */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { ask, HEALTH, signal, startCrew } from '../support/crew.ts';
import { isAlive } from '../support/processes.ts';

test('on SIGTERM, the command line ends with 0 in spite of a worker that is suspended and of requests that never come to their end', async (t) => {
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
