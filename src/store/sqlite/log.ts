import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { BUSY_TIMEOUT_MS, KEPT_LOG_BYTES } from './connection.ts';

/** While SQLite waits for readers in order to empty the log, nobody can write, so each wait is short. */
const WAIT_MS = 50;
const TRIES = 20;

/**
 * Shrinks the write-ahead log after a large write, even one that was rolled back. SQLite does not shrink it while
 * anybody has the database open.
 */
export function giveBackLog(database: DatabaseSync, path: string): void {
  const bytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes <= KEPT_LOG_BYTES) return;
  database.exec(`PRAGMA busy_timeout = ${WAIT_MS}`);
  try {
    // Copies most of the log without blocking writers.
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    const empty = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
    for (let tries = 0; tries < TRIES; tries++) if (empty.get()?.busy === 0) return;
  } catch {
    // The data is safe in the log, even when the disk is too full to copy it.
  } finally {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}
