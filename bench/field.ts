/**
 * Everything that is measured, made when it is first asked for: databases with the same accounts, and servers on them.
 * A run of one measurement so waits for no more than it needs.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { todayIn } from '../src/feed/pages/today.ts';
import { civilOf, type Day } from '../src/listing/calendar.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { type Cores, moveTo } from './cores.ts';
import { type Account, accountOfSize } from './data/account.ts';
import { type Filling, fillAccount } from './data/fill.ts';
import { type ListedPage, readListing } from './listing.ts';
import { addListedShifts } from './peers/instant/listing.ts';
import { fillTypicalPostgres, fillTypicalSqlite } from './peers/typical/fill.ts';
import { type Server, serveShiftfeed, startServer, untilIdle } from './processes.ts';
import { note } from './progress.ts';
import { pathOf, type Query, type QueryFacts } from './queries.ts';
import { cacheMbFor, type Settings } from './settings.ts';

export interface Field {
  readonly settings: Settings;
  /** Gone afterwards. */
  readonly folder: string;
  readonly today: Day;
  account(size: number): Account;
  sqlite(): Promise<FilledDatabase>;
  /** With some of the accounts, see `postgresSizes`. */
  postgres(): Promise<FilledDatabase>;
  /** Shiftfeed on SQLite, one process for each size, which nobody else asks for other accounts. */
  ours(size: number): Promise<Server>;
  oursOnPostgres(): Promise<Server>;
  typical(): Promise<Server>;
  /** Of the typical service's SQLite database, once `typical` has made it. */
  readonly typicalUrl: string;
  typicalOnPostgres(): Promise<Server>;
  /** Of its PostgreSQL database. */
  typicalPostgresUrl(): Promise<string>;
  instant(): Promise<Server>;
  facts(size: number): Promise<QueryFacts>;
  /** A page as Shiftfeed lists it on SQLite. */
  page(size: number, query: Query): Promise<ListedPage>;
  /** Fastify with fixed buffers, and the folder that holds them as files. */
  fixed(
    pages: Readonly<Record<string, Buffer>>,
  ): Promise<{ readonly server: Server; readonly folder: string }>;
  close(): Promise<void>;
}

export interface FilledDatabase {
  readonly url: string;
  readonly fillings: ReadonlyMap<number, Filling>;
}

export function makeField(settings: Settings, folder: string): Field {
  const today = todayIn('UTC', Date.now());
  const accounts = new Map(settings.sizes.map((size, i) => [size, accountOfSize(size, i + 1)]));
  const sqlitePath = join(folder, 'shiftfeed.db');
  const typicalPath = join(folder, 'typical.db');
  let closePostgres = async () => {};
  let fixedServers = 0;

  const sqlite = lazily(async () => {
    const url = `sqlite:${sqlitePath}`;
    return { url, fillings: await fillAll(url, [...accounts.values()], today) };
  });

  const postgres = lazily(async () => {
    const server = await startPostgres();
    closePostgres = server.remove;
    await movePostgres('server', server.url);
    const some = settings.postgresSizes.map(account);
    return { url: server.url, fillings: await fillAll(server.url, some, today) };
  });

  const typicalPostgresUrl = lazily(async () => {
    const url = await fillTypicalPostgres((await postgres()).url);
    await addListedShifts(url);
    return url;
  });

  const ours = lazilyByKey(async (size: number) =>
    serveShiftfeed((await sqlite()).url, { cacheMb: cacheMbFor(size) }),
  );

  function account(size: number): Account {
    const found = accounts.get(size);
    if (found === undefined) throw new Error(`There is no account of ${size} shifts a year in this run.`);
    return found;
  }

  const facts = lazilyByKey(async (size: number) => {
    const { path, headers } = account(size);
    const server = await ours(size);
    const { total } = await readListing({ url: server.url + path, headers });
    await untilIdle(server);
    return { nextYear: civilOf(today).year + 1, total };
  });

  return {
    settings,
    folder,
    today,
    account,
    sqlite,
    postgres,
    ours,
    typicalUrl: `sqlite:${typicalPath}`,
    oursOnPostgres: lazily(async () => serveShiftfeed((await postgres()).url)),
    typical: lazily(async () => {
      await sqlite();
      note('Copying the accounts for the typical service');
      fillTypicalSqlite(typicalPath, sqlitePath);
      return startServer('./peers/typical/main.ts', [`sqlite:${typicalPath}`]);
    }),
    typicalPostgresUrl,
    typicalOnPostgres: lazily(async () =>
      startServer('./peers/typical/main.ts', [await typicalPostgresUrl()]),
    ),
    instant: lazily(async () => startServer('./peers/instant/main.ts', [await typicalPostgresUrl()])),
    facts,
    async page(size, query) {
      const server = await ours(size);
      const path = pathOf(query, account(size), await facts(size));
      const page = await readListing({ url: server.url + path, headers: account(size).headers });
      await untilIdle(server);
      return page;
    },
    async fixed(pages) {
      const pagesFolder = join(folder, `pages-${++fixedServers}`);
      await mkdir(pagesFolder);
      for (const [name, body] of Object.entries(pages)) await writeFile(join(pagesFolder, name), body);
      return {
        server: await startServer('./peers/fixed-buffer.ts', [pagesFolder]),
        folder: pagesFolder,
      };
    },
    close: () => closePostgres(),
  };
}

async function fillAll(
  url: string,
  accounts: readonly Account[],
  today: Day,
): Promise<ReadonlyMap<number, Filling>> {
  const fillings = new Map<number, Filling>();
  for (const account of accounts) {
    note(`Filling ${url.replace(/:.*/, '')} with ${account.shiftsPerYear} shifts a year`);
    fillings.set(account.shiftsPerYear, await fillAccount(url, account, today));
  }
  return fillings;
}

/** Connections that are made from now on are served there. */
export async function movePostgres(cores: keyof Cores, url: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query(`SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`);
  await client.end();
  moveTo(cores, Number(rows[0].pid));
}

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function lazilyByKey<Key, T>(make: (key: Key) => Promise<T>): (key: Key) => Promise<T> {
  const made = new Map<Key, Promise<T>>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}
