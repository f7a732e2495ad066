/**
 * The embedded database. A store is one connection: the server has one on the request thread for freshness, each
 * loading thread one for reading months, and a command one for as long as it runs.
 */

import type { FeedStore } from '../feed-store.ts';
import type { Store } from '../store.ts';
import { accountStore } from './accounts.ts';
import { adminStore } from './admin.ts';
import { connect, explain, explained } from './connection.ts';
import { doctorStore } from './doctor.ts';
import { exportStore } from './export.ts';
import { feedStore } from './feed.ts';
import { followFile, historyOf } from './follow.ts';
import { importStore } from './import.ts';
import { checkSchema, migrate } from './migrate.ts';

/** For a command. `inspect` changes nothing: neither the file nor its schema. */
export async function openSqlite(path: string, mode: 'create' | 'existing' | 'inspect'): Promise<Store> {
  const database = connect(path, mode === 'create' ? 'create' : 'existing');
  const explaining = <Part extends object>(part: Part): Part => explainErrors(path, part);
  try {
    if (mode === 'inspect') {
      checkSchema(database, path);
      database.exec('PRAGMA query_only = ON');
    } else {
      await migrate(database, path);
    }
    return {
      mayLag: false,
      ...explaining(feedStore(database, { history: historyOf(path), isReader: false })),
      ...explaining(importStore(database, path)),
      ...explaining(adminStore(database, path)),
      ...explaining(accountStore(database, path)),
      ...explaining(exportStore(database)),
      ...explaining(doctorStore(database)),
    };
  } catch (error) {
    database.close();
    throw explain(path, error);
  }
}

/** For a server, which keeps reading whichever file is at the path. */
export function openSqliteReader(path: string): FeedStore & Pick<Store, 'close'> {
  const file = explained(path, () => followFile(path, (history) => openFile(path, history)));
  return {
    mayLag: false,
    ...explainErrors(path, {
      freshness: async (...asked: Parameters<FeedStore['freshness']>) => file.lately().freshness(...asked),
      read: async <Result>(...asked: Parameters<FeedStore['read']>) =>
        file.now().read(...asked) as Promise<Result | undefined>,
    }),
    close: async () => file.close(),
  };
}

function openFile(path: string, history: string): Omit<FeedStore, 'mayLag'> & { close(): Promise<void> } {
  const database = connect(path, 'reader');
  try {
    checkSchema(database, path);
    return feedStore(database, { history, isReader: true });
  } catch (error) {
    database.close();
    throw explain(path, error);
  }
}

/** The same functions, but errors of SQLite come out as sentences. */
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
