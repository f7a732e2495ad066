/**
 * Lets short writes go before long ones. SQLite has one writer at a time, and a large import writes for many seconds,
 * but revoking a token must not wait that long. So while an import writes, there is an empty file beside the database.
 * A command that has to wait locks that file. The import notices the lock, rolls back, lets the command write, and
 * begins again.
 *
 * The lock is one of SQLite's own, because Node has none. It ends with the process that holds it.
 */

import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { BUSY_TIMEOUT_MS, IN_MEMORY, type Leave } from './connection.ts';
import { isBusy } from './explain.ts';

/** How long to wait for the database before asking an import to give way, and how often it is tried meanwhile. */
const FIRST_WAIT_MS = 50;
const RETRY_MS = 10;

/**
 * Runs `begin`, which takes the write lock, as soon as others release it. SQLite would block the event loop while it
 * waits, and with it everybody else whom the process serves. Those who share the connection go on, too.
 */
export async function goFirst<T>(
  database: DatabaseSync,
  path: string,
  begin: () => T,
  leave: Leave = async (waiting) => void (await waiting),
): Promise<T> {
  let request: DatabaseSync | undefined;
  try {
    for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
      try {
        return withoutWaiting(database, begin);
      } catch (error) {
        if (!isBusy(error) || waitedMs >= BUSY_TIMEOUT_MS) throw error;
      }
      if (waitedMs >= FIRST_WAIT_MS) request ??= askForWay(path);
      await leave(delay(RETRY_MS));
    }
  } finally {
    request?.close();
  }
}

function withoutWaiting<T>(database: DatabaseSync, begin: () => T): T {
  database.exec('PRAGMA busy_timeout = 0');
  try {
    return begin();
  } finally {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/** Returns undefined when no import is writing, or somebody else is already asking. */
function askForWay(path: string): DatabaseSync | undefined {
  const file = fileBeside(path);
  if (!existsSync(file)) return undefined;
  let request: DatabaseSync | undefined;
  try {
    request = new DatabaseSync(file);
    request.exec('BEGIN IMMEDIATE');
    return request;
  } catch {
    request?.close();
    return undefined;
  }
}

export type LongWrite = ReturnType<typeof makeLongWrite>;

/** For an import that may hold the write lock for long. Returns undefined if nobody can ask it to give way. */
export function beginLongWrite(path: string): LongWrite | undefined {
  const file = fileBeside(path);
  return path !== IN_MEMORY && createEmpty(file, path) ? makeLongWrite(file) : undefined;
}

function makeLongWrite(file: string) {
  const lock = new DatabaseSync(file);

  function tryLock(timeoutMs: number): boolean {
    try {
      lock.exec(`PRAGMA busy_timeout = ${timeoutMs}; BEGIN IMMEDIATE; ROLLBACK`);
      return true;
    } catch (error) {
      if (!isBusy(error)) throw error;
      return false;
    }
  }

  return {
    isAskedForWay: () => !tryLock(0),
    /** Call it after releasing the lock. Waits until the other writer is done. */
    letPass() {
      tryLock(BUSY_TIMEOUT_MS);
      lock.close();
    },
    /** Call it before releasing the lock: after that, the file may belong to the next import. */
    end() {
      lock.close();
      rmSync(file, { force: true });
    },
  };
}

/**
 * A killed import may have left the file behind. It is not opened again, because that would end the locks of this
 * process on it. If it belongs to another user, it is created anew. Returns false if that fails, too: others then have
 * to wait for the import.
 */
function createEmpty(file: string, path: string): boolean {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    // It is missing, or belongs to somebody else.
  }
  try {
    rmSync(file, { force: true });
    createLike(path, file);
    return true;
  } catch {
    return false;
  }
}

/** Creates it with the owner and mode of the database, so that root leaves nothing behind that the owner cannot use. */
function createLike(path: string, file: string): void {
  const { uid, gid, mode } = statSync(path);
  const descriptor = openSync(file, 'a', 0o600);
  try {
    fchmodSync(descriptor, mode & 0o666);
    if (process.geteuid?.() === ROOT_USER) fchownSync(descriptor, uid, gid);
  } finally {
    closeSync(descriptor);
  }
}

const ROOT_USER = 0;

function fileBeside(path: string): string {
  return `${path}-import`;
}
