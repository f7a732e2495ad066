import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openStore } from '../../src/store/open.ts';
import { newFolder } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';

const NOW = '2026-11-15T12:00:00Z';
const NOTICED_AFTER_MS = 200;
const pathOf = (url: string) => url.slice('sqlite:'.length);

test('a backup that is restored over a database in use is listed from the next request on', async (context) => {
  const service = await startService(context, { now: NOW });
  await service.import(acme([shift('2026-12-01', { id: 1, remarks: 'before' })]));
  const token = await service.token('acme');
  const copy = join(await newFolder(context), 'copy.db');
  const live = new DatabaseSync(pathOf(service.databaseUrl));
  await backup(live, copy);
  live.close();

  for (const remarks of ['after', 'later', 'last']) {
    await service.import(acme([shift('2026-12-01', { id: 1, remarks })]));
    assert.equal((await service.list('acme', '', token)).shifts[0]?.remarks, remarks);
  }
  const restored = new DatabaseSync(copy);
  await backup(restored, pathOf(service.databaseUrl));
  restored.close();

  assert.equal((await service.list('acme', '', token)).shifts[0]?.remarks, 'before');
  const loaded = service.counts().monthsLoaded;
  await service.list('acme', '', token);
  assert.equal(service.counts().monthsLoaded, loaded, 'and is then in memory');
});

test('a database file that was replaced is noticed in a moment: nothing is listed from the old one', async (context) => {
  const service = await startService(context, { now: NOW });
  await service.import(acme([shift('2026-12-01')]));
  const token = await service.token('acme');
  assert.equal((await service.get('acme', '', token)).status, 200);
  for (const suffix of ['', '-wal', '-shm']) await rm(pathOf(service.databaseUrl) + suffix, { force: true });
  await delay(NOTICED_AFTER_MS);
  assert.equal((await service.get('acme', '', token)).status, 503);
  await (await openStore(service.databaseUrl, { missing: 'create' })).close();
  assert.equal((await service.get('acme', '', token)).status, 503);
});
