/** Answers of the database that lack what it has answered before. */

import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { postgresProgram } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const NOW = '2026-11-15T12:00:00Z';

test('an older state than was seen is no answer, unless it stays', async (context) => {
  const service = await startService(context, { hasThread: true, now: NOW, database: 'postgres' });
  await service.import(acme([shift('2026-12-01', { id: 1, remarks: 'old' })]));
  const token = await service.token('acme');
  const status = async () => (await service.get('acme', '', token)).status;
  const remarks = async () => (await service.list('acme', '', token)).shifts[0]?.remarks;
  assert.equal(await remarks(), 'old');

  // As if another copy answered: the row is as it was, and so are the revisions.
  const program = await postgresProgram(context, service.databaseUrl);
  const setBack = async (text: string) => {
    await program.query('UPDATE shifts SET remarks = $1', [text]);
    await program.query('UPDATE accounts SET revision = 1000');
    await program.query('UPDATE months SET revision = 1000');
  };
  await setBack('older');
  assert.equal(await status(), 503);
  service.nowMs += 9_000;
  assert.equal(await status(), 503);
  await program.query("UPDATE shifts SET remarks = 'new'");
  assert.equal(await remarks(), 'new', 'a newer state is an answer at once');

  await setBack('restored');
  assert.equal(await status(), 503);
  service.nowMs += 10_000;
  assert.equal(await remarks(), 'restored');
});

test('with stale-if-error, an older answer is bridged like one that stays out', async (context) => {
  const service = await startService(context, {
    hasThread: true,
    now: NOW,
    database: 'postgres',
    staleIfErrorMs: 60_000,
  });
  await service.import(acme([shift('2026-12-01', { id: 1 })]));
  const token = await service.token('acme');
  assert.equal((await service.get('acme', '', token)).headers.get('shiftfeed-stale'), null);
  const program = await postgresProgram(context, service.databaseUrl);
  await program.query('UPDATE accounts SET revision = 1000');
  service.nowMs += 3_000;
  const bridged = await service.get('acme', '', token);
  assert.deepEqual([bridged.status, bridged.headers.get('shiftfeed-stale')], [200, '3']);
});

test('with stale-if-error, a database file that was deleted is not bridged', async (context) => {
  const service = await startService(context, { hasThread: true, now: NOW, staleIfErrorMs: 60_000 });
  await service.import(acme([shift('2026-12-01', { id: 1 })]));
  const token = await service.token('acme');
  const status = async () => (await service.get('acme', '', token)).status;
  assert.equal(await status(), 200);
  await rm(service.databaseUrl.slice('sqlite:'.length));
  await until('it is noticed', async () => (await status()) === 503);
});

test('with stale-if-error, every token is shown the newest state that any of them has seen', async (context) => {
  const service = await startService(context, {
    hasThread: true,
    now: NOW,
    database: 'postgres',
    staleIfErrorMs: 60_000,
  });
  await service.import(acme([shift('2026-12-01', { id: 1, remarks: 'old' })]));
  const [first, second] = [await service.token('acme'), await service.token('acme')];
  const remarks = async (token: string) => (await service.list('acme', '', token)).shifts[0]?.remarks;
  assert.equal(await remarks(first), 'old');
  await service.import(acme([shift('2026-12-01', { id: 1, remarks: 'new' })]));
  assert.equal(await remarks(second), 'new');
  const program = await postgresProgram(context, service.databaseUrl);
  await program.query('ALTER TABLE tokens RENAME TO tokens_away');
  assert.equal(await remarks(first), 'new');

  await program.query('ALTER TABLE tokens_away RENAME TO tokens');
  await program.query("UPDATE shifts SET remarks = 'restored'");
  await program.query('UPDATE accounts SET revision = 1000');
  await program.query('UPDATE months SET revision = 1000');
  assert.equal(await remarks(second), 'new');
  service.nowMs += 10_000;
  assert.equal(await remarks(second), 'restored');
  await program.query('ALTER TABLE tokens RENAME TO tokens_away');
  assert.equal(await remarks(first), 'restored', 'also when that is an older one');
});
