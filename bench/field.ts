/**
 * Everything that is measured, made when it is first asked for: databases with an account each, and servers on them. So
 * a measurement waits for no more than it needs. And what is asked of every account, as pages of websites would ask it.
 */

import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts';
import { writeImportFile } from './accounts.ts';
import { type Cores, moveTo } from './cores.ts';
import { type ListedPage, readListing, type Target } from './load.ts';
import { whole } from './numbers.ts';
import { fillTypicalPostgres, fillTypicalSqlite } from './peers/typical/schema.ts';
import { note, type Server, SHIFTFEED, serveShiftfeed, startPeer, untilIdle } from './processes.ts';
import { cacheMbFor, type Settings } from './settings.ts';

export type DatabaseKind = 'SQLite' | 'PostgreSQL';

/** An account in a database of Shiftfeed, and how to ask for its shifts. */
export interface Account {
  readonly databaseUrl: string;
  readonly slug: string;
  readonly shifts: number;
  readonly path: string;
  readonly token: string;
  readonly headers: Target['headers'];
}

export interface Query {
  readonly name: string;
  /** @param total how many shifts the default window has */
  parameters(total: number): Parameters;
}
type Parameters = Readonly<Record<string, string | number>>;

const PER_PAGE = 500;
/** A calendar year that the accounts cover whole. */
const NEXT_YEAR = new Date().getUTCFullYear() + 1;

export const FIRST_PAGE: Query = { name: 'first page', parameters: () => ({}) };
/** The last full one: how many rows a remainder has is chance. */
export const LAST_PAGE: Query = {
  name: 'last page',
  parameters: (total) => ({ page: Math.floor(total / PER_PAGE) }),
};
export const TEN: Query = { name: '10 a page', parameters: () => ({ per_page: 10 }) };

export const QUERIES: readonly Query[] = [
  FIRST_PAGE,
  LAST_PAGE,
  { name: 'a week', parameters: () => ({ weeks: 20, years: NEXT_YEAR }) },
  { name: 'two groups', parameters: () => ({ group_ids: '3,7' }) },
  { name: 'a weekday over a year', parameters: () => ({ days: 2, years: NEXT_YEAR }) },
  { name: 'published=false', parameters: () => ({ published: 'false' }) },
  TEN,
];

export type Field = ReturnType<typeof makeField>;

/** @param folder gone afterwards */
export function makeField(settings: Settings, folder: string) {
  let postgres: PostgresServer | undefined;
  let fixedServers = 0;
  const sqlitePath = (size: number) => join(folder, `size-${size}.db`);

  const startedPostgres = once(async () => {
    postgres = await startPostgres();
    moveTo('server', postgres.pid());
    return postgres;
  });

  const account = once(async (kind: DatabaseKind, size: number): Promise<Account> => {
    note(`Filling ${kind} with ${whole(size)} shifts a year`);
    if (kind === 'SQLite') return fill(`sqlite:${sqlitePath(size)}`, size, folder);
    return fill(await createDatabase((await startedPostgres()).url, `size_${size}`), size, folder);
  });

  /** Of the typical service's database, with the same account. */
  const typicalUrl = once(async (kind: DatabaseKind, size: number) => {
    const { databaseUrl } = await account(kind, size);
    note(`Copying ${whole(size)} shifts a year for the typical service`);
    if (kind === 'SQLite') {
      const path = join(folder, `typical-${size}.db`);
      fillTypicalSqlite(path, sqlitePath(size));
      return `sqlite:${path}`;
    }
    return fillTypicalPostgres(databaseUrl);
  });

  const ours = once(async (kind: DatabaseKind, size: number) => {
    const { databaseUrl } = await account(kind, size);
    return serveShiftfeed(databaseUrl, { cacheMb: cacheMbFor(size) });
  });

  const total = once(async (size: number) => {
    const { path, headers } = await account('SQLite', size);
    const server = await ours('SQLite', size);
    const page = await readListing({ url: server.url + path, headers });
    await untilIdle(server);
    return page.total;
  });

  return {
    settings,
    folder,
    account,
    typicalUrl,
    ours,
    typical: once(async (kind: DatabaseKind, size: number) =>
      startPeer('typical/main', [await typicalUrl(kind, size)]),
    ),

    /** The path of a question to an account. Whatever `more` says replaces what the query says. */
    async pathOf(size: number, query: Query, more: Parameters = {}): Promise<string> {
      const { path } = await account('SQLite', size);
      const parameters = Object.entries({ ...query.parameters(await total(size)), ...more });
      const search = parameters.map(([name, value]) => `${name}=${value}`).join('&');
      return search === '' ? path : `${path}?${search}`;
    },

    /** A page as Shiftfeed lists it on SQLite, and how it was asked for. */
    async page(size: number, query: Query): Promise<ListedPage & { readonly target: Target }> {
      const { headers } = await account('SQLite', size);
      const server = await ours('SQLite', size);
      const target = { url: server.url + (await this.pathOf(size, query)), headers };
      const page = await readListing(target);
      await untilIdle(server);
      return { ...page, target };
    },

    /** Fastify with fixed buffers, and the folder that holds them as files. */
    async fixed(pages: Readonly<Record<string, Buffer>>): Promise<{ server: Server; pagesFolder: string }> {
      const pagesFolder = join(folder, `pages-${++fixedServers}`);
      await mkdir(pagesFolder);
      for (const [name, body] of Object.entries(pages)) await writeFile(join(pagesFolder, name), body);
      return { server: await startPeer('fixed-buffer', [pagesFolder]), pagesFolder };
    },

    /** Where PostgreSQL runs from now on: at first beside the servers. */
    movePostgres: async (cores: keyof Cores) => moveTo(cores, (await startedPostgres()).pid()),

    close: async () => postgres?.remove(),
  };
}

/** Adds an account of a size to a database, which is made if it is not there. */
export async function fill(
  databaseUrl: string,
  size: number,
  folder: string,
  script = SHIFTFEED,
): Promise<Account> {
  const slug = `size-${size}`;
  const file = join(folder, `${slug}.json`);
  const shifts = await writeImportFile(file, 'json', { slug, shiftsPerYear: size });
  const run = (...args: readonly string[]) =>
    execFileSync(process.execPath, [script, ...args, '--database', databaseUrl], { encoding: 'utf8' });
  run('import', file, '--quiet');
  await rm(file);
  const token = run('token', 'create', slug).trim();
  const headers = { authorization: `Bearer ${token}` };
  return { databaseUrl, slug, shifts, path: `/${slug}/api/v1/shifts`, token, headers };
}

export async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new Client(serverUrl);
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return Object.assign(new URL(serverUrl), { pathname: name }).href;
}

/** Makes each thing once, however often it is asked for. */
function once<Args extends readonly (string | number)[], T>(
  make: (...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  const made = new Map<string, Promise<T>>();
  return (...args) => {
    const known = made.get(args.join()) ?? make(...args);
    made.set(args.join(), known);
    return known;
  };
}
