/** Errors of SQLite and of its files, as sentences. */

import { StoreFailure } from '../failure.ts';

// Primary result codes of SQLite: https://sqlite.org/rescode.html
const BUSY = 5;
const CONSTRAINT = 19;
const sentences = (path: string): Readonly<Record<number, string>> => ({
  [BUSY]: `The database ${path} is being written by another process: try again in a moment.`,
  8: `The database ${path} cannot be written: check its permissions.`,
  10: `The database ${path} could not be read or written: the disk reported an error.`,
  11: `The database ${path} is damaged: restore it from a backup.`,
  13: `The disk of the database or of temporary files (TMPDIR) is full: nothing was written to ${path}.`,
  14: `The database ${path} cannot be opened: check the path and its permissions.`,
  26: `The file ${path} is not a SQLite database.`,
});

export function isBusy(error: unknown): boolean {
  return isSqliteError(error) && (error.errcode & 0xff) === BUSY;
}

/** Turns errors of SQLite into sentences. Other errors pass through. */
export function explained<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw explain(path, error);
  }
}

/** Wraps functions so that errors of SQLite become sentences. */
export function explainErrors<Part extends object>(path: string, part: Part): Part {
  const wrapped = Object.entries(part).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      try {
        return await method(...args);
      } catch (error) {
        throw explain(path, error);
      }
    },
  ]);
  return Object.fromEntries(wrapped);
}

export function explain(path: string, error: unknown): unknown {
  if (isFileError(error)) {
    return new StoreFailure('unusable', `The database ${path} cannot be opened: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
  if (!isSqliteError(error)) return error;
  const primaryCode = error.errcode & 0xff;
  if (primaryCode === CONSTRAINT) {
    return new StoreFailure('refused', `The database refused a row: ${error.message}.`, { cause: error });
  }
  // Nobody but our statements calls the schema by its name.
  const message = error.message.replace('no such table: main.', 'no such table: ');
  const sentence = sentences(path)[primaryCode] ?? `SQLite failed on ${path}: ${message}.`;
  return new StoreFailure(primaryCode === BUSY ? 'busy' : 'unusable', sentence, { cause: error });
}

function isSqliteError(error: unknown): error is Error & { errcode: number } {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
}

export function reasonOf({ code }: { code: string }): string {
  const reasons: Record<string, string> = {
    EACCES: 'permission denied',
    ENOENT: 'this file system does not allow it',
    ENOTDIR: 'a part of its path is a file',
    EROFS: 'the file system is read-only',
  };
  return reasons[code] ?? code;
}

/** An error about the current folder is not about a file of the database. */
export function isFileError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'syscall' in error && error.syscall !== 'uv_cwd' && 'code' in error;
}
