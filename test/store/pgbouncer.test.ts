/** A pooler in transaction mode, as many clusters have it in front of PostgreSQL. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openStore } from '../../src/store/open.ts';
import type { SchemaChange } from '../../src/store/schema-version.ts';
import { type Cleanup, newFolder } from '../support/database.ts';
import { acme, shift } from '../support/document.ts';
import { skipsWithout } from '../support/installed.ts';
import { freePort, isListening } from '../support/listening.ts';
import { olderSchema } from '../support/older-schema.ts';
import { OTHER_USER } from '../support/postgres-server.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

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

test('through a pooler, processes that start at once bring an older schema up to date', async (context) => {
  if (skipsWithout(context, ['pgbouncer', '--version'])) return;
  const url = await startPooler(context, await olderSchema(context, 'postgres'));
  const changes: SchemaChange[] = [];
  const onMigrated = (change: SchemaChange) => changes.push(change);
  const opening = Array.from({ length: 4 }, () => openStore(url, { missing: 'fail', onMigrated }));
  for (const store of await Promise.all(opening)) {
    assert.equal((await store.accounts()).length, 1);
    await store.close();
  }
  assert.notDeepEqual(changes, []);
});

/** Returns the URL of the database by way of the pooler, which has two connections for everybody. */
async function startPooler(context: TestContext, databaseUrl: string): Promise<string> {
  const url = new URL(databaseUrl);
  const folder = await newFolder(context);
  await chmod(folder, 0o755);
  const port = await freePort();
  const users = join(folder, 'users');
  await writeFile(users, `"${url.username}" "${decodeURIComponent(url.password)}"\n`);
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${url.hostname} port=${url.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = transaction
default_pool_size = 2
max_client_conn = 100
`,
  );
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? OTHER_USER : undefined;
  if (user !== undefined)
    for (const file of [users, join(folder, 'pgbouncer.ini')]) await chown(file, user.uid, user.gid);
  const pooler = spawn('pgbouncer', ['-q', join(folder, 'pgbouncer.ini')], {
    ...user,
    stdio: 'ignore',
  });
  endWith(context, pooler);
  url.port = String(port);
  await until('the pooler listens', () => isListening(url.href));
  return url.href;
}

function endWith(context: Cleanup, child: ChildProcess): void {
  context.after(async () => {
    const exit = once(child, 'exit');
    if (child.kill('SIGKILL')) await exit;
  });
}
