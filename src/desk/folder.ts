/**
 * The private folder of the files that were dropped on the desk. Whoever cleans temporary files may take it away: then it
 * is made anew.
 */

import { lstat, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerFailure } from '../server/lifecycle.ts';
import { CLOSING, DeskRefusal } from './request.ts';

export const DISK_FULL = 'The disk of the desk is full: ask whoever runs it to make room.';

const FOLDER = 'shiftfeed-desk';

export interface UploadFolder {
  /** Where it is. Throws a DeskRefusal if there is no place for it, or if it was removed. */
  path(): Promise<string>;
  /** At the end of the desk. */
  remove(): Promise<void>;
}

/** Throws a ServerFailure if there is no place for it. */
export async function makeUploadFolder(parent = tmpdir()): Promise<UploadFolder> {
  // mkdtemp makes folders that only this user can open. One with the name of before could be somebody else's by now.
  const make = () => mkdtemp(join(parent, `${FOLDER}-${process.pid}-`));
  const first = removeLeftBehind(parent).then(make);
  let last = Promise.resolve(await first.catch((error) => refuseToStart(parent, error)));
  let isRemoved = false;
  const renewed = async (before: string) => ((await isOwn(before)) ? before : make());
  return {
    async path() {
      // Requests that came before the end may still be answered after it.
      if (isRemoved) throw new DeskRefusal(503, CLOSING);
      const before = last;
      const now = before.then(renewed);
      last = now.catch(() => before);
      return now.catch((error: NodeJS.ErrnoException) => {
        throw whyNotKept(error);
      });
    },
    async remove() {
      isRemoved = true;
      await removeAll(await last);
    },
  };
}

/** Why the system does not let the desk keep a file, for the page. */
export function whyNotKept({ code = '' }: NodeJS.ErrnoException): DeskRefusal {
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  const what = isFull
    ? DISK_FULL
    : `The desk cannot keep files (${code}): ask whoever runs it to look at its folder for temporary files.`;
  return new DeskRefusal(isFull ? 507 : 503, what);
}

/** With less than that, a disk is full. */
const LEAST_BYTES = 64 * 1024;

/** Throws a DeskRefusal if there is hardly any room on the disk of a folder. Nothing is written for that. */
export async function checkRoom(folder: string): Promise<void> {
  const { blocks, bavail, bsize } = await statfs(folder);
  // Some file systems do not tell.
  if (blocks > 0 && bavail * bsize < LEAST_BYTES) throw new DeskRefusal(503, DISK_FULL);
}

/** Whoever writes there, such as a file that is still arriving, may end only in a moment. */
export function removeAll(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });
}

function refuseToStart(parent: string, error: NodeJS.ErrnoException): never {
  throw new ServerFailure(
    `The desk cannot keep files in ${parent} (${error.code}): set TMPDIR to a folder that it can write to.`,
    { cause: error },
  );
}

/** Uploads hold names. If a desk was killed, the next one removes its folder. */
async function removeLeftBehind(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(noneIfHidden)) {
    const [, pid] = /^shiftfeed-desk-(\d+)-/.exec(name) ?? [];
    const path = join(parent, name);
    if (pid !== undefined && (await isLeftBehind(path, Number(pid))))
      await removeAll(path).catch(() => undefined);
  }
}

/** A folder that may not be listed can still be written to. */
function noneIfHidden(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'EACCES' || error.code === 'EPERM') return [];
  throw error;
}

async function isOwn(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() === true && found.uid === (process.geteuid?.() ?? found.uid);
}

async function isLeftBehind(path: string, pid: number): Promise<boolean> {
  // What somebody else has made could become a link to elsewhere while it is removed.
  if (!(await isOwn(path))) return false;
  // In a container, the desk before had the same number.
  return pid === process.pid ? (await lstat(path)).mtimeMs < performance.timeOrigin : !isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
