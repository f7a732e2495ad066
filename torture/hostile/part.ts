import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { start, startServer, whenReady } from '../../test/support/cli.ts';
import { type Cleanup, newDatabaseUrl, newFolder } from '../../test/support/database.ts';
import { startService } from '../../test/support/service.ts';
import { makeDraw } from '../draw.ts';
import { fillAccounts, NOW, type TestAccount } from '../isolation/accounts.ts';
import type { Order, Outcome, Part } from '../part.ts';
import { makeTally, type Tally, withCleanup } from '../trial.ts';
import { judge, send } from './connection.ts';
import { type DeskTarget, startDeskTarget, tryDeskFile } from './desk.ts';
import { tryImport } from './imports.ts';
import { drawConnection } from './requests.ts';
import { tryUpstream } from './upstreams.ts';

/** The accounts are the same for every seed. */
const WORLD = 1;
const WIDTH = 16;
/** Of so many requests, one file and one upstream. */
const REQUESTS_PER_FILE = 20;
const REQUESTS_PER_UPSTREAM = 50;
/** And so many for each file that is dropped on the desk. */
const REQUESTS_PER_DESK_FILE = 1_000;
const SHARE_OF_GATEWAY = 0.25;

export const hostile: Part = {
  name: 'hostile',
  promises: [
    'No request ends with a 5xx or with the end of the process, whatever it consists of and however its connection ends.',
    'A request that is right is answered rightly, whatever is sent on other connections, and after it on its own.',
    'Every import is either done or refused with a sentence, and a small file does not occupy the processor for long.',
    'At the desk, every file ends as questions, mistakes, a preview, an import or a sentence; nobody is told a stack trace, the log has no key, name or file, and memory and temporary files stay within their limits.',
    'The client throws errors of its own only, the gateway answers 200 or 503, and neither tells the token, whatever the upstream answers.',
    'The calendar shows what a gateway answers, or refuses it with a sentence.',
  ],
  trial:
    'Real servers are sent requests over raw sockets: right ones, mutated ones, random bytes, and ones built from odd methods, ' +
    'targets, versions, headers and bodies, such as two lengths, folded lines, lists of thousands of ids. Connections carry up to ' +
    'six of them, in one piece or in many, and end politely, half-closed or reset. Answers may be missing only when the client ' +
    `resets the connection. One file is imported for every ${REQUESTS_PER_FILE} requests, as a dry run: JSON, CSV, a roster, .xlsx and .ods, mutated as bytes or ` +
    `within the archive, or with one piece repeated until there are up to 500,000 bytes of it. For every ${REQUESTS_PER_UPSTREAM} requests, an upstream answers with mutated listings, odd values, odd ` +
    'headers and wrong statuses, to a client, to a gateway, or to the code by which the calendar reads, without a browser. ' +
    `A desk gets one mutated file for every ${REQUESTS_PER_DESK_FILE}, which is read, read again with random answers, imported or discarded.`,
  unit: 'requests',
  amounts: { quick: 20_000, whole: 1_000_000 },
  run: (order) => withCleanup((context) => run(context, order)),
};

async function run(context: Cleanup, order: Order): Promise<Outcome> {
  const tally = makeTally();
  const targets = await startTargets(context, tally);
  await tryConnections(targets, order, tally);
  await tryImports(order, tally);
  await tryUpstreams(order, tally);
  await tryDesk(await startDeskTarget(context), order, tally);
  await targets.checkAlive();
  return tally;
}

interface Targets {
  readonly serviceUrl: string;
  readonly gatewayUrl: string;
  readonly accounts: readonly TestAccount[];
}

async function startTargets(
  context: Cleanup,
  tally: Tally,
): Promise<Targets & { checkAlive(): Promise<void> }> {
  const filled = await startService(context, { now: NOW });
  const accounts = await fillAccounts(filled, WORLD);
  const { databaseUrl } = filled;
  const service = await startServer(context, [], { databaseUrl });
  const gateway = await whenReady(context, start(...(await gatewayOf(context, service.url, accounts))));
  return {
    serviceUrl: service.url,
    gatewayUrl: gateway.url,
    accounts,
    async checkAlive() {
      for (const { url, child } of [service, gateway]) {
        const isAlive = child.exitCode === null && (await fetch(`${url}/healthz`)).ok;
        if (!isAlive)
          tally.fail(1, `A server ended with ${child.exitCode ?? 'nothing, but does not answer'}.`);
      }
    },
  };
}

/** The words and the options that start one. */
export async function gatewayOf(
  context: Cleanup,
  serviceUrl: string,
  accounts: readonly TestAccount[],
): Promise<[args: readonly string[], options: { env: Record<string, string> }]> {
  const config = join(await newFolder(context), 'website.json');
  const feeds = { feed0: { group_ids: 'all' } };
  await writeFile(config, JSON.stringify({ upstream: `${serviceUrl}/acme`, feeds }));
  return [['gateway', config, '--port', '0'], { env: { SHIFTFEED_TOKEN: accounts[0]?.tokens.live ?? '' } }];
}

/** The number of requests of a seed is drawn, so there are fewer seeds than requests. */
const MEAN_REQUESTS = 2.2;

export async function tryConnections(targets: Targets, order: Order, tally: Tally): Promise<void> {
  const { amount, report } = order;
  const connections = amount === 1 ? 1 : Math.ceil(amount / MEAN_REQUESTS);
  let done = 0;
  await tally.tryMany(order, connections, WIDTH, async (number) => {
    const draw = makeDraw(number, 'connection');
    const drawn = drawConnection(draw, makeDraw(number, 'query'), targets.accounts);
    const isGateway = draw.chance(SHARE_OF_GATEWAY);
    const answered = await send(isGateway ? targets.gatewayUrl : targets.serviceUrl, drawn);
    const statuses = judge(isGateway ? { ...drawn, expected: [] } : drawn, answered);
    if (++done % 10_000 === 0) report(`${done.toLocaleString('en')} connections`);
    tally.count('requests sent', drawn.requests);
    const isWhole = drawn.ending !== 'reset';
    if (!isGateway && isWhole) tally.count('answers equal to the oracle', drawn.expected.length);
    if (isWhole && answered.isReset) tally.count('connections that the server reset');
    return [`connections that ended ${drawn.ending}`, ...statuses.map((status) => `answers with ${status}`)];
  });
}

export async function tryImports(order: Order, tally: Tally): Promise<void> {
  await withCleanup(async (context) => {
    const folder = await newFolder(context);
    const databaseUrl = await newDatabaseUrl(context);
    const count = Math.ceil(order.amount / REQUESTS_PER_FILE);
    // Commands run one at a time, because they share the environment of the process.
    await tally.tryMany(order, count, 1, (number) => {
      const done = number - order.seed;
      if (done % 5_000 === 0) order.report(`${done.toLocaleString('en')} files`);
      return tryImport(number, folder, databaseUrl);
    });
  });
}

export async function tryUpstreams(order: Order, tally: Tally): Promise<void> {
  const count = Math.ceil(order.amount / REQUESTS_PER_UPSTREAM);
  await tally.tryMany(order, count, WIDTH, tryUpstream);
}

const FILES_AT_ONCE = 2;

export async function tryDesk(desk: DeskTarget, order: Order, tally: Tally): Promise<void> {
  const files = Math.ceil(order.amount / REQUESTS_PER_DESK_FILE);
  await tally.tryMany(order, files, FILES_AT_ONCE, (number) => tryDeskFile(number, desk));
  await tally.tryOne(order.seed, async () => {
    for (const [name, figure] of Object.entries(await desk.end())) tally.count(name, figure);
    return [];
  });
}
