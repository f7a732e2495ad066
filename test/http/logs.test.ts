import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { makeProblemLog } from '../../src/http/observe/problem-log.ts';
import { acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const NOW = '2026-11-15T12:00:00Z';

/** A service that logs requests into an array. */
async function loggingService(context: TestContext) {
  const lines: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
  const service = await startService(context, { now: NOW, app: { logger, logRequests: true } });
  await service.import(acme([shift('2026-12-01', { remarks: 'confidential' })]));
  const token = await service.token('acme');
  const requests = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
  return { service, token, lines, requests };
}

test('a request is logged with its id, account, filters, status and duration', async (context) => {
  const { service, token, requests } = await loggingService(context);
  const headers = { 'x-request-id': 'abc-1' };
  await (await service.get('acme', '?months=12&published=false', token, { headers })).text();
  const { reqId, method, route, account, query, status, ms, address } = requests()[0];
  assert.deepEqual(
    { reqId, method, route, account, query, status, address },
    {
      reqId: 'abc-1',
      method: 'GET',
      route: '/:account/api/v1/shifts',
      account: 'acme',
      query: 'months=12&published=false',
      status: 200,
      address: '127.0.0.1',
    },
  );
  assert.equal(typeof ms, 'number');
});

test('no token reaches the log, wherever it was put by mistake, and no data either', async (context) => {
  const { service, token, lines, requests } = await loggingService(context);
  const paths = [
    '/acme/api/v1/shifts',
    `/acme/api/v1/shifts?token=${token}`,
    `/acme/api/v1/shifts?${token}`,
    `/acme/api/v1/shifts?group_ids=${token}&months[]=1`,
    `/${token}/api/v1/shifts`,
    `/acme/${token}`,
    `/acme/api/v1/shifts#${token}`,
  ];
  for (const path of paths) {
    for (const headers of [{ authorization: `Bearer ${token}` }, { authorization: token }, {}])
      await (await fetch(service.url + path, { headers })).text();
  }
  assert.equal(requests().length, 3 * paths.length);
  assert.doesNotMatch(lines.join(''), new RegExp(token));
  assert.doesNotMatch(lines.join(''), /confidential/);
  assert.ok(requests().some(({ query }) => query === 'group_ids=…&months[]=1'));
});

test('requests are not logged unless that is wanted', async (context) => {
  const lines: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
  const service = await startService(context, { now: NOW, app: { logger } });
  await fetch(`${service.url}/nowhere`);
  assert.doesNotMatch(lines.join(''), /"request"/);
});

test('who prefers it is told how long each stage took', async (context) => {
  const { service, token } = await loggingService(context);
  const timingFor = async (prefer: string) =>
    (await service.get('acme', '', token, { headers: { prefer } })).headers.get('server-timing');
  for (const prefer of ['server-timing', 'return=minimal, Server-Timing', 'server-timing; x=1'])
    assert.match((await timingFor(prefer)) ?? '', /^open;dur=[\d.]+, list;dur=[\d.]+, encode;dur=[\d.]+$/);
  for (const prefer of ['return=minimal', 'no-server-timing', ''])
    assert.equal(await timingFor(prefer), null);
});

test('a request is logged with the id of its token, and a 400 with the parameters that were wrong', async (context) => {
  const { service, token, requests } = await loggingService(context);
  const account = await service.store.findAccount('acme');
  const [listed] = await service.store.tokens(account?.id ?? 0);
  await service.get('acme', '?months=13&page=0&secret-name=1', token);
  await service.get('acme', '', 'wrong');
  const [bad, unauthorised] = requests();
  assert.deepEqual([bad.token, bad.wrong], [listed?.id, ['unknown', 'months', 'page']]);
  assert.deepEqual([unauthorised.token, unauthorised.wrong], [undefined, undefined]);
});

test('an account with a time zone that does not exist is named, with what to do', async (context) => {
  const { service, token, lines } = await loggingService(context);
  await service.store.write(async (transaction) => {
    const account = await transaction.lockAccount('acme');
    assert.ok(account);
    await transaction.saveAccount({ ...account, timeZone: 'Nowhere/Land' });
    return true;
  });
  assert.equal((await service.get('acme', '', token)).status, 500);
  const [problem] = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 50);
  assert.equal(
    problem.msg,
    'The account acme has the time zone "Nowhere/Land", which does not exist: ' +
      '"shiftfeed account set acme --time-zone …" changes it.',
  );
});

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
