/**
 * Follows the file at a path. A connection keeps using the file that it opened, even after another file has replaced
 * it, and would go on listing the old data.
 */

import { statSync } from 'node:fs';
import { StoreFailure } from '../failure.ts';

const CHECK_INTERVAL_MS = 100;
/** SQLite keeps these files beside an open database, and finds them only by name. */
const COMPANIONS = ['-wal', '-shm'];

export function followFile<T extends { close(): void }>(path: string, open: (history: string) => T) {
  let openings = 0;
  let opened = openAs(identityOf(path));
  let companions = companionsOf(path);
  let checkedMs = performance.now();

  function now(): T {
    // The companions are read first: if the database is still the same afterwards, they belong to it.
    const found = companionsOf(path);
    const identity = identityOf(path);
    if (identity === opened.identity) companions = found;
    else changeTo(identity, found);
    checkedMs = performance.now();
    return opened.file;
  }

  /**
   * The old file stays open until the new one is open, so the two cannot have the same identity. A later file can,
   * because a new file often gets the inode of a deleted one. So a history has a number as well.
   */
  function changeTo(identity: string, found: readonly string[]): void {
    if (found.some((companion) => companion !== NONE && companions.includes(companion))) throw mixedUp(path);
    const before = opened.file;
    opened = openAs(identity);
    before.close();
    companions = companionsOf(path);
  }

  function openAs(identity: string): { readonly identity: string; readonly file: T } {
    return { identity, file: open(`${identity}@${++openings}`) };
  }

  return {
    /** Reopens the file if it was replaced. Throws while there is no file that can be opened. */
    now,
    /** The same, but checks only ten times a second: a check takes about as long as a question. */
    lately: () => (performance.now() - checkedMs < CHECK_INTERVAL_MS ? opened.file : now()),
    close: () => opened.file.close(),
  };
}

/** Whether two histories are of the same file. Two threads may hold different ones at the same moment. */
export function isSameFile(history: string, other: string): boolean {
  return history.split('@')[0] === other.split('@')[0];
}

const NONE = 'none';

/** Identifies the file at a path, regardless of its content. */
export function identityOf(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? NONE : `${stats.dev}/${stats.ino}`;
}

function companionsOf(path: string): readonly string[] {
  return COMPANIONS.map((suffix) => identityOf(path + suffix));
}

/** SQLite would apply the log of the old file to the new one. */
function mixedUp(path: string): StoreFailure {
  return new StoreFailure(
    'unusable',
    `Another file was put in place of the database ${path}, but ${path}-wal and ${path}-shm are still those of the old one: delete them.`,
  );
}
