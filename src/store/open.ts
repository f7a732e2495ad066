/**
 * Opens the store of a database URL. The scheme chooses the implementation.
 */

import { statfsSync } from 'node:fs';
import { resolve } from 'node:path';
import { StoreFailure } from './failure.ts';
import type { FeedReader } from './feed-store.ts';
import { databaseName, parsePostgresUrl } from './postgres/database-url.ts';
import type { MigrationListener } from './schema-version.ts';
import { type ServerStore, serverStore } from './server-store.ts';
import { IN_MEMORY, isThere } from './sqlite/connection.ts';
import { once } from './sqlite/database.ts';
import { openSqliteReader } from './sqlite/feed.ts';
import { latestSchema } from './sqlite/schema.ts';
import type { Store } from './store.ts';

export const DEFAULT_DATABASE_URL = 'sqlite:data/shiftfeed.db';

export interface OpenOptions extends MigrationListener {
  /**
   * What to do when there is no SQLite file yet; `pretend` uses an empty database that is discarded afterwards. A
   * PostgreSQL database must exist.
   */
  readonly missing: 'create' | 'fail' | 'pretend';
  /** Writes nothing, not even tables: a schema of another version is refused, not migrated. */
  readonly readOnly?: boolean;
  /** Somebody waits for each answer, so a database that hangs is given up soon, once the schema is up to date. */
  readonly isForDesk?: boolean;
}

/** Opens for reading and writing, after bringing the schema up to date; or for reading only. */
export async function openStore(
  url: string,
  { missing, readOnly = false, isForDesk = false, ...listener }: OpenOptions,
): Promise<Store> {
  const database = parseDatabaseUrl(url);
  if (database.kind === 'postgres')
    return (await postgres()).openPostgres(url, { readOnly, isForDesk, ...listener });
  const { openSqlite } = await import('./sqlite/store.ts');
  if (readOnly) return openSqlite(database.path, 'inspect');
  if (missing === 'pretend' && !isThere(database.path)) return openSqlite(IN_MEMORY, 'create');
  return openSqlite(database.path, missing === 'create' ? 'create' : 'existing', listener);
}

export interface ReaderOptions {
  /** How long to wait for a connection, for the answer to a short question, and for a lock. */
  readonly waitMs?: number;
}

/** Opens for reading only, without migrating the schema. */
export async function openReader(url: string, options: ReaderOptions = {}): Promise<FeedReader> {
  const database = parseDatabaseUrl(url);
  return database.kind === 'postgres'
    ? (await postgres()).openPostgresReader(url, options)
    : openSqliteReader(database.path);
}

/** Connects only when there is something to do. */
export async function openServerStore(url: string): Promise<ServerStore> {
  const database = parseDatabaseUrl(url);
  if (database.kind === 'postgres') return (await postgres()).openPostgresServerStore(url);
  return serverStore((mode, work) => once(database.path, mode, work), {
    neededSchema: latestSchema(),
    schemaQuery: 'SELECT user_version AS version FROM pragma_user_version',
    close: async () => undefined,
  });
}

/** The name of a database in messages. It never holds a part of a password. */
export function describeDatabase(url: string): string {
  const database = parseDatabaseUrl(url);
  return database.kind === 'postgres' ? databaseName(url) : resolve(database.path);
}

/** A sentence about a SQLite database that lies on the disk of another machine; undefined if it does not. */
export function warningAboutDisk(url: string): string | undefined {
  const database = parseDatabaseUrl(url);
  const name = database.kind === 'sqlite' ? networkFileSystemOf(database.path) : undefined;
  if (name === undefined) return undefined;
  return `The database lies on a network file system (${name}), where SQLite may lose data: move it to a disk of this machine.`;
}

/** The driver is loaded only for PostgreSQL, because loading it takes time. */
function postgres() {
  return import('./postgres/store.ts');
}

/** The error calls the URL `source`, and leaves out what it says, which may hold a password. */
export function parseDatabaseUrl(
  url: string,
  source?: string,
): { kind: 'postgres'; hosts: number } | { kind: 'sqlite'; path: string } {
  if (/^postgres(ql)?:\/\/./.test(url))
    return { kind: 'postgres', hosts: parsePostgresUrl(url, source).hosts.length };
  // Other programs write an absolute path with three slashes; we also accept one.
  const path = /^sqlite:(?:\/\/(?=\/))?((?!\/\/).+)$/.exec(url)?.[1];
  if (path !== undefined && path !== IN_MEMORY) return { kind: 'sqlite', path };
  throw new StoreFailure(
    'bad-url',
    'A database URL is sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE.',
  );
}

/**
 * Processes that use SQLite's write-ahead log share memory and locks, which network file systems do not offer. Linux
 * tells them by these numbers. FUSE is left out: it may also be a disk of this machine.
 */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0x517b, 'SMB'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
  [0x0bd00bd0, 'Lustre'],
]);

/** The name of the network file system that a file is on; undefined if it is on none that we know of. */
function networkFileSystemOf(path: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return NETWORK_FILE_SYSTEMS.get(statfsSync(path).type);
  } catch {
    // Whoever opens the file finds out what is wrong with it.
    return undefined;
  }
}
