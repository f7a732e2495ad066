import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { BUSY_TIMEOUT_MS, KEPT_LOG_BYTES } from './connection.ts';

/** To empty the log, SQLite keeps others from writing while it waits for readers: it may do so for moments only. */
const WAIT_MS = 50;
const TRIES = 20;

/**
 * Makes the write-ahead log small again after a large write, or one that was undone: it does not shrink by itself as long as
 * anybody has the database open.
 */
export function giveBackLog(database: DatabaseSync, path: string): void {
  const bytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes <= KEPT_LOG_BYTES) return;
  database.exec(`PRAGMA busy_timeout = ${WAIT_MS}`);
  try {
    // This copies most of it without keeping anybody from writing.
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    const empty = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
    for (let tries = 0; tries < TRIES; tries++) if (empty.get()?.busy === 0) return;
  } catch {
    // What is in the log is safe there, also when the disk is too full to copy it.
  } finally {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}
