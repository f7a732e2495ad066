/** The database of a desk, which runs for long: opened once, and again when its file was replaced. */

import { dirname } from 'node:path';
import { openServerStore, openStore, parseDatabaseUrl } from '../store/open.ts';
import type { MigrationListener } from '../store/schema-version.ts';
import { forgetDaily } from '../store/server-store.ts';
import { identityOf } from '../store/sqlite/follow.ts';
import type { Store } from '../store/store.ts';

export interface DeskDatabase {
  readonly url: string;
  /** Of SQLite. */
  readonly folder: string | undefined;
  store(): Promise<Store>;
  /** Notes that a key was used. Never waits, and fails in silence: the next hour has another use. */
  noteUse(hash: string, atMs: number): void;
  close(): Promise<void>;
}

interface Opened {
  readonly store: Store;
  readonly file: string | undefined;
}

export async function openDeskDatabase(url: string, listener: MigrationListener): Promise<DeskDatabase> {
  const database = parseDatabaseUrl(url);
  const fileNow = () => (database.kind === 'sqlite' ? identityOf(database.path) : undefined);
  const open = async (missing: 'create' | 'fail'): Promise<Opened> => {
    const store = await openStore(url, { missing, isForDesk: true, ...listener });
    return { store, file: fileNow() };
  };
  const notes = await openServerStore(url);
  let last = Promise.resolve(await open('create'));
  const stopForgetting = forgetDaily(notes);

  /** Another file may have taken the place of the one that is open, such as a backup that was restored. */
  async function renewed(before: Opened): Promise<Opened> {
    if (before.file === fileNow()) return before;
    const after = await open('fail');
    await before.store.close();
    return after;
  }

  return {
    url,
    folder: database.kind === 'sqlite' ? dirname(database.path) : undefined,
    async store() {
      const before = last;
      const now = before.then(renewed);
      // What cannot be opened now may be there at the next request.
      last = now.catch(() => before);
      return (await now).store;
    },
    noteUse: (hash, atMs) => void notes.writeUses(new Map([[hash, atMs]])).catch(() => undefined),
    async close() {
      stopForgetting();
      await Promise.all([last.then(({ store }) => store.close()), notes.close()]);
    },
  };
}
