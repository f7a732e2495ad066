import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { newStoreUrl, pathOf } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { startLine } from '../support/line.ts';
import { until } from '../support/until.ts';
import { openDesk } from './desk.ts';

test('while PostgreSQL hangs, the desk says so sooner than a command would, and is not ready', async (context) => {
  const line = await startLine(context, await newStoreUrl(context, 'postgres'));
  const desk = await openDesk(context, { databaseUrl: line.url });
  await desk.import(acme([shift('2026-11-18')]));
  const owner = await desk.visitor(await desk.key('acme', 'Ada', 'owner'));
  const ready = async () => (await fetch(`${desk.url}/readyz`)).status;
  const page = () => fetch(desk.url, { headers: { cookie: owner.cookie } });
  assert.equal(await ready(), 200);

  line.freeze();
  // The store of the test has the limits of commands. It gives up when its connection ends.
  const command = desk.store.findAccount('acme').catch(() => undefined);
  const all = Promise.all([
    ...['session', 'history', 'shifts?from=2026-11-01&to=2026-11-30', 'settings'].map(
      async (path) => (await owner.send('GET', path)).status,
    ),
    owner.send('PATCH', 'settings', { name: 'Other' }).then(({ status }) => status),
    ready(),
  ]);
  const shown = page();
  assert.deepEqual(await Promise.race([all, command]), Array(6).fill(503));
  // Its script says what is wrong, and tries again.
  assert.match(await (await shown).text(), /desk\/main\.js/);
  assert.equal((await fetch(`${desk.url}/healthz`)).status, 200);

  await line.mend();
  await command;
  await until('it is ready again', async () => (await ready()) === 200);
  assert.equal((await owner.get('session')).account.name, 'Acme');
});

test('a change that would wait for a writer who does not end is refused', async (context) => {
  const desk = await openDesk(context, { kind: 'postgres' });
  await desk.import(acme([]));
  const owner = await desk.visitor(await desk.key('acme', 'Ada', 'owner'));
  await desk.store.write(async (transaction) => {
    await transaction.lockAccount('acme');
    assert.equal((await owner.send('PATCH', 'settings', { name: 'Other' })).status, 503);
    return false;
  });
  assert.equal((await owner.send('PATCH', 'settings', { name: 'Other' })).status, 204);
});

test('while another program holds the lock of SQLite, a change waits for it, and everybody else is answered', async (context) => {
  const desk = await openDesk(context);
  await desk.import(acme([shift('2026-11-18')]));
  const owner = await desk.visitor(await desk.key('acme', 'Ada', 'owner'));
  const path = pathOf(desk.databaseUrl);
  using program = new DatabaseSync(path);
  program.exec('BEGIN IMMEDIATE');
  // Whoever waits for an import locks the file beside it.
  await writeFile(`${path}-import`, '');
  let status: number | undefined;
  const change = owner.send('PATCH', 'settings', { name: 'Other' }).then((response) => {
    status = response.status;
  });
  await until('the change waits', () => {
    using beside = new DatabaseSync(`${path}-import`);
    try {
      beside.exec('BEGIN IMMEDIATE');
      return false;
    } catch {
      return true;
    }
  });
  for (const at of ['session', 'history', 'settings', 'shifts?from=2026-11-01&to=2026-11-30'])
    await owner.get(at);
  assert.equal((await fetch(`${desk.url}/readyz`)).status, 200);
  assert.equal(status, undefined);
  program.exec('ROLLBACK');
  await change;
  assert.equal(status, 204);
  assert.equal((await owner.get('session')).account.name, 'Other');
});
