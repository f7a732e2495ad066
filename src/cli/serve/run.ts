/** Runs `serve`: prepares the database, has the service run, and prints where it is. */

import cluster from 'node:cluster';
import { notifySystemd } from '../../server/lifecycle.ts';
import { type RunOptions, runService, runWorker } from '../../server/run.ts';
import { StoreFailure } from '../../store/failure.ts';
import { describeDatabase, warningAboutDisk } from '../../store/open.ts';
import { withStore } from '../options.ts';
import { print, table, warn } from '../print.ts';
import type { ServeOptions, ServeSettings } from './options.ts';

const MEGABYTE = 1024 * 1024;
const ACCOUNTS_SHOWN = 5;

export async function serve(settings: ServeSettings): Promise<void> {
  if (cluster.isWorker) return runWorker(runOptions(settings));
  const accounts = await prepare(settings);
  const warning = warningAboutDisk(settings.database);
  if (warning !== undefined) warn(warning);
  const { url, metricsUrl, logger } = await runService(runOptions(settings));
  const root = `${url}${settings.pathPrefix}`;
  const facts = { ...settings, root, metricsUrl, accounts };
  const isTerminal = process.stdout.isTTY;
  print(beginning(facts, isTerminal));
  if (settings.demo && accounts !== undefined)
    await (await demo()).showDemo(settings.database, root, { hasPages: settings.pages, isTerminal });
  print(ending(facts, isTerminal));
  notifySystemd(logger);
}

/** Loaded on demand: only `--demo` imports an account. */
function demo() {
  return import('./demo.ts');
}

/**
 * Brings the schema up to date, once, before any worker starts, and returns the names of the accounts. With
 * --read-database, the server can start while --database is unavailable. Then the schema stays as it is, and nothing is
 * known of accounts.
 */
async function prepare({
  database,
  readDatabase,
  demo: wantsDemo,
}: ServeOptions): Promise<string[] | undefined> {
  try {
    return await withStore(database, { missing: 'create' }, async (store) => {
      if (wantsDemo) await (await demo()).addDemoAccount(store);
      return (await store.accounts()).map(({ slug }) => slug);
    });
  } catch (error) {
    // During an upgrade, a server of the version before may have to start again. The demo account would be a write.
    if (error instanceof StoreFailure && error.kind === 'newer' && !wantsDemo) {
      warn(`${error.message} Until then, this one still serves what it reads there.`);
      return undefined;
    }
    const isAway = error instanceof StoreFailure && error.kind === 'unavailable';
    if (readDatabase === undefined || !isAway) throw error;
    warn(`${error.message} Going on with --read-database alone.`);
    return undefined;
  }
}

function runOptions(settings: ServeSettings): RunOptions {
  const { database, readDatabase = database, workers } = settings;
  return {
    databaseUrl: readDatabase,
    primaryUrl: database,
    address: settings.address,
    adminAddress: settings.adminAddress,
    workers,
    cacheBytes: Math.floor((settings.cacheMb * MEGABYTE) / workers),
    staleIfErrorMs: settings.staleIfError * 1000,
    logLevel: settings.logLevel,
    baseUrl: settings.baseUrl,
    pathPrefix: settings.pathPrefix,
    hasPages: settings.pages,
    trustProxy: settings.trustProxy,
    corsOrigins: new Set(settings.corsOrigin),
    rateLimit: settings.rateLimit,
    failedTokenLimit: settings.failedTokenLimit,
    limits: {
      maxConnections: settings.maxConnections,
      headerTimeoutMs: settings.headerTimeout * 1000,
      idleTimeoutMs: settings.idleTimeout * 1000,
    },
  };
}

/** What is printed once the service listens: sentences for programs and logs, or a few aligned lines on a terminal. */
export interface ServiceFacts extends Pick<ServeOptions, 'pages' | 'database' | 'readDatabase'> {
  readonly root: string;
  readonly metricsUrl: string | undefined;
  /** The names of the accounts, or undefined if they could not be read. */
  readonly accounts: readonly string[] | undefined;
}

/** Comes first. Its first line holds the URL, because programs wait for that. */
export function beginning({ root, ...facts }: ServiceFacts, isTerminal: boolean): string {
  if (!isTerminal) return `Shiftfeed listens on ${root}`;
  const rows = [
    ...(facts.pages ? [['  Docs', `${root}/docs`]] : []),
    ['  Database', describeDatabase(facts.database)],
    ...(facts.readDatabase === undefined ? [] : [['  Read from', describeDatabase(facts.readDatabase)]]),
    ...(facts.accounts === undefined ? [] : [['  Accounts', describeAccounts(facts.accounts)]]),
    ...(facts.metricsUrl === undefined ? [] : [['  Metrics', facts.metricsUrl]]),
  ];
  return `Shiftfeed listens on ${root}\n\n${table(rows)}\n`;
}

/** Comes after what is printed about the demo account. */
export function ending(facts: ServiceFacts, isTerminal: boolean): string {
  const { metricsUrl, database, readDatabase, accounts } = facts;
  const hints = accounts?.length === 0 ? [NO_ACCOUNT] : [];
  if (isTerminal) return [...hints, 'Ctrl-C stops it.'].join('\n');
  const metrics = metricsUrl === undefined ? [] : [`Metrics are at ${metricsUrl}`];
  const readFrom =
    readDatabase === undefined ? '' : `, and shifts are read from ${describeDatabase(readDatabase)}`;
  return [...metrics, `The database is ${describeDatabase(database)}${readFrom}`, ...hints].join('\n');
}

const NO_ACCOUNT =
  'There is no account yet: "shiftfeed import plan.json" adds one, and the service lists it at once. ' +
  '"shiftfeed serve --demo" adds one with made-up shifts.';

function describeAccounts(accounts: readonly string[]): string {
  if (accounts.length === 0) return 'none yet';
  const rest = accounts.length - ACCOUNTS_SHOWN;
  return accounts.slice(0, ACCOUNTS_SHOWN).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
