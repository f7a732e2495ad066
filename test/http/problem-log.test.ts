import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { pino } from 'pino';
import { makeProblemLog } from '../../src/http/observe/problem-log.ts';
import { acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

function collector() {
  const lines: { level: number; msg: string; times?: number }[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  return { logger, lines };
}

test('a problem is told at once, and when it comes again once a second, with a number', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { logger, lines } = collector();
  const log = makeProblemLog(logger);
  for (let i = 0; i < 1_000; i++) log.error('It failed.', { reqId: String(i) });
  log.warn('It is late.');
  assert.deepEqual(
    lines.map(({ msg }) => msg),
    ['It failed.', 'It is late.'],
  );
  context.mock.timers.tick(1_000);
  assert.deepEqual([lines.length, lines[2]?.msg, lines[2]?.times], [3, 'It failed.', 999]);
  context.mock.timers.tick(10_000);
  assert.equal(lines.length, 3, 'nothing more is told of what does not come again');
  log.error('It failed.');
  assert.equal(lines.length, 4, 'and after a quiet second it is told at once again');
});

test('problems of very many kinds are counted together', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { logger, lines } = collector();
  const log = makeProblemLog(logger);
  for (let i = 0; i < 10_000; i++) log.error(`Number ${i} failed.`);
  context.mock.timers.tick(1_000);
  assert.equal(lines.length, 102);
  assert.deepEqual(lines.at(-1)?.times, 9_899);
});

test('what is counted when the process ends is told before', () => {
  const { logger, lines } = collector();
  const log = makeProblemLog(logger);
  for (let i = 0; i < 3; i++) log.error('It failed.');
  log.flush();
  assert.equal(lines.at(-1)?.times, 2);
});

test('while the database is gone, requests fill the log with one short line a second, without stack traces', async (context) => {
  const { logger, lines } = collector();
  const service = await startService(context, { now: '2026-11-15T12:00:00Z', app: { logger } });
  await service.import(acme([shift('2026-12-01')]));
  const token = await service.token('acme');
  await rm(service.databaseUrl.slice('sqlite:'.length));
  await until('it is noticed', async () => (await service.get('acme', '', token)).status === 503);
  const statuses = await Promise.all(
    Array.from({ length: 200 }, async () => (await service.get('acme', '', token)).status),
  );
  assert.deepEqual(new Set(statuses), new Set([503]));
  assert.ok(lines.length < 20, `${lines.length} lines`);
  for (const line of lines) assert.ok(JSON.stringify(line).length < 400 && !('err' in line));
});
