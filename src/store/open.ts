/**
 * Database URL → store. The scheme chooses the implementation.
 */

import { existsSync } from 'node:fs';
import { StoreFailure } from './failure.ts';
import { openSqlite } from './sqlite/store.ts';
import type { FeedStore, Store } from './store.ts';

export const DEFAULT_DATABASE_URL = 'sqlite:data/shiftfeed.db';

export interface OpenOptions {
  /** What to do when there is no database yet; `pretend` works on an empty one that is gone afterwards. */
  readonly missing: 'create' | 'fail' | 'pretend';
}

/** Opens for reading and writing, and brings the schema up to date first. */
export async function openStore(url: string, { missing }: OpenOptions): Promise<Store> {
  const path = sqlitePath(url);
  if (missing === 'pretend' && !existsSync(path)) return openSqlite(':memory:', 'create');
  return openSqlite(path, missing === 'create' ? 'create' : 'existing');
}

/** Opens for reading only: what a loading thread needs. */
export async function openReader(url: string): Promise<FeedStore & Pick<Store, 'close'>> {
  return openSqlite(sqlitePath(url), 'reader');
}

function sqlitePath(url: string): string {
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(url)?.[1];
  if (path === undefined || path === ':memory:') {
    throw new StoreFailure('unusable', `"${withoutPassword(url)}" is no database URL: expected sqlite:PATH.`);
  }
  return path;
}

function withoutPassword(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//…@');
}
