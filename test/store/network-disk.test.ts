/** Network disks are not at hand in a test, so what Linux says of the disk is replaced. */

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import { importer } from '../import/importer.ts';
import { startServer } from '../support/cli.ts';
import { command } from '../support/cli-in-process.ts';
import { newDatabaseUrl } from '../support/database.ts';
import { until } from '../support/until.ts';

const NFS = 0x6969;
const WARNING =
  'The database lies on a network file system (NFS), where SQLite may lose data: move it to a disk of this machine.';
const isLinux = process.platform === 'linux';

test('doctor notes that a SQLite file is on NFS, and that of PostgreSQL is nowhere', {
  skip: !isLinux,
}, async (t) => {
  const [sqlite, postgres] = await Promise.all([importer(t), importer(t, 'postgres')]);
  assert.doesNotMatch((await command(sqlite.url, 'doctor')).stdout, /network/);
  const { statfsSync } = fs;
  t.after(() => {
    fs.statfsSync = statfsSync;
    syncBuiltinESMExports();
  });
  fs.statfsSync = (() => ({ type: NFS })) as unknown as typeof statfsSync;
  syncBuiltinESMExports();
  const { code, stdout } = await command(sqlite.url, 'doctor');
  assert.equal(code, 0);
  assert.ok(stdout.split('\n').includes(`note   ${WARNING}`), stdout);
  assert.doesNotMatch((await command(postgres.url, 'doctor')).stdout, /network/);
});

test('serve warns of it, and serves', { skip: !isLinux }, async (t) => {
  const replaced = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';
    fs.statfsSync = () => ({ type: ${NFS} }); syncBuiltinESMExports();`;
  const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(replaced)}`];
  const databaseUrl = await newDatabaseUrl(t);
  const server = await startServer(t, [], { databaseUrl, nodeArgs });
  await until('it warns', () => server.complaints().includes(WARNING));
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
});
