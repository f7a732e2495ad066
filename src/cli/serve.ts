import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { DEMO_SLUG, DEMO_TIME_ZONE, demoDocument } from '../demo/account.ts';
import { todayIn } from '../feed/today.ts';
import { importDocument } from '../import/import.ts';
import { StoreFailure } from '../store/failure.ts';
import type { Store } from '../store/store.ts';
import { databaseOption, integerBetween, withStore } from './options.ts';
import { print } from './print.ts';
import { startServer } from './server.ts';
import { issueToken } from './token.ts';
import { startWorkers } from './workers.ts';

interface Options {
  readonly database: string;
  readonly readDatabase?: string;
  readonly host: string;
  readonly port: number;
  readonly workers: number;
  readonly cacheMb: number;
  readonly staleIfError: number;
  readonly baseUrl?: string;
  readonly corsOrigin: readonly string[];
  readonly demo?: boolean;
}

const MEGABYTE = 1024 * 1024;
const MAX_WORKERS = 256;
const MAX_STALE_SECONDS = 7 * 24 * 3600;
const DEMO_TOKEN_DAYS = 30;

export function serveCommand(): Command {
  return new Command('serve')
    .summary('Serve the API over HTTP.')
    .description(
      'Serves the API over HTTP. The first line on standard output holds the URL; logs go to standard ' +
        'error. SIGTERM and SIGINT let running requests finish.',
    )
    .addOption(
      new Option('--host <address>', 'the address to listen on')
        .env('HOST')
        .default('127.0.0.1')
        .argParser(parseHost),
    )
    .addOption(
      new Option('--port <number>', 'the port to listen on; 0 picks a free one')
        .env('PORT')
        .default(8080)
        .argParser(integerBetween(0, 65_535)),
    )
    .option('--workers <number|auto>', 'how many processes serve; auto is one a core', parseWorkers, 1)
    .option(
      '--cache-mb <number>',
      'memory for shifts, in megabytes, of all workers',
      integerBetween(1, 1_000_000),
      256,
    )
    .option(
      '--stale-if-error <seconds>',
      'for how long to list from memory while the database is away',
      integerBetween(0, MAX_STALE_SECONDS),
      0,
    )
    .option('--base-url <url>', 'where clients reach the service, for links behind a proxy', parseBaseUrl)
    .option(
      '--cors-origin <origin>',
      'let pages of this origin read from a browser; may be repeated',
      collectOrigin,
      [],
    )
    .option('--demo', 'add a demo account when there is no account yet, and print a request to try')
    .addOption(databaseOption())
    .option('--read-database <url>', 'where to read instead, such as a replica')
    .addHelpText(
      'after',
      `
Examples:
  shiftfeed serve --demo
  shiftfeed serve --host 0.0.0.0 --workers auto --database postgres://shiftfeed@db.example/shiftfeed`,
    )
    .action(serve);
}

async function serve(options: Options): Promise<void> {
  if (cluster.isWorker) {
    const { stop } = await startOne(options);
    return stopOnSignal(stop);
  }
  // The one process that there is in any case brings the schema up to date.
  const demoToken = await withStore(options.database, { missing: 'create' }, (store) =>
    prepare(store, options),
  ).catch((error: unknown) => goOnWithoutPrimary(options, error));
  const { url, stop } =
    options.workers > 1
      ? await startWorkers(options.workers, options.host, options.port)
      : await startOne(options);
  stopOnSignal(stop);
  print(`Shiftfeed listens on ${url}`);
  if (demoToken !== undefined) {
    print(
      `Try it: curl -H 'Authorization: Bearer ${demoToken}' '${url}/${DEMO_SLUG}/api/v1/shifts?per_page=3'`,
    );
  }
}

function startOne({
  database,
  readDatabase,
  host,
  port,
  workers,
  cacheMb,
  staleIfError,
  ...options
}: Options) {
  return startServer({
    databaseUrl: readDatabase ?? database,
    host,
    port,
    cacheBytes: Math.floor((cacheMb * MEGABYTE) / workers),
    staleIfErrorMs: staleIfError * 1000,
    baseUrl: options.baseUrl,
    corsOrigins: new Set(options.corsOrigin),
  });
}

/** A server that reads elsewhere can start while its primary is away; the schema is then left as it is. */
function goOnWithoutPrimary({ readDatabase }: Options, error: unknown): undefined {
  const isAway = error instanceof StoreFailure && error.kind === 'unavailable';
  if (readDatabase === undefined || !isAway) throw error;
  process.stderr.write(`shiftfeed: ${error.message} Going on with --read-database alone.\n`);
}

/** Returns a token of the demo account, if there is to be one. */
async function prepare(store: Store, { demo }: Options): Promise<string | undefined> {
  if (!demo) return undefined;
  if ((await store.accounts()).length === 0) {
    const document = demoDocument(todayIn(DEMO_TIME_ZONE, Date.now()));
    await importDocument(store, document, { replace: false, dryRun: false });
  }
  const account = await store.findAccount(DEMO_SLUG);
  if (!account?.premium) return undefined;
  return issueToken(store, account, 'demo', Date.now() + DEMO_TOKEN_DAYS * 24 * 3_600_000);
}

function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = () => {
    // Ctrl-C in a terminal arrives twice when npm or the launcher passes it on as well.
    if (stopping) return;
    stopping = true;
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

/** To Node, an empty address would mean every address of the machine. */
function parseHost(text: string): string {
  if (text === '') throw new InvalidArgumentError('Expected an address such as 127.0.0.1.');
  return text;
}

function parseBaseUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || /[?#@]/.test(text)) {
    throw new InvalidArgumentError('Expected a URL such as https://shifts.example.org.');
  }
  return url.href.replace(/\/$/, '');
}

/** As browsers write it, so that it can be compared as it is. */
function collectOrigin(text: string, origins: readonly string[]): string[] {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new InvalidArgumentError('Expected an origin such as https://www.example.org.');
  }
  return [...origins, url.origin];
}

function parseWorkers(text: string): number {
  return text === 'auto' ? availableParallelism() : integerBetween(1, MAX_WORKERS)(text);
}
