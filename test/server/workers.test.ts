import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { startWorkers } from '../../src/server/workers.ts';
import { newFolder } from '../support/database.ts';
import { ANY_PORT } from '../support/server-options.ts';
import { until } from '../support/until.ts';

/** Says what the primary waits for, and serves nothing. */
const WORKER = `
  process.on('message', () => process.send({ kind: 'listening', url: 'http://127.0.0.1' }));
  process.on('SIGINT', () => process.exit());
  process.send({ kind: 'prepared' });
`;

test('a worker that keeps ending is replaced after longer and longer pauses, one that served for long at once', async (t) => {
  let passedMs = 0;
  const { now } = performance;
  t.mock.method(performance, 'now', () => now.call(performance) + passedMs);
  const exec = join(await newFolder(t), 'worker.cjs');
  await writeFile(exec, WORKER);
  cluster.setupPrimary({ exec, args: [], execArgv: [], silent: true });
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line).msg) });
  const { stop } = await startWorkers({ count: 1, address: ANY_PORT, logger });
  t.after(stop);
  const listening = new Set<unknown>();
  const onMessage = (worker: unknown, { kind }: { kind: string }) => {
    if (kind === 'listening') listening.add(worker);
  };
  cluster.on('message', onMessage);
  t.after(() => void cluster.off('message', onMessage));
  for (const servedMs of [0, 0, 0, 11_000, 0]) {
    passedMs += servedMs;
    const [worker] = Object.values(cluster.workers ?? {});
    listening.clear();
    worker?.process.kill('SIGKILL');
    await until('there is another one', () => listening.size > 0);
  }
  assert.deepEqual(
    lines.map((line) => line.replace(/.*; /, '')),
    ['', ' in 0.1 s', ' in 0.2 s', '', ' in 0.1 s'].map((when) => `starting another one${when}.`),
  );
});
