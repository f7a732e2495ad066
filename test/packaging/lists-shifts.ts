/** A demo that something else starts, seen by its first client. */

import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import type { TestContext } from 'node:test';
import { whenReady } from '../support/cli.ts';

/** Starts in a process group of its own, because npx does not pass SIGKILL on. Returns the address. */
export async function assertListsShifts(context: TestContext, child: ChildProcess): Promise<string> {
  const { pid } = child;
  assert.ok(pid);
  context.after(() => {
    process.kill(-pid, 'SIGKILL');
  });
  const server = await whenReady(context, child);
  const line = await server.nextLine();
  const [, token = '', listing = ''] = /Bearer (\S+)' '(\S+)'$/.exec(line) ?? [];
  const response = await fetch(listing, { headers: { authorization: `Bearer ${token}` } });
  const { shifts } = (await response.json()) as { shifts: unknown[] };
  assert.equal(shifts.length, 3);
  return server.url;
}
