/** Somebody holds a table of ours on PostgreSQL, or alters one, while requests come in. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { watchBackends } from '../support/backends.ts';
import { postgresClient } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';
import { LIMIT_MS, until } from '../support/until.ts';

/** As docs/scaling.md states: of the thread that answers requests, and of the threads that load. */
const CONNECTIONS_FOR_QUESTIONS = 4;
const CONNECTIONS_FOR_LOADS = 8;
/** More than there may be connections, so that one that stays behind each time would be noticed. */
const FAILURES = 6;

test('while accounts are locked, requests and probes get 503 and hold no more connections than stated; afterwards all is well by itself', async (context) => {
  const { service, backends, locker, status } = await prepare(context, { impatient: true });
  await until('it answers', async () => (await status('/acme/api/v1/shifts')) === 200);
  await locker.query('BEGIN; LOCK TABLE shiftfeed.accounts IN ACCESS EXCLUSIVE MODE');

  const enough = service.counts().databaseErrors + FAILURES;
  let most = 0;
  const untilEnoughFailed = (work: () => Promise<void>) =>
    until(`${FAILURES} questions have failed`, async () => {
      await work();
      return service.counts().databaseErrors >= enough;
    });
  const hammer = (path: string) =>
    untilEnoughFailed(async () => {
      assert.equal(await status(path), 503);
    });
  const watch = () =>
    untilEnoughFailed(async () => {
      most = Math.max(most, await backends.waiting());
    });
  await Promise.all([hammer('/readyz'), hammer('/acme/api/v1/shifts'), hammer('/readyz'), watch()]);
  assert.ok(most > 0 && most <= CONNECTIONS_FOR_QUESTIONS, `${most} backends waited`);
  await backends.whenWaiting(0);

  await locker.query('ROLLBACK');
  await until('it answers again', async () => (await status('/acme/api/v1/shifts')) === 200);
  await until('it is ready', async () => (await status('/readyz')) === 200);
});

test('while shifts are locked, what must be loaded gets 503 soon and what is in memory is listed; afterwards all is well by itself', async (context) => {
  const { backends, locker, status } = await prepare(context, { impatient: true });
  const inMemory = '/acme/api/v1/shifts?day=2026-12-01';
  const missing = '/acme/api/v1/shifts?day=2027-01-01';
  await until('it answers', async () => (await status(inMemory)) === 200);
  await locker.query('BEGIN; LOCK TABLE shiftfeed.shifts IN ACCESS EXCLUSIVE MODE');

  let most = 0;
  let loading = 2 * CONNECTIONS_FOR_LOADS;
  const watch = () =>
    until('all loads have failed', async () => {
      most = Math.max(most, await backends.waiting());
      return loading === 0;
    });
  async function load(): Promise<void> {
    assert.equal(await status(missing), 503);
    loading--;
  }
  await Promise.all([watch(), ...Array.from({ length: loading }, load)]);
  await until('what is in memory is listed', async () => (await status(inMemory)) === 200);
  assert.ok(most > 0 && most <= CONNECTIONS_FOR_LOADS, `${most} backends waited`);
  await backends.whenWaiting(0);

  await locker.query('ROLLBACK');
  await until('it is loaded', async () => (await status(missing)) === 200);
});

test('after somebody altered the types of columns, every request still succeeds', async (context) => {
  const { service, locker, token, status } = await prepare(context, { impatient: false });
  assert.equal(await status('/acme/api/v1/shifts'), 200);
  for (const remarks of ['first', 'second']) {
    await locker.query('ALTER TABLE shiftfeed.accounts ALTER COLUMN name TYPE varchar(200)');
    await locker.query('ALTER TABLE shiftfeed.shifts ALTER COLUMN start_time TYPE varchar(5)');
    await service.import(acme([shift('2026-12-01', { id: 1, remarks })]));
    assert.equal((await service.list('acme', '', token)).shifts[0]?.remarks, remarks);
    await locker.query('ALTER TABLE shiftfeed.accounts ALTER COLUMN name TYPE text');
    await locker.query('ALTER TABLE shiftfeed.shifts ALTER COLUMN start_time TYPE text');
    assert.equal((await service.list('acme', '', token)).shifts[0]?.remarks, remarks);
  }
});

async function prepare(context: TestContext, { impatient }: { impatient: boolean }) {
  const now = '2026-11-15T12:00:00Z';
  const service = await startService(context, { hasThread: true, now, database: 'postgres', impatient });
  await service.import(acme([shift('2026-12-01', { id: 1 }), shift('2027-01-01', { id: 2 })]));
  const token = await service.token('acme');
  return {
    service,
    token,
    backends: await watchBackends(context, service.databaseUrl),
    locker: await postgresClient(context, service.databaseUrl),
    async status(target: string): Promise<number> {
      const headers = { authorization: `Bearer ${token}` };
      const signal = AbortSignal.timeout(LIMIT_MS);
      return (await service.fetch(target, { headers, signal })).status;
    },
  };
}
