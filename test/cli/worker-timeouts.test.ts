/**
 * What the primary does when workers take too long. The tests are the primary here, so that they can choose shorter
 * timeouts than those of the command line.
 */

import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { startWorkers, type WorkersOptions } from '../../src/server/workers.ts';
import { ask, HEALTH, LAST_HEALTH, signal } from '../support/crew.ts';
import { acme } from '../support/document.ts';
import { filledDatabase } from '../support/filled-database.ts';
import { isAlive } from '../support/processes.ts';
import { ANY_PORT } from '../support/server-options.ts';
import { isLong } from '../support/strength.ts';
import { until } from '../support/until.ts';

const WORKER = fileURLToPath(new URL('../support/impatient-worker.ts', import.meta.url));

test('connections of a worker that is suspended wait until it goes on', async (t) => {
  const { server, workers } = await start(t, {});
  const [suspended = 0] = workers;
  process.kill(suspended, 'SIGSTOP');
  let answered = 0;
  const answers = Array.from({ length: 20 }, async () => {
    assert.match(await text(ask(t, server, LAST_HEALTH)), /^HTTP\/1\.1 200 /);
    answered++;
  });
  await until('the other worker has served its share', () => answered > 0);
  process.kill(suspended, 'SIGCONT');
  await Promise.all(answers);
});

test('a server that is told to stop kills a worker that does not end, because it is suspended, and logs that', async (t) => {
  const { workers, stop, log } = await start(t, { stopTimeoutMs: 100 });
  const [suspended = 0] = workers;
  process.kill(suspended, 'SIGSTOP');
  await stop();
  assert.deepEqual(workers.filter(isAlive), []);
  assert.match(log(), new RegExp(`Worker ${suspended} did not end in time, so it is killed\\.`));
});

if (isLong)
  test('a server that is told to stop ends in spite of a request that never comes to its end, and kills nobody', async (t) => {
    const { server, workers, stop, log } = await start(t, { stopTimeoutMs: 60_000 });
    await once(ask(t, server, HEALTH + HEALTH.slice(0, 20)), 'data');
    await stop();
    assert.deepEqual(workers.filter(isAlive), []);
    assert.equal(log(), '');
  });

async function start(context: TestContext, timeouts: Pick<WorkersOptions, 'stopTimeoutMs'>) {
  const { databaseUrl } = await filledDatabase(context, acme([]));
  cluster.setupPrimary({ exec: WORKER, args: [databaseUrl], execArgv: [], silent: true });
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  const server = await startWorkers({ count: 2, address: ANY_PORT, logger, ...timeouts });
  // Other test files that ran in this process may have left children, too.
  const workers = Object.values(cluster.workers ?? {}).map((worker) => worker?.process.pid ?? 0);
  context.after(async () => {
    signal(workers.filter(isAlive), 'SIGCONT');
    await server.stop();
  });
  return { server, stop: server.stop, workers, log: () => lines.join('') };
}
