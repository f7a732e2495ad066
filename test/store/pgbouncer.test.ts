/** A pooler in transaction mode, as many clusters have it in front of PostgreSQL. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../src/store/open.ts';
import type { SchemaChange } from '../../src/store/schema-version.ts';
import { newDatabaseUrl } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { skipsWithout } from '../support/installed.ts';
import { startPooler } from '../support/pooler.ts';
import { startService } from '../support/service.ts';

/** PgBouncer up to 1.20 keeps none, and newer ones only if they are told to. */
test('through a pooler that keeps no prepared statements, every request is answered', async (context) => {
  if (skipsWithout(context, ['pgbouncer', '--version'])) return;
  const service = await startService(context, {
    now: '2026-11-15T12:00:00Z',
    database: 'postgres',
    through: (databaseUrl) => startPooler(context, databaseUrl),
  });
  const months = Array.from({ length: 12 }, (_, i) => `2027-${String(i + 1).padStart(2, '0')}-01`);
  await service.import(acme(months.map((date) => shift(date))));
  const token = await service.token('acme');
  for (let round = 0; round < 3; round++) {
    const statuses = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        const response = await service.get('acme', `?years=2027&months=${1 + (i % 12)}`, token);
        return response.status;
      }),
    );
    assert.deepEqual(new Set(statuses), new Set([200]));
    await service.import(acme(months.map((date) => shift(date, { remarks: String(round) }))));
  }
});

test('through a pooler, processes that start at once make the schema of a new database', async (context) => {
  if (skipsWithout(context, ['pgbouncer', '--version'])) return;
  const url = await startPooler(context, await newDatabaseUrl(context, 'postgres'));
  const changes: SchemaChange[] = [];
  const onMigrated = (change: SchemaChange) => changes.push(change);
  const opening = Array.from({ length: 4 }, () => openStore(url, { missing: 'fail', onMigrated }));
  for (const store of await Promise.all(opening)) {
    assert.equal((await store.accounts()).length, 0);
    await store.close();
  }
  assert.notDeepEqual(changes, []);
});
