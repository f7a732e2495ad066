/**
 * A database that goes on from an earlier state than was shown: a standby that lacks commits was promoted, or a backup
 * restored. Revisions follow the clock, so what is written there has a larger one than what was lost.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { hashToken, makeToken } from '../../src/feed/access/token.ts';
import { importDocument } from '../../src/import/import.ts';
import { openStore } from '../../src/store/open.ts';
import {
  DATABASES,
  type DatabaseKind,
  newFolder,
  newStoreUrl,
  onServer,
  postgresProgram,
} from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const NOW = '2026-11-15T12:00:00Z';
const TOKEN = makeToken();
const november = (remarks: string) => shift('2026-11-20', { id: 1, remarks });
const december = (remarks: string) => shift('2026-12-01', { id: 45, remarks });

for (const kind of DATABASES) {
  describe(`After changes were lost on ${kind}, and others made in their place`, () => {
    test('the lost ones are listed no more', async (context) => {
      const { service, goBack, change, remarks } = await prepare(context, kind);
      assert.deepEqual(await remarks(), ['old', 'old']);
      await change(november('lost'));
      const lost = await service.get('acme', '', TOKEN);
      assert.match(await lost.clone().text(), /lost/);
      await goBack();
      await change(december('new'));

      await until('it answers', async () => (await service.get('acme', '', TOKEN)).status === 200);
      assert.deepEqual(await remarks(), ['old', 'new']);
      assert.deepEqual(await remarks('?months=11,12'), ['old', 'new'], 'also by another query');
      const headers = { 'if-none-match': lost.headers.get('etag') ?? '' };
      assert.equal((await service.get('acme', '', TOKEN, { headers })).status, 200);
      const loaded = service.counts().monthsLoaded;
      assert.deepEqual(await remarks(), ['old', 'new']);
      assert.equal(service.counts().monthsLoaded, loaded, 'and what is listed is in memory');
    });

    test('a month that only the lost ones had is gone', async (context) => {
      const { service, goBack, change, remarks } = await prepare(context, kind);
      await change(shift('2027-01-01', { id: 2, remarks: 'lost' }));
      assert.deepEqual(await remarks(), ['old', 'old', 'lost']);
      await goBack();
      await change(december('new'));
      await until('it answers', async () => (await service.get('acme', '', TOKEN)).status === 200);
      assert.deepEqual(await remarks(), ['old', 'new']);
      assert.deepEqual(await remarks('?months=11,12,1'), ['old', 'new'], 'also by another query');
    });
  });
}

test('tables of PostgreSQL that were dropped and made anew, as pg_restore does, are listed without a restart', async (context) => {
  const { service, change, remarks } = await prepare(context, 'postgres');
  await change(november('lost'));
  assert.deepEqual(await remarks(), ['lost', 'old']);
  const program = await postgresProgram(context, service.databaseUrl);
  await program.query('DROP SCHEMA shiftfeed CASCADE');
  await change(november('anew'));
  await addToken(service.databaseUrl);
  assert.deepEqual(await remarks(), ['anew']);
  assert.deepEqual(await remarks('?months=11,12'), ['anew']);
});

/** A service whose database can go back to how it was before the service read it. */
async function prepare(context: TestContext, kind: DatabaseKind) {
  const databaseUrl = await newStoreUrl(context, kind);
  /** Writes as another process does: nothing stays open. */
  const change = async (...shifts: object[]) => {
    const store = await openStore(databaseUrl, { missing: 'create' });
    await importDocument(store, acme(shifts), { replace: false, dryRun: false });
    await store.close();
  };
  await change(november('old'), december('old'));
  await addToken(databaseUrl);
  const goBack = await (kind === 'sqlite' ? copyFile : copyDatabase)(context, databaseUrl);
  const service = await startService(context, { hasThread: true, now: NOW, databaseUrl });
  const remarks = async (query = '') =>
    (await service.list('acme', query, TOKEN)).shifts.map(({ remarks }) => remarks);
  return { service, goBack, change, remarks };
}

async function addToken(databaseUrl: string): Promise<void> {
  const store = await openStore(databaseUrl, { missing: 'fail' });
  const accountId = (await store.findAccount('acme'))?.id ?? 0;
  const hash = hashToken(TOKEN);
  await store.addToken({ accountId, hash, label: '', createdAtMs: 0, expiresAtMs: null });
  await store.close();
}

/** Returns what restores the copy into the database, which stays open. */
async function copyFile(context: TestContext, databaseUrl: string): Promise<() => Promise<void>> {
  const path = databaseUrl.slice('sqlite:'.length);
  const copy = join(await newFolder(context), 'copy.db');
  await backUp(path, copy);
  return () => backUp(copy, path);
}

async function backUp(from: string, to: string): Promise<void> {
  const database = new DatabaseSync(from);
  await backup(database, to);
  database.close();
}

/** Returns what puts the copy in the place of the database, as a standby that is promoted. */
async function copyDatabase(context: TestContext, databaseUrl: string): Promise<() => Promise<void>> {
  const name = new URL(databaseUrl).pathname.slice(1);
  const copy = `${name}_copy`;
  await onServer(`CREATE DATABASE ${copy} TEMPLATE ${name}`);
  context.after(() => onServer(`DROP DATABASE IF EXISTS ${copy}`));
  return async () => {
    await onServer(`DROP DATABASE ${name} WITH (FORCE)`);
    await onServer(`ALTER DATABASE ${copy} RENAME TO ${name}`);
  };
}
