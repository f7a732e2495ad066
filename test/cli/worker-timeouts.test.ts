/**
 * What the primary does when workers take too long. The tests are the primary here, so that they can choose shorter
 * timeouts than those of the command line.
 */

import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { startWorkers, type WorkersOptions } from '../../src/server/workers.ts';
import { acme } from '../support/document.ts';
import { filledDatabase } from '../support/filled-database.ts';
import { childrenOf, descriptorsOf, isAlive } from '../support/processes.ts';
import { ANY_PORT } from '../support/server-options.ts';
import { until } from '../support/until.ts';

const WORKER = fileURLToPath(new URL('../support/impatient-worker.ts', import.meta.url));
const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
const LAST_HEALTH = 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

test('a worker that is suspended keeps nobody waiting for long, and serves again when it goes on', async (t) => {
  const { url, workers } = await start(t, { offerTimeoutMs: 500 });
  const descriptors = descriptorsOf(process.pid);
  const [first = 0, second = 0] = workers;
  process.kill(first, 'SIGSTOP');
  const answers = await Promise.all(Array.from({ length: 10 }, () => answerOf(ask(t, url, LAST_HEALTH))));
  assert.ok(answers.includes(''), 'the connection that the suspended worker was offered is closed');
  await until('all descriptors are given back', () => descriptorsOf(process.pid) <= descriptors);
  process.kill(first, 'SIGCONT');
  process.kill(second, 'SIGSTOP');
  await until('the first worker serves', async () =>
    (await answerOf(ask(t, url, LAST_HEALTH))).startsWith('HTTP/1.1 200 '),
  );
});

test('a server that is told to stop kills a worker that does not end, because it is suspended, and logs that', async (t) => {
  const { workers, stop, log } = await start(t, { stopTimeoutMs: 100 });
  const [suspended = 0] = workers;
  process.kill(suspended, 'SIGSTOP');
  await stop();
  assert.deepEqual(workers.filter(isAlive), []);
  assert.match(log(), new RegExp(`Worker ${suspended} did not end in time, so it is killed\\.`));
});

test('a server that is told to stop ends in spite of a request that never comes to its end, and kills nobody', async (t) => {
  const { url, workers, stop, log } = await start(t, { stopTimeoutMs: 60_000 });
  await once(ask(t, url, HEALTH + HEALTH.slice(0, 20)), 'data');
  await stop();
  assert.deepEqual(workers.filter(isAlive), []);
  assert.equal(log(), '');
});

async function start(
  context: TestContext,
  timeouts: Pick<WorkersOptions, 'offerTimeoutMs' | 'stopTimeoutMs'>,
) {
  const { databaseUrl } = await filledDatabase(context, acme([]));
  cluster.setupPrimary({ exec: WORKER, args: [databaseUrl], execArgv: [], silent: true });
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  const { url, stop } = await startWorkers({ count: 2, address: ANY_PORT, logger, ...timeouts });
  const workers = childrenOf(process.pid);
  context.after(async () => {
    for (const pid of workers.filter(isAlive)) process.kill(pid, 'SIGCONT');
    await stop();
  });
  return { url, stop, workers, log: () => lines.join('') };
}

function ask(context: TestContext, url: string, request: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  context.after(() => {
    socket.destroy();
  });
  socket.write(request);
  // A reset is how a connection may end here.
  socket.on('error', () => undefined);
  return socket;
}

/** All that comes back, or nothing if the connection is closed without an answer. */
function answerOf(socket: Socket): Promise<string> {
  return text(socket).catch(() => '');
}
