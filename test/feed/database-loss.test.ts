import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { Client } from 'pg';
import { onServer } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { type Line, startLine } from '../support/line.ts';
import { type Service, startService } from '../support/service.ts';
import { LIMIT_MS, until } from '../support/until.ts';

interface Scene {
  readonly service: Service;
  readonly line: Line;
  readonly token: string;
  status(query?: string): Promise<number>;
}

async function prepare(context: TestContext, { staleIfErrorMs = 0, impatient = false } = {}): Promise<Scene> {
  let line: Line | undefined;
  const service = await startService(context, {
    hasThread: true,
    now: '2026-11-15T12:00:00Z',
    database: 'postgres',
    staleIfErrorMs,
    impatient,
    through: async (databaseUrl) => {
      line = await startLine(context, databaseUrl);
      return line.url;
    },
  });
  assert.ok(line);
  await service.import(acme([shift('2026-12-01', { id: 1 }), shift('2027-01-01', { id: 2 })]));
  const token = await service.token('acme');
  const get = (query: string) => service.get('acme', query, token, { signal: AbortSignal.timeout(LIMIT_MS) });
  return {
    service,
    line,
    token,
    async status(query = '') {
      const response = await get(query);
      const body = await response.text();
      if (response.status === 503) {
        assert.match(body, /^{"error":"[^"]+"}$/);
        assert.match(response.headers.get('retry-after') ?? '', /^\d+$/);
      }
      return response.status;
    },
  };
}

test('with --stale-if-error, accounts are listed although the password of the database was changed', async (context) => {
  const role = `rotated_${randomBytes(8).toString('hex')}`;
  await onServer(`CREATE ROLE ${role} LOGIN PASSWORD 'before' IN ROLE pg_read_all_data`);
  context.after(() => onServer(`DROP ROLE ${role}`));
  const service = await startService(context, {
    hasThread: true,
    now: '2026-11-15T12:00:00Z',
    database: 'postgres',
    staleIfErrorMs: 60_000,
    through: async (url) => Object.assign(new URL(url), { username: role, password: 'before' }).href,
  });
  await service.import(acme([shift('2026-12-01', { id: 1 })]));
  const token = await service.token('acme');
  const stale = async () => (await service.get('acme', '', token)).headers.get('shiftfeed-stale');
  assert.equal(await stale(), null);
  await onServer(`ALTER ROLE ${role} PASSWORD 'after'`);
  await onServer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`);
  // The first question notices that its connection has ended, the next ones get no other.
  for (let i = 0; i < 3; i++) assert.equal(await stale(), '0');
  assert.equal((await service.fetch('/readyz')).status, 200);
});

for (const isNoticed of [true, false]) {
  test(`with --stale-if-error, an account is listed whose last change ${isNoticed ? 'was noticed' : 'nobody had asked for'} when the database went away`, async (context) => {
    const { service, line, token, status } = await prepare(context, { staleIfErrorMs: 60_000 });
    for (const query of ['?years=2026', '?years=2027']) assert.equal(await status(query), 200);
    await service.import({ account: { slug: 'acme' }, shifts: [{ id: 2, remarks: 'changed' }] });
    const loads = service.counts().monthsLoaded;
    // The other year did not change, so nothing has to be loaded for it.
    if (isNoticed) assert.equal(await status('?years=2026'), 200);
    if (isNoticed) await until('what changed is loaded', () => service.counts().monthsLoaded > loads);
    await line.cut();
    const { shifts } = await service.list('acme', '?years=2027', token);
    assert.equal(shifts[0]?.remarks, isNoticed ? 'changed' : '');
  });
}

for (const how of ['cut', 'freeze'] as const) {
  test(`while the line to the database is ${how === 'cut' ? 'cut' : 'frozen'}, every request gets 503; once it is mended, all is well again by itself`, async (context) => {
    // Only a line that is cut tells so at once.
    const { service, line, token, status } = await prepare(context, { impatient: how === 'freeze' });
    await until('it answers', async () => (await status()) === 200);

    await line[how]();
    const during = await Promise.all(Array.from({ length: 50 }, () => status()));
    assert.deepEqual(new Set(during), new Set([503]));
    assert.equal(await status('?months=1'), 503, 'and again');

    await line.mend();
    await until('it answers again', async () => (await status()) === 200);
    // What was committed meanwhile is seen.
    await service.import(acme([shift('2026-12-01', { id: 1, remarks: 'new' })]));
    let seen = await service.get('acme', '', token);
    await until('it has not been too slow', async () => {
      if (seen.status === 503) seen = await service.get('acme', '', token);
      return seen.status === 200;
    });
    assert.match(await seen.text(), /"remarks":"new"/);
  });
}

test('a line that breaks while months are loaded fails those requests, and the next ones load again', async (context) => {
  const { line, status } = await prepare(context);
  const loading = Array.from({ length: 10 }, () => status());
  await line.cut();
  for (const answered of await Promise.all(loading)) assert.ok(answered === 200 || answered === 503);
  await line.mend();
  await until('it answers again', async () => (await status()) === 200);
});

test('with stale-if-error, accounts in memory are listed for that long, and marked', async (context) => {
  const { service, line, token, status } = await prepare(context, { staleIfErrorMs: 60_000 });
  assert.equal(await status(), 200);
  const fresh = await service.get('acme', '', token);
  assert.equal(fresh.headers.get('shiftfeed-stale'), null);

  await line.cut();
  service.nowMs += 30_000;
  const stale = await service.get('acme', '', token);
  assert.equal(stale.status, 200);
  assert.equal(stale.headers.get('shiftfeed-stale'), '30');
  assert.equal(await stale.text(), await fresh.text());
  const headers = { 'if-none-match': fresh.headers.get('etag') ?? '' };
  const unchanged = await service.get('acme', '', token, { headers });
  assert.deepEqual([unchanged.status, unchanged.headers.get('shiftfeed-stale')], [304, '30']);
  assert.equal((await service.get('acme', '', 'another-token')).status, 503);
  assert.equal(
    await status('?date_from=1999-01-01&date_to=1999-12-31'),
    200,
    'a plan without months needs no load',
  );

  service.nowMs += 30_001;
  assert.equal(await status(), 503);

  await line.mend();
  await until('it answers again', async () => (await status()) === 200);
  assert.equal((await service.get('acme', '', token)).headers.get('shiftfeed-stale'), null);
});

test('with stale-if-error, what is not in memory is still 503, and an expired token still 401', async (context) => {
  const { service, line, status } = await prepare(context, { staleIfErrorMs: 60_000 });
  const expiring = await service.token('acme', service.nowMs + 1000);
  assert.equal((await service.get('acme', '?day=2026-12-01', expiring)).status, 200);
  assert.equal(await status('?day=2026-12-01'), 200);
  await line.cut();
  assert.equal(await status('?day=2026-12-01'), 200);
  assert.equal(await status('?day=2027-01-01'), 503);
  service.nowMs += 1000;
  assert.equal((await service.get('acme', '?day=2026-12-01', expiring)).status, 401);
});

test('with stale-if-error, a token that is known to be gone does not come back while the database is away', async (context) => {
  const { service, line, token, status } = await prepare(context, { staleIfErrorMs: 60_000 });
  assert.equal(await status(), 200);
  const program = new Client(service.databaseUrl);
  await program.connect();
  await program.query('DELETE FROM shiftfeed.tokens');
  await program.end();
  assert.equal(await status(), 401);
  await line.cut();
  assert.equal((await service.get('acme', '', token)).status, 503);
});

test('with stale-if-error, an account is not listed under a name that is known to be of another one now', async (context) => {
  const { service, line, token: other, status } = await prepare(context, { staleIfErrorMs: 60_000 });
  assert.equal(await status(), 200);
  const account = await service.store.findAccount('acme');
  assert.ok(account);
  await service.store.renameAccount(account.id, 'globex');
  await service.import(acme([shift('2026-12-01')]));
  const token = await service.token('acme');
  assert.equal((await service.get('acme', '', token)).status, 200);
  assert.equal((await service.get('globex', '', other)).status, 200);
  await line.cut();
  const away = [await service.get('acme', '', token), await service.get('globex', '', other)];
  assert.deepEqual([...away.map((response) => response.status), await status()], [200, 200, 503]);
});

test('with stale-if-error, an account that is known to have another name now is not listed under its old one', async (context) => {
  const { service, line, token, status } = await prepare(context, { staleIfErrorMs: 60_000 });
  const other = await service.token('acme');
  assert.equal(await status(), 200);
  assert.equal((await service.get('acme', '', other)).status, 200);
  const account = await service.store.findAccount('acme');
  assert.ok(account);
  await service.store.renameAccount(account.id, 'globex');
  assert.equal((await service.get('globex', '', token)).status, 200);
  await line.cut();
  const away = [await service.get('globex', '', token), await service.get('acme', '', other)];
  assert.deepEqual([...away.map((response) => response.status), await status()], [200, 503, 503]);
});

test('/readyz is 200 for as long as listings are answered', async (context) => {
  const isReady = async (service: Service) => (await service.fetch('/readyz')).status === 200;
  const without = await prepare(context);
  assert.equal(await isReady(without.service), true);
  await without.line.cut();
  assert.equal(await isReady(without.service), false);

  const bridged = await prepare(context, { staleIfErrorMs: 60_000 });
  assert.equal(await isReady(bridged.service), true);
  await bridged.line.cut();
  assert.equal(await isReady(bridged.service), false, 'nobody could be answered: nothing is in memory');
  await bridged.line.mend();
  await until('it answers again', async () => (await bridged.status()) === 200);
  await bridged.line.cut();
  bridged.service.nowMs += 59_000;
  assert.deepEqual([await bridged.status(), await isReady(bridged.service)], [200, true]);
  bridged.service.nowMs += 1_001;
  assert.deepEqual([await bridged.status(), await isReady(bridged.service)], [503, false]);
});
