/** A server as a user without rights, on a file system that is read-only but for the folder of its database. */

import { spawn, spawnSync } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, LAUNCHER, shiftfeed, whenReady } from '../../test/support/cli.ts';
import type { Cleanup } from '../../test/support/database.ts';
import { OTHER_USER } from '../../test/support/postgres-server.ts';

const AS_NOBODY = [
  'setpriv',
  ...['--reuid', String(OTHER_USER.uid), '--regid', String(OTHER_USER.gid)],
  ...['--clear-groups', '--no-new-privs'],
];

/** Its processes end with it. */
const READ_ONLY = [
  ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
  ...['--unshare-pid', '--die-with-parent'],
];

/** Whether this machine lets us, and lets `nobody` read the project. */
export function canConfine(): boolean {
  return spawnSync('bwrap', [...READ_ONLY, '--', ...AS_NOBODY, 'test', '-r', LAUNCHER]).status === 0;
}

/** Throws when a promise is broken. */
export async function serveConfined(context: Cleanup): Promise<void> {
  // Not among the files of the tests, which may be in /dev: the server gets a /dev of its own.
  const folder = await mkdtemp(join(tmpdir(), 'shiftfeed-confined-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  await chown(folder, OTHER_USER.uid, OTHER_USER.gid);
  const databaseUrl = `sqlite:${join(folder, 'shiftfeed.db')}`;
  const env = { ...environment(), DATABASE_URL: databaseUrl, HOME: '/nonexistent' };
  const command = [...AS_NOBODY, process.execPath, LAUNCHER, 'serve', '--demo', '--port', '0'];
  const child = spawn('bwrap', [...READ_ONLY, '--bind', folder, folder, '--', ...command], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const server = await whenReady(context, child);
  const [, token = ''] = /Bearer (\S+)'/.exec(await server.nextLine()) ?? [];
  const response = await fetch(`${server.url}/demo/api/v1/shifts`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (response.status !== 200) throw new Error(`It answered ${response.status} ${await response.text()}`);
  const { stdout } = await shiftfeed(['token', 'list'], { databaseUrl });
  if (!stdout.includes('demo')) throw new Error('Its database has no account.');
}
