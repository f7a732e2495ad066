/**
 * Keeps compiled code for the next start, which halves the time that a start takes. Node runs what it finds there, so nobody else
 * may be able to write to the folder or to replace it. Without such a folder there is no cache.
 */

import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const ROOT_USER = 0;
const OTHERS_MAY_WRITE = 0o022;
const OTHERS_MAY_ANYTHING = 0o077;
/** In a folder with this bit, only their owners can replace entries. */
const STICKY = 0o1000;

export function keepCompiledCode() {
  // Whoever starts Node may name a folder in NODE_COMPILE_CACHE: Node uses it already, before any check of ours.
  if (getCompileCacheDir() !== undefined) return;
  const folder = ownFolder();
  if (folder === undefined) return;
  const { directory } = enableCompileCache(folder);
  // For threads and workers, which look there.
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE = folder;
}

function ownFolder() {
  // Windows has no owners and modes to look at.
  if (process.geteuid === undefined) return undefined;
  const user = process.geteuid();
  try {
    const folder = join(userCaches(), 'shiftfeed', 'compiled');
    checkParent(dirname(folder), user);
    const { uid, mode } = folderAt(folder);
    return uid === user && (mode & OTHERS_MAY_ANYTHING) === 0 ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** The user's folder for caches, without symbolic links in its path. */
function userCaches() {
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  try {
    return realpathSync(caches);
  } catch {
    return join(realpathSync(dirname(caches)), basename(caches));
  }
}

/** Fails unless the folder and all its parents belong to the user or to root. Makes what is missing. */
function checkParent(folder, user) {
  // From the top, so that nothing is made in a folder of somebody else.
  if (dirname(folder) !== folder) checkParent(dirname(folder), user);
  const { uid, mode } = folderAt(folder);
  const isOwned = uid === user || uid === ROOT_USER;
  const isFixed = (mode & OTHERS_MAY_WRITE) === 0 || (mode & STICKY) !== 0;
  if (!isOwned || !isFixed) throw new Error(`${folder} is open to others.`);
}

/** Makes it if it is missing. Another process may make it at the same moment. A symbolic link does not count as a folder. */
function folderAt(path) {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) make(path);
  const stats = lstatSync(path);
  if (!stats.isDirectory()) throw new Error(`${path} is not a folder.`);
  return stats;
}

/** Without the option `recursive`, which loops for ever where no folder can be made, as in /proc. */
function make(path) {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}
