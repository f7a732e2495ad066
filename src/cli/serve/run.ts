/** Runs `serve`: has the database prepared and the service run, and prints where it is. */

import cluster from 'node:cluster';
import packageInfo from '../../../package.json' with { type: 'json' };
import { notifySystemd } from '../../server/lifecycle.ts';
import { type Running, type RunOptions, runService, runWorker } from '../../server/run.ts';
import { describeDatabase, warningAboutDisk } from '../../store/open.ts';
import { print, table, warn } from '../print.ts';
import { limitsOf, type ServeOptions, type ServeSettings } from './options.ts';
import { type Preparation, prepare } from './prepare.ts';

const MEGABYTE = 1024 * 1024;
const ACCOUNTS_SHOWN = 5;

export async function serve(settings: ServeSettings): Promise<void> {
  if (cluster.isWorker) return runWorker(runOptions(settings));
  const preparation = prepare(settings);
  const soon = await preparation.soon;
  const warning = warningAboutDisk(settings.database);
  if (warning !== undefined) warn(warning);
  const running = await runService(runOptions(settings)).catch((error: unknown) => {
    preparation.giveUp();
    throw error;
  });
  const accounts = soon?.accounts;
  const root = `${running.url}${settings.pathPrefix}`;
  const facts = { ...settings, root, metricsUrl: running.metricsUrl, accounts };
  const isTerminal = process.stdout.isTTY;
  print(beginning(facts, isTerminal));
  if (accounts !== undefined) await showDemo(settings, root);
  print(ending(facts, isTerminal));
  // It listens, which is what units that start afterwards need, even if the database is not there yet.
  notifySystemd(running.logger);
  if (soon === undefined) await followUp(settings, running, preparation, root);
}

/** Tells why the database is not there, and what is known when it is. */
async function followUp(
  settings: ServeSettings,
  { logger, stop }: Running,
  { done, onTrouble }: Preparation,
  root: string,
): Promise<void> {
  const meanwhile =
    settings.readDatabase === undefined
      ? 'answers 503 to what it cannot read.'
      : 'reads from --read-database meanwhile.';
  onTrouble((trouble) => logger.error(`${trouble} Shiftfeed goes on trying, and ${meanwhile}`));
  const accounts = await done.catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  logger.warn(`The database ${describeDatabase(settings.database)} is ready.`);
  await showDemo(settings, root);
  if (accounts?.length === 0) print(NO_ACCOUNT);
  else if (accounts && process.stdout.isTTY) print(`Accounts: ${describeAccounts(accounts)}`);
}

/** Loaded on demand: only `--demo` makes a token. */
async function showDemo({ demo, database, pages }: ServeOptions, root: string): Promise<void> {
  if (!demo) return;
  const { showDemo } = await import('./demo.ts');
  await showDemo(database, root, { hasPages: pages, isTerminal: process.stdout.isTTY });
}

function runOptions(settings: ServeSettings): RunOptions {
  const { database, readDatabase = database, workers } = settings;
  return {
    ...settings,
    databaseUrl: readDatabase,
    primaryUrl: database,
    cacheBytes: Math.floor((settings.cacheMb * MEGABYTE) / workers),
    staleIfErrorMs: settings.staleIfError * 1000,
    version: packageInfo.version,
    drainMs: settings.drainSeconds * 1000,
    hasPages: settings.pages,
    corsOrigins: new Set(settings.corsOrigin),
    limits: limitsOf(settings),
  };
}

/** What is printed once the service listens: sentences for programs and logs, or a few aligned lines on a terminal. */
interface ServiceFacts extends Pick<ServeOptions, 'pages' | 'database' | 'readDatabase'> {
  readonly root: string;
  readonly metricsUrl: string | undefined;
  /** The names of the accounts, or undefined if they are not known yet. */
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
