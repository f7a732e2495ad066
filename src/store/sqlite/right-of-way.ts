/**
 * Lets short writes go before long ones. SQLite has one writer at a time, and a large import writes for many seconds: to
 * revoke a token must not take as long. So while an import writes, there is an empty file beside the database. Who has to
 * wait locks that file, which is how the import notices: it undoes what it did, lets the other one write, and begins anew.
 *
 * The lock is one of SQLite's own, because Node has none, and ends with the process that holds it.
 */

import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { BUSY_TIMEOUT_MS, IN_MEMORY, isBusy } from './connection.ts';

/** How long to wait for the database before looking whether somebody could give way. */
const FIRST_WAIT_MS = 50;

/** Runs `begin`, which needs the write lock of the database at once, as soon as others let it. */
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

/** undefined: nobody would give way, or somebody else asks already. */
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

/** For who holds the write lock of the database, and may have it for long. */
export interface LongWrite {
  isAskedForWay(): boolean;
  /** Once the lock is given back: waits until the other one is done. */
  letPass(): void;
  /** Before the lock is given back: afterwards, the file may be that of the next one. */
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

/** It may be there from an import that was killed. To open it would end the locks that this process has on it. */
function createEmpty(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
}

function fileBeside(path: string): string {
  return `${path}-import`;
}
