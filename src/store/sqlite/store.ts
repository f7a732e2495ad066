/**
 * The embedded database. A store is one connection: the server has one on the request thread for
 * freshness, each loading thread one for reading months, and a command one for as long as it runs.
 */

import { statSync } from 'node:fs';
import { StoreFailure } from '../failure.ts';
import type { Store } from '../store.ts';
import { adminStore } from './admin.ts';
import { connect, explain, IN_MEMORY, type OpenMode } from './connection.ts';
import { feedStore } from './feed.ts';
import { importStore } from './import.ts';
import { migrate } from './migrate.ts';

export async function openSqlite(path: string, mode: OpenMode): Promise<Store> {
  const database = connect(path, mode);
  const explaining = <Part extends object>(part: Part): Part => explainErrors(path, part);
  try {
    if (mode !== 'reader') await migrate(database, path);
    return {
      mayLag: false,
      ...explaining(feedStore(database, { checkFile: fileCheck(path), isReader: mode === 'reader' })),
      ...explaining(importStore(database, path)),
      ...explaining(adminStore(database, path)),
      close: async () => database.close(),
    };
  } catch (error) {
    database.close();
    throw explain(path, error);
  }
}

/** To look at the file each time would take about as long as the question itself. */
const CHECK_INTERVAL_MS = 100;

/**
 * A connection holds on to the file that it opened, also after another one was put in its place. Listing what
 * is no longer there would be worse than listing nothing.
 */
function fileCheck(path: string): () => void {
  if (path === IN_MEMORY) return () => undefined;
  const identity = () => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return `${stats?.dev}/${stats?.ino}`;
  };
  const opened = identity();
  let checkedMs = performance.now();
  return () => {
    const nowMs = performance.now();
    if (nowMs - checkedMs < CHECK_INTERVAL_MS) return;
    if (identity() !== opened) {
      throw new StoreFailure(
        'unusable',
        `The database ${path} was replaced while it was in use: restart Shiftfeed.`,
      );
    }
    checkedMs = nowMs;
  };
}

/** The same functions, but what SQLite throws inside of them comes out as a sentence. */
function explainErrors<Part extends object>(path: string, part: Part): Part {
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
