/**
 * Follows the file at a path. A connection holds on to the file that it opened, also after another one was put in its place, and
 * would go on listing what is no longer there.
 */

import { statSync } from 'node:fs';
import { StoreFailure } from '../failure.ts';

export interface Followed<T> {
  /** What was opened of the file that stands there now. Throws while there is none that can be opened. */
  now(): T;
  /** The same as of a moment ago: to look at the file each time would take about as long as a question. */
  lately(): T;
  close(): void;
}

const CHECK_INTERVAL_MS = 100;
/** SQLite keeps these beside a file while somebody has it open, and knows them by their names alone. */
const COMPANIONS = ['-wal', '-shm'];

export function followFile<T extends { close(): void }>(
  path: string,
  open: (history: string) => T,
): Followed<T> {
  let openings = 0;
  let opened = openAs(identityOf(path));
  let companions = companionsOf(path);
  let checkedMs = performance.now();

  function now(): T {
    // The companions come first: if the file is still the same afterwards, they are of this file.
    const found = companionsOf(path);
    const identity = identityOf(path);
    if (identity === opened.identity) companions = found;
    else changeTo(identity, found);
    checkedMs = performance.now();
    return opened.file;
  }

  /**
   * The old file stays open until the new one is. As long as it is, no other file can have its identity; later ones can, because a
   * new file often gets the number of one that was deleted. So a history is also numbered.
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
    now,
    lately: () => (performance.now() - checkedMs < CHECK_INTERVAL_MS ? opened.file : now()),
    close: () => opened.file.close(),
  };
}

/** The history of a file that is opened once. */
export function historyOf(path: string): string {
  return `${identityOf(path)}@1`;
}

/** Whether two histories that are followed at the same moment, maybe by two threads, are of the same file. */
export function isSameFile(history: string, other: string): boolean {
  return history.split('@')[0] === other.split('@')[0];
}

const NONE = 'none';

/** Which file stands at a path, whatever is in it. */
function identityOf(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? NONE : `${stats.dev}/${stats.ino}`;
}

function companionsOf(path: string): readonly string[] {
  return COMPANIONS.map((suffix) => identityOf(path + suffix));
}

/** SQLite would take the changes of the old file for changes of the new one. */
function mixedUp(path: string): StoreFailure {
  return new StoreFailure(
    'unusable',
    `Another file was put in place of the database ${path}, but ${path}-wal and ${path}-shm are still those of the old one: delete them.`,
  );
}
