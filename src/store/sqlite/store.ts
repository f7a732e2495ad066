/**
 * The embedded database. A store is one connection: the server has one on the request thread for
 * freshness, each loading thread one for reading months, and a command one for as long as it runs.
 */

import type { Store } from '../store.ts';
import { adminStore } from './admin.ts';
import { connect, explain, type OpenMode } from './connection.ts';
import { feedStore } from './feed.ts';
import { importStore } from './import.ts';
import { migrate } from './migrate.ts';

export async function openSqlite(path: string, mode: OpenMode): Promise<Store> {
  const database = connect(path, mode);
  const explaining = <Part extends object>(part: Part): Part => explainErrors(path, part);
  try {
    if (mode !== 'reader') await migrate(database, path);
    return {
      ...explaining(feedStore(database)),
      ...explaining(importStore(database)),
      ...explaining(adminStore(database)),
      close: async () => database.close(),
    };
  } catch (error) {
    database.close();
    throw explain(path, error);
  }
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
