/** What clients notice of workers that die, and what the processes leave behind, in short. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { shiftfeed } from '../support/cli-in-process.ts';
import { ask, assertServes, HEALTH, signal, startCrew } from '../support/crew.ts';
import { newDatabaseUrl } from '../support/database.ts';
import { isListening } from '../support/listening.ts';
import { refused } from '../support/outcome.ts';
import { childrenOf, isAlive } from '../support/processes.ts';
import { endOf } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

test('workers that are killed are replaced on their port, which stays theirs: others are served, and requests on their way when the server stops, too', async (t) => {
  const { server, workers } = await startCrew(t);
  const open = Array.from({ length: 4 }, () => ask(t, server, HEALTH));
  await Promise.all(open.map((socket) => once(socket, 'data')));
  const ends = open.map(endOf);
  signal(workers, 'SIGKILL');
  await Promise.all([...ends, assertServes(t, server)]);
  await until('others have taken their place', () => childrenOf(server.child.pid).length === 2);
  const { port } = new URL(server.url);
  assert.deepEqual(
    await shiftfeed(['serve', '--port', port], { databaseUrl: await newDatabaseUrl(t) }),
    refused(`Port ${port} on 127.0.0.1 is in use already: choose another one with --port.`),
  );
  const logged = server
    .complaints()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).msg);
  assert.deepEqual(
    logged.sort(),
    workers.map((pid) => `Worker ${pid} ended (SIGKILL); starting another one.`).sort(),
  );

  const exit = once(server.child, 'exit');
  const waiting = ask(t, server, HEALTH + HEALTH.slice(0, 20));
  await once(waiting, 'data');
  server.child.kill('SIGTERM');
  await until('nobody listens any more', async () => !(await isListening(server.url)));
  waiting.write(HEALTH.slice(20));
  assert.match(await text(waiting), /^HTTP\/1\.1 200 /);
  assert.deepEqual(await exit, [0, null]);
});

test('when the primary is killed, its workers end by themselves', async (t) => {
  const { server, workers } = await startCrew(t);
  server.child.kill('SIGKILL');
  await until('no worker is left', () => !workers.some(isAlive));
});
