/**
 * The embedded database as a server uses it, which only reads. It has one connection on the request thread for
 * freshness, and one on each loading thread for reading months.
 */

import type { FeedStore } from '../feed-store.ts';
import type { Store } from '../store.ts';
import { connect } from './connection.ts';
import { explain, explainErrors, explained } from './explain.ts';
import { feedStore } from './feed.ts';
import { followFile } from './follow.ts';
import { checkSchema } from './migrate.ts';

/** Keeps reading whichever file is at the path. */
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
