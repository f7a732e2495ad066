/** A server as a user without rights, on a file system that is read-only but for the folder of its database. */

import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { environment, LAUNCHER, shiftfeed, whenReady } from '../../test/support/cli.ts';
import type { Cleanup } from '../../test/support/database.ts';
import { OTHER_USER } from '../../test/support/postgres-server.ts';

/** What a machine needs for the trial; it runs as root, to become somebody else. */
export function canConfine(): boolean {
  return process.getuid?.() === 0 && ['bwrap', 'setpriv'].every(isInstalled);
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Throws when a promise is broken. */
export async function serveConfined(context: Cleanup): Promise<void> {
  // Not among the files of the tests, which may be in /dev: the server gets a /dev of its own.
  const folder = await mkdtemp(join(tmpdir(), 'shiftfeed-confined-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  await chown(folder, OTHER_USER.uid, OTHER_USER.gid);
  const { uid, gid } = OTHER_USER;
  const confined = [
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--bind', folder, folder],
    ...['--die-with-parent', '--', 'setpriv', '--reuid', String(uid), '--regid', String(gid)],
    ...['--clear-groups', '--no-new-privs', process.execPath, LAUNCHER],
  ];
  const databaseUrl = `sqlite:${join(folder, 'shiftfeed.db')}`;
  const env = { ...environment(), DATABASE_URL: databaseUrl, HOME: '/nonexistent' };
  const child = spawn('bwrap', [...confined, 'serve', '--demo', '--port', '0'], {
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
