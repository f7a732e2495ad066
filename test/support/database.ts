/** Databases for tests: a fresh one for each that asks, gone when the test is over. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A test context, or the `after` of node:test for what a whole file shares. */
export interface Cleanup {
  after(work: () => void | Promise<void>): void;
}

export async function newFolder(context: Cleanup): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'shiftfeed-test-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The URL of a database that does not exist yet. */
export async function newDatabaseUrl(context: Cleanup): Promise<string> {
  return `sqlite:${join(await newFolder(context), 'test.db')}`;
}
