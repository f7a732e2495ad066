import type { AddressInfo } from 'node:net';
import { Command, Option } from 'commander';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { DEMO_SLUG, DEMO_TIME_ZONE, demoDocument } from '../demo/account.ts';
import { makeFeed } from '../feed/feed.ts';
import { startLoader } from '../feed/loader.ts';
import { todayIn } from '../feed/today.ts';
import { makeApp } from '../http/app.ts';
import { importDocument } from '../import/import.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { Failure } from './failure.ts';
import { databaseOption, integerBetween } from './options.ts';
import { print } from './print.ts';
import { issueToken } from './token.ts';

interface Options {
  readonly database: string;
  readonly host: string;
  readonly port: number;
  readonly cacheMb: number;
  readonly demo?: boolean;
}

const MEGABYTE = 1024 * 1024;
/** How long running requests may take to finish once the server was told to stop. */
const DRAIN_LIMIT_MS = 10_000;
const DEMO_TOKEN_DAYS = 30;

export function serveCommand(): Command {
  return new Command('serve')
    .summary('Serve the API over HTTP.')
    .description(
      'Serves the API over HTTP. The first line on standard output holds the URL; logs go to standard error.\n' +
        'SIGTERM and SIGINT let running requests finish.',
    )
    .addOption(new Option('--host <address>', 'the address to listen on').env('HOST').default('127.0.0.1'))
    .addOption(
      new Option('--port <number>', 'the port to listen on; 0 picks a free one')
        .env('PORT')
        .default(8080)
        .argParser(integerBetween(0, 65_535)),
    )
    .option('--cache-mb <number>', 'memory for shifts, in megabytes', integerBetween(1, 1_000_000), 256)
    .option('--demo', 'add a demo account when there is no account yet, and print a request to try')
    .addOption(databaseOption())
    .addHelpText(
      'after',
      `
Examples:
  shiftfeed serve --demo
  shiftfeed serve --host 0.0.0.0 --port 80 --database sqlite:/var/lib/shiftfeed/shiftfeed.db`,
    )
    .action(serve);
}

async function serve(options: Options): Promise<void> {
  const store = await openStore(options.database, { missing: 'create' });
  if (options.demo) await addDemoAccount(store);
  const loader = startLoader(options.database);
  const logger = pino(pino.destination({ dest: process.stderr.fd, sync: true }));
  const feed = makeFeed({ store, loader, clock: Date.now, cacheBudgetBytes: options.cacheMb * MEGABYTE });
  const app = makeApp({ feed, logger });
  const stop = async () => {
    await app.close();
    await loader.close();
    await store.close();
  };

  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (error) {
    await stop();
    throw listenFailure(error, options);
  }
  stopOnSignal(app, stop);
  const url = urlOf(app);
  print(`Shiftfeed listens on ${url}`);
  if (options.demo) await printDemoRequest(store, url);
}

async function addDemoAccount(store: Store): Promise<void> {
  if ((await store.accounts()).length > 0) return;
  const document = demoDocument(todayIn(DEMO_TIME_ZONE, Date.now()));
  await importDocument(store, document, { replace: false, dryRun: false });
}

async function printDemoRequest(store: Store, url: string): Promise<void> {
  const account = await store.findAccount(DEMO_SLUG);
  if (!account?.premium) return;
  const expiresAtMs = Date.now() + DEMO_TOKEN_DAYS * 24 * 3_600_000;
  const token = await issueToken(store, account, 'demo', expiresAtMs);
  print(`Try it: curl -H 'Authorization: Bearer ${token}' '${url}/${DEMO_SLUG}/api/v1/shifts?per_page=3'`);
}

function stopOnSignal(app: FastifyInstance, stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = () => {
    // Whoever asks twice does not want to wait.
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => app.server.closeAllConnections(), DRAIN_LIMIT_MS).unref();
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

function urlOf(app: FastifyInstance): string {
  const { address, port, family } = app.server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function listenFailure(error: unknown, { host, port }: Options): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is in use already: choose another one with --port.`,
    EACCES: `Port ${port} may not be used by this user: choose one above 1023 with --port.`,
    EADDRNOTAVAIL: `The address ${host} is not one of this machine: choose another one with --host.`,
    ENOTFOUND: `The host ${host} is unknown: choose another one with --host.`,
  };
  const sentence = sentences[code ?? ''];
  return sentence === undefined ? error : new Failure(sentence, { cause: error });
}
