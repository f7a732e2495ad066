/** Network disks are not at hand in a test, so what Linux says of the disk is replaced. */

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { type TestContext, test } from 'node:test';
import { importer } from '../import/importer.ts';
import { command, startServer } from '../support/cli-in-process.ts';
import { newDatabaseUrl } from '../support/database.ts';

const NFS = 0x6969;
const WARNING =
  'The database lies on a network file system (NFS), where SQLite may lose data: move it to a disk of this machine.';
const SKIP = { skip: process.platform !== 'linux' };

test('doctor notes that a SQLite file is on NFS, and that of PostgreSQL is nowhere', SKIP, async (t) => {
  const [sqlite, postgres] = await Promise.all([importer(t), importer(t, 'postgres')]);
  assert.doesNotMatch((await command(sqlite.url, 'doctor')).stdout, /network/);
  pretendNfs(t);
  const { code, stdout } = await command(sqlite.url, 'doctor');
  assert.equal(code, 0);
  assert.ok(stdout.split('\n').includes(`note   ${WARNING}`), stdout);
  assert.doesNotMatch((await command(postgres.url, 'doctor')).stdout, /network/);
});

test('serve warns of it, and serves', SKIP, async (t) => {
  pretendNfs(t);
  const server = await startServer(t, [], { databaseUrl: await newDatabaseUrl(t) });
  assert.ok(server.complaints().includes(WARNING), server.complaints());
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
});

function pretendNfs(context: TestContext): void {
  const { mock } = context.mock.method(fs, 'statfsSync', () => ({ type: NFS }));
  syncBuiltinESMExports();
  context.after(() => {
    mock.restore();
    syncBuiltinESMExports();
  });
}
