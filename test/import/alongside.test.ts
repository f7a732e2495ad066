/** Others read and write while an import runs. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { Client } from 'pg';
import { importDocument } from '../../src/import/import.ts';
import type { Progress } from '../../src/import/stage-document.ts';
import { watchBackends } from '../support/backends.ts';
import { start } from '../support/cli.ts';
import { acme, shift } from '../support/document.ts';
import { until } from '../support/until.ts';
import { importer } from './importer.ts';

const WAIT_LIMIT_MS = 60_000;
/** More than are written at a time. */
const LARGE = acme(Array.from({ length: 12_000 }, (_, i) => shift('2026-12-01', { id: i + 1 })));
const TOKEN = { hash: 'a'.repeat(64), label: '', createdAtMs: 0, expiresAtMs: null };
const pathOf = (url: string) => url.slice('sqlite:'.length);

test('a token is revoked while a large import writes: the import gives way, begins anew and loses nothing', async (t) => {
  const { url, store, run, account, contents } = await importer(t);
  await run(acme([]));
  const accountId = (await account()).id;
  const token = await store.addToken({ ...TOKEN, accountId });
  const written: number[] = [];
  let revocation: Promise<unknown[]> | undefined;

  const summary = await importDocument(store, LARGE, {
    replace: false,
    dryRun: false,
    onProgress({ step, done }: Progress) {
      if (step !== 'written') return;
      written.push(done);
      if (revocation !== undefined) return;
      const child = start(['token', 'revoke', String(token.id)], { databaseUrl: url });
      revocation = once(child, 'exit');
      t.after(() => {
        child.kill('SIGKILL');
      });
      waitUntil(() => isLocked(`${pathOf(url)}-import`));
    },
  });

  assert.deepEqual(await revocation, [0, null]);
  const [first = 0, ...rest] = written;
  assert.deepEqual(rest[0], first, 'it began anew');
  assert.equal(rest.at(-1), 12_000);
  assert.equal(summary.tables.shifts.added, 12_000);
  assert.equal((await contents()).shifts, 12_000);
  assert.notEqual((await store.tokens(accountId))[0]?.revokedAtMs, null);
  assert.equal(existsSync(`${pathOf(url)}-import`), false);
});

test('what another user left of an import that was killed keeps nobody from importing', async (t) => {
  const { url, run, contents } = await importer(t);
  await run(acme([]));
  // Only root may write to it.
  writeFileSync(`${pathOf(url)}-import`, '', { mode: 0o000 });
  await run(LARGE);
  assert.equal((await contents()).shifts, 12_000);
  assert.equal(existsSync(`${pathOf(url)}-import`), false);
});

test('a large import that root runs leaves nothing but files of the owner of the database', {
  skip: process.getuid?.() !== 0 && 'only root can give files away.',
}, async (t) => {
  const { url, store, run } = await importer(t);
  await run(acme([]));
  chownSync(pathOf(url), 65_534, 65_534);
  chmodSync(pathOf(url), 0o660);
  const seen = new Set<string>();
  await importDocument(store, LARGE, {
    replace: false,
    dryRun: false,
    onProgress({ step }: Progress) {
      if (step !== 'written') return;
      const { uid, gid, mode } = statSync(`${pathOf(url)}-import`);
      seen.add(`${uid} ${gid} ${(mode & 0o777).toString(8)}`);
    },
  });
  assert.deepEqual([...seen], ['65534 65534 660']);
});

test('an import that was killed while it wrote leaves nothing that keeps others from writing', async (t) => {
  const { url, store, run, account } = await importer(t);
  await run(acme([]));
  // As a killed import leaves it.
  new DatabaseSync(`${pathOf(url)}-import`).close();
  const { id } = await store.addToken({ ...TOKEN, accountId: (await account()).id });
  assert.equal(await store.revokeToken(id, 7), true);
  await run(LARGE);
  assert.equal(existsSync(`${pathOf(url)}-import`), false);
});

test('what another program changes after the comparison is not lost', async (t) => {
  const { url, run, store, record, contents } = await importer(t);
  await run(acme([shift('2026-12-01', { id: 1 }), shift('2026-12-01', { id: 2 })]));
  const program = new DatabaseSync(pathOf(url));
  t.after(() => program.close());
  let isChanged = false;
  const document = { ...acme([{ id: 1, remarks: 'new' }]), people: [{ id: 5, name: 'Ada' }] };
  const summary = await importDocument(store, document, {
    replace: true,
    dryRun: false,
    onProgress({ step }) {
      if (step !== 'compared' || isChanged) return;
      isChanged = true;
      program.exec(`UPDATE shifts SET starred = 1 WHERE id = 1;
        INSERT INTO shifts SELECT account_id, 3, date, start_time, end_time, end_date, group_id, location_id, person_id,
          publish_date, remarks, starred, cancelled, noshow FROM shifts WHERE id = 2;
        INSERT INTO people VALUES (1, 5, 'Eve');`);
    },
  });
  assert.deepEqual(summary.tables.shifts, { added: 0, changed: 1, removed: 2, unchanged: 0 });
  assert.deepEqual(summary.tables.people, { added: 0, changed: 1, removed: 0, unchanged: 0 });
  assert.partialDeepStrictEqual(await record('shifts', 1), { remarks: 'new', starred: true });
  assert.equal((await record('people', 5)).name, 'Ada');
  assert.equal((await contents()).shifts, 1);
});

test('on PostgreSQL, what another program commits while the import waits for it is not lost', async (t) => {
  const { url, run, record } = await importer(t, 'postgres');
  await run(acme([shift('2026-12-01', { id: 1 })]));
  const program = await connectedTo(t, url);
  await program.query('BEGIN; UPDATE shiftfeed.shifts SET starred = true WHERE id = 1');
  const importing = run(acme([{ id: 1, remarks: 'new' }]));
  await untilSomebodyWaits(t, url);
  await program.query('COMMIT');
  await importing;
  assert.partialDeepStrictEqual(await record('shifts', 1), { remarks: 'new', starred: true });
});

test('on PostgreSQL, a token is revoked and another made while an import writes', async (t) => {
  const { url, store, run, account, contents } = await importer(t, 'postgres');
  await run(acme([shift('2026-12-01', { id: 1, remarks: 'as it was' })]));
  const accountId = (await account()).id;
  const { id } = await store.addToken({ ...TOKEN, accountId });
  // Somebody else holds one of the shifts, so that the import writes everything else and then waits.
  const program = await connectedTo(t, url);
  await program.query('BEGIN; UPDATE shiftfeed.shifts SET starred = starred WHERE id = 1');
  const importing = run({ ...LARGE, account: { slug: 'acme', name: 'Renamed' } });
  await untilSomebodyWaits(t, url);
  assert.equal(await store.revokeToken(id, 7), true);
  await store.addToken({ ...TOKEN, hash: 'b'.repeat(64), accountId });
  await program.query('ROLLBACK');
  await importing;
  assert.equal((await contents()).shifts, 12_000);
});

async function connectedTo(context: TestContext, url: string): Promise<Client> {
  const client = new Client(url);
  // The database goes before the client does.
  client.on('error', () => undefined);
  await client.connect();
  context.after(() => client.end());
  return client;
}

async function untilSomebodyWaits(context: TestContext, url: string): Promise<void> {
  const backends = await watchBackends(context, url);
  await until('somebody waits for a lock', async () => (await backends.waiting()) > 0);
}

/** Without letting anything else in this process go on. */
function waitUntil(condition: () => boolean): void {
  const endMs = performance.now() + WAIT_LIMIT_MS;
  while (!condition()) {
    assert.ok(performance.now() < endMs, 'it did not happen');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
}

/** Whether another process has locked a database. */
function isLocked(file: string): boolean {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('BEGIN IMMEDIATE');
    return false;
  } catch {
    return true;
  } finally {
    database.close();
  }
}
