/**
 * Lets short writes go before long ones. SQLite has one writer at a time, and a large import writes for many seconds,
 * but revoking a token must not wait that long. So while an import writes, there is an empty file beside the database.
 * A command that has to wait locks that file. The import notices the lock, rolls back, lets the command write, and
 * begins again.
 *
 * The lock is one of SQLite's own, because Node has none. It ends with the process that holds it.
 */

import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { BUSY_TIMEOUT_MS, IN_MEMORY } from './connection.ts';
import { isBusy } from './explain.ts';

/** How long to wait for the database before asking an import to give way. */
const FIRST_WAIT_MS = 50;

/** Runs `begin`, which takes the write lock, as soon as others release it. */
export function goFirst<T>(database: DatabaseSync, path: string, begin: () => T): T {
  let request: DatabaseSync | undefined;
  database.exec(`PRAGMA busy_timeout = ${FIRST_WAIT_MS}`);
  try {
    for (let waitedMs = FIRST_WAIT_MS; ; waitedMs += FIRST_WAIT_MS) {
      try {
        return begin();
      } catch (error) {
        if (!isBusy(error) || waitedMs >= BUSY_TIMEOUT_MS) throw error;
        request ??= askForWay(path);
      }
    }
  } finally {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    request?.close();
  }
}

/** undefined: no import is writing, or somebody else is asking already. */
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

/** For an import that may hold the write lock for long. */
export interface LongWrite {
  isAskedForWay(): boolean;
  /** To be called after releasing the lock: waits until the other one is done. */
  letPass(): void;
  /** To be called before releasing the lock: afterwards, the file may belong to the next import. */
  end(): void;
}

export function beginLongWrite(path: string): LongWrite {
  if (path === IN_MEMORY)
    return { isAskedForWay: () => false, letPass: () => undefined, end: () => undefined };
  const file = fileBeside(path);
  createEmpty(file);
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
    letPass() {
      tryLock(BUSY_TIMEOUT_MS);
      lock.close();
    },
    end() {
      lock.close();
      rmSync(file, { force: true });
    },
  };
}

/** The file may be left from an import that was killed. Opening it again would end the locks of this process on it. */
function createEmpty(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
}

function fileBeside(path: string): string {
  return `${path}-import`;
}
