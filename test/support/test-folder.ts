/**
 * The folder in which tests keep their files. It is in memory where there is room: tests make and remove databases of
 * many files each, and a disk may take longer for that than everything else.
 */

import { spawnSync } from 'node:child_process';
import { accessSync, constants, statfsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
/** A run of all tests takes 0.3 GB at its highest. */
const ROOM_BYTES = 2 ** 30;
const PREFIX = 'shiftfeed-';
const DAY_MS = 24 * 3_600_000;

/** That of the global setup, or of whoever runs a file without it. */
export function testFolder(): string {
  return process.env.TEST_FOLDER ?? tmpdir();
}

export async function makeTestFolder(): Promise<string> {
  if (hasRoom()) {
    await removeLeftovers();
    const folder = await openFolder(IN_MEMORY);
    if (await canRunPrograms(folder)) return folder;
    await rm(folder, { recursive: true });
  }
  return openFolder(tmpdir());
}

/** Containers often have little there. What is kept there is taken from memory, which programs need, too. */
function hasRoom(): boolean {
  try {
    accessSync(IN_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize > ROOM_BYTES && freemem() > 2 * ROOM_BYTES;
  } catch {
    return false;
  }
}

/** Of runs that were killed. */
async function removeLeftovers(): Promise<void> {
  const names = (await readdir(IN_MEMORY)).filter((name) => name.startsWith(PREFIX));
  for (const folder of names.map((name) => join(IN_MEMORY, name))) {
    // Another run may have removed it, or it may be another user's.
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Date.now() }));
    const isOld = Date.now() - mtimeMs > DAY_MS;
    if (isOld) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** PostgreSQL may run as another user, who has to get in. */
async function openFolder(parent: string): Promise<string> {
  const folder = await mkdtemp(join(parent, PREFIX));
  await chmod(folder, 0o755);
  return folder;
}

/** PostgreSQL and installed packages are started there, which containers often forbid. */
async function canRunPrograms(folder: string): Promise<boolean> {
  const program = join(folder, 'program');
  await writeFile(program, '#!/bin/sh\n', { mode: 0o755 });
  return spawnSync(program).status === 0;
}
