/**
 * One SQLite connection as Shiftfeed uses it: its settings, its file, and transactions.
 */

import { closeSync, existsSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreFailure } from '../failure.ts';
import { explained, isFileError, reasonOf } from './explain.ts';

/** A database that exists only as long as its connection. */
export const IN_MEMORY = ':memory:';

/** How long a writer waits for another one before it gives up. */
export const BUSY_TIMEOUT_MS = 15_000;
/** Enough for a bulk import to sort its pages in memory instead of spilling them one by one. */
const PAGE_CACHE_KIB = 64 * 1024;
/** The stage is a temporary file; this much of it is kept in memory. */
const STAGE_CACHE_KIB = 16 * 1024;
/** SQLite reuses the log after a quarter of this size. After a large write it is truncated to this size. */
export const KEPT_LOG_BYTES = 16 * 1024 * 1024;

export function connect(path: string, mode: 'create' | 'existing' | 'reader'): DatabaseSync {
  if (mode !== 'create' && !isThere(path)) {
    throw new StoreFailure(
      'unusable',
      `There is no database at ${resolve(path)}: "import" and "serve" create one.`,
    );
  }
  return explained(path, () => {
    if (mode === 'create' && path !== IN_MEMORY) createPrivately(path);
    const database = new DatabaseSync(path, { readOnly: mode === 'reader', timeout: BUSY_TIMEOUT_MS });
    if (mode !== 'reader') {
      database.exec(`
        PRAGMA journal_size_limit = ${KEPT_LOG_BYTES}; PRAGMA cache_size = -${PAGE_CACHE_KIB};
        PRAGMA temp_store = FILE; PRAGMA temp.cache_size = -${STAGE_CACHE_KIB}; PRAGMA temp.journal_mode = MEMORY`);
    }
    return database;
  });
}

/** Throws when the folder cannot be read. */
export function isThere(path: string): boolean {
  return explained(path, () => statSync(path, { throwIfNoEntry: false }) !== undefined);
}

/** Readable by this user only, because it holds names and private groups. The operator may change that. */
function createPrivately(path: string): void {
  makeFolder(dirname(resolve(path)));
  removeOrphans(path);
  closeSync(openSync(path, 'a', 0o600));
}

/** Does not use Node's option `recursive`, which loops forever where no folder can be created, as in /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it at this moment.
    if (existsSync(path)) return;
    if (!isFileError(error)) throw error;
    const sentence = `The folder ${path} of the database cannot be made: ${reasonOf(error)}.`;
    throw new StoreFailure('unusable', sentence, { cause: error });
  }
}

/**
 * A database that was deleted while it was open leaves these files behind, and SQLite would use them for the new one.
 * They are looked for before the database: if the database is then missing, they belong to none.
 */
function removeOrphans(path: string): void {
  const companions = [`${path}-wal`, `${path}-shm`].filter((companion) => existsSync(companion));
  if (companions.length === 0 || existsSync(path)) return;
  for (const orphan of companions) rmSync(orphan, { force: true });
}

/**
 * Until it is disposed of, all reading is of one state of the data. Whoever waits in between lets no other work start on
 * the connection.
 */
export function oneState(database: DatabaseSync): Disposable {
  database.exec('BEGIN');
  return {
    [Symbol.dispose]() {
      // SQLite ends the transaction by itself after some errors.
      if (database.isTransaction) database.exec('COMMIT');
    },
  };
}

/** Lets others have their turns while something is waited for. Nothing may be under way on the connection then. */
export type Leave = (waiting: Promise<unknown>) => Promise<void>;

/** Runs asynchronous work one after the other, because a connection has one transaction at a time. */
export function oneAtATime() {
  let last = Promise.resolve();
  /** Resolves when all who came before are done. */
  const enter = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = last;
    last = promise;
    return before.then(() => resolve);
  };
  return async <T>(work: (leave: Leave) => Promise<T>): Promise<T> => {
    let end = await enter();
    try {
      return await work(async (waiting) => {
        end();
        await waiting;
        end = await enter();
      });
    } finally {
      end();
    }
  };
}

/** Runs `work` in a transaction that holds the write lock, and commits it if its result is to be kept. */
export async function writing<T>(
  database: DatabaseSync,
  work: () => Promise<T>,
  isKept: (result: T) => boolean = () => true,
  begin: () => void | Promise<void> = () => database.exec('BEGIN IMMEDIATE'),
): Promise<T> {
  await begin();
  try {
    const result = await work();
    if (isKept(result)) database.exec('COMMIT');
    return result;
  } finally {
    // After some errors SQLite has ended the transaction by itself; after others, such as a failed commit, it is still
    // open.
    if (database.isTransaction) database.exec('ROLLBACK');
  }
}
