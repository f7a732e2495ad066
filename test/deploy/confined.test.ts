import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { environment, LAUNCHER, whenReady } from '../support/cli.ts';
import { command } from '../support/cli-in-process.ts';
import { OTHER_USER } from '../support/postgres-server.ts';

const AS_NOBODY = [
  ...['setpriv', '--reuid', String(OTHER_USER.uid), '--regid', String(OTHER_USER.gid)],
  ...['--clear-groups', '--no-new-privs'],
];
/** Its processes end with it. */
const READ_ONLY = [
  ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
  ...['--unshare-pid', '--die-with-parent'],
];
const canConfine =
  spawnSync('bwrap', [...READ_ONLY, '--', ...AS_NOBODY, 'test', '-r', LAUNCHER]).status === 0;
const skip =
  !canConfine &&
  'This needs root, a project that everybody can read, bwrap and setpriv ("apt-get install bubblewrap").';

test('the service runs without root on a read-only file system, but for the folder of its database', {
  skip,
}, async (t) => {
  // Not among the files of the tests, which may be in /dev: the server gets a /dev of its own.
  const folder = await mkdtemp(join(tmpdir(), 'shiftfeed-confined-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await chown(folder, OTHER_USER.uid, OTHER_USER.gid);
  const databaseUrl = `sqlite:${join(folder, 'shiftfeed.db')}`;
  const serve = [...AS_NOBODY, process.execPath, LAUNCHER, 'serve', '--demo', '--port', '0'];
  const child = spawn('bwrap', [...READ_ONLY, '--bind', folder, folder, '--', ...serve], {
    env: { ...environment(), DATABASE_URL: databaseUrl, HOME: '/nonexistent' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const server = await whenReady(t, child);
  const [, token] = /Bearer (\S+)'/.exec(await server.nextLine()) ?? [];
  const headers = { authorization: `Bearer ${token}` };
  assert.equal((await fetch(`${server.url}/demo/api/v1/shifts`, { headers })).status, 200);
  assert.match((await command(databaseUrl, 'token', 'list')).stdout, /demo/);
});
