/** Databases for tests: a fresh one for each that asks, gone when the test is over. */

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import type { FeedReader } from '../../src/store/feed-store.ts';
import { openReader, openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { testFolder } from './test-folder.ts';
import { LIMIT_MS } from './until.ts';

export type DatabaseKind = 'sqlite' | 'postgres';
export const DATABASES: readonly DatabaseKind[] = ['sqlite', 'postgres'];

/** A test context, or the `after` of node:test for what a whole file shares. */
export interface Cleanup {
  after(work: () => void | Promise<void>): void;
}

export async function newFolder(context: Cleanup): Promise<string> {
  const folder = await mkdtemp(join(testFolder(), 'test-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The URL of a database without any tables; of SQLite, the file is not there yet either. */
export async function newDatabaseUrl(context: Cleanup, kind: DatabaseKind = 'sqlite'): Promise<string> {
  return kind === 'sqlite' ? newSqliteUrl(context) : newPostgresUrl(context);
}

/** The same for a store that is opened at once: a database of PostgreSQL has its tables already, which saves time. */
export async function newStoreUrl(context: Cleanup, kind: DatabaseKind = 'sqlite'): Promise<string> {
  if (kind === 'sqlite') return newSqliteUrl(context);
  return newPostgresUrl(context, process.env.TEST_POSTGRES_TEMPLATE);
}

/** Makes a database with tables that others can be copied from, and returns its name. */
export async function newTemplate(context: Cleanup): Promise<string> {
  const url = await newPostgresUrl(context);
  const store = await openStore(url, { missing: 'create' });
  await store.close();
  return new URL(url).pathname.slice(1);
}

/** A store as commands have it that can also be asked as requests ask. */
export type StoreWithFeed = Store & FeedReader;

export async function openWithFeed(url: string): Promise<StoreWithFeed> {
  const store = await openStore(url, { missing: 'create' });
  const reader = await openReader(url, { waitMs: LIMIT_MS });
  const close = async () => void (await Promise.all([store.close(), reader.close()]));
  return { ...store, ...reader, close };
}

async function newSqliteUrl(context: Cleanup): Promise<string> {
  return `sqlite:${join(await newFolder(context), 'test.db')}`;
}

async function newPostgresUrl(context: Cleanup, template = 'template1'): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Half as dear as the other strategy, which writes all of it to the log.
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  context.after(() => onServer(`DROP DATABASE ${name} WITH (FORCE)`));
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs a statement that is not about one database. */
export async function onServer(statement: string): Promise<void> {
  const client = new Client(serverUrl());
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** The global setup of the tests sees to it that there is one. */
function serverUrl(): string {
  const url = process.env.TEST_POSTGRES_URL;
  if (url === undefined)
    throw new Error('There is no PostgreSQL server: run tests with "npm run test:only FILE".');
  return url;
}

/** The file of a SQLite database. */
export function pathOf(url: string): string {
  return url.slice('sqlite:'.length);
}

/** What another program does to a SQLite database. */
export function runSql(url: string, statements: string): void {
  const program = new DatabaseSync(pathOf(url));
  program.exec(statements);
  program.close();
}

/** Another program that uses a PostgreSQL database directly. */
export async function postgresProgram(context: Cleanup, url: string): Promise<Client> {
  const program = await postgresClient(context, url);
  await program.query('SET search_path = shiftfeed, public');
  return program;
}

/** A client that lives as long as its test. */
export async function postgresClient(context: Cleanup, url: string): Promise<Client> {
  const client = new Client(url);
  // The database goes when the test ends, and with it the connection.
  client.on('error', () => undefined);
  await client.connect();
  context.after(() => client.end());
  return client;
}
