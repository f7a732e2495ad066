/** A demo that something else starts, seen by its first client. */

import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import type { TestContext } from 'node:test';
import { whenReady } from '../support/cli.ts';

/** What the service reads from files or makes of them. */
const FILES = [
  '/',
  '/explorer/main.js',
  '/explorer/shift-calendar.js',
  '/explorer/picked-week.js',
  '/explorer/listen.js',
  '/docs',
  '/docs/page.css',
  '/openapi.json',
];

/** It lists shifts, and has its pages. It starts in a process group of its own, because npx does not pass SIGKILL on. */
export async function assertServes(context: TestContext, child: ChildProcess) {
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
  for (const path of FILES) {
    const file = await fetch(server.url + path);
    await file.body?.cancel();
    assert.equal(file.status, 200, path);
  }
  return server;
}
