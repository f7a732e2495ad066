import { tryFeeds } from '../../test/kit/gateway/privacy.ts';
import type { Cleanup } from '../../test/support/database.ts';
import { type Service, startService } from '../../test/support/service.ts';
import { makeClient } from '../client.ts';
import type { Order, Outcome, Part } from '../part.ts';
import { MAX_FAILURES, makeTally, type Tally, withCleanup } from '../trial.ts';
import { fillAccounts, NOW } from './accounts.ts';
import { openDeskWorld, tryDesk } from './desk.ts';
import { tryToken } from './tokens.ts';

/** So many seeds have the same accounts. */
const SEEDS_PER_WORLD = 2_500;
const WIDTH = 8;
const REQUESTS_PER_DESK_VISIT = 5;
/** Each is visited some twenty times. */
const REQUESTS_PER_FEED = 20;

export const isolation: Part = {
  name: 'isolation',
  promises: [
    'An account is read with a live token of that account, and with no other.',
    'An answer holds nothing of another account, of a group that is not active, or of an unpublished shift that was not asked for.',
    'What is not named in `show` of a feed never leaves the gateway, in no form; nor do groups, days and shifts that the owner did not choose.',
    'A live key opens the desk of its account alone, for what its role may; whoever has none learns nothing, and ids of others lead nowhere.',
  ],
  trial:
    'Five accounts have the same ids, names that begin alike, and texts that tell whose they are. Each request takes a random ' +
    'account, query, encoding and token: the right one, one of another account, a revoked, expired or nearly right one, the hash ' +
    'of one, or none. Its answer must be that of the oracle, byte by byte after unpacking, or the one refusal. As many visits go ' +
    'to gateways with random feeds, in each form and language; what they show is searched for every text that the feed ' +
    'hides, and JSON must be that of an oracle. For each ' +
    `${REQUESTS_PER_DESK_VISIT} requests, the desk is visited with the key of a planner or an owner, a dead or nearly right one, a token, or none, and asked for ` +
    "what is theirs or another account's: files, previews, history, tokens, keys, an undo. Each answer must have its one status and no text of another " +
    'account.',
  unit: 'requests',
  amounts: { quick: 5_000, whole: 100_000 },
  run: (order) => withCleanup((context) => run(context, order)),
};

async function run(context: Cleanup, order: Order): Promise<Outcome> {
  const service = await startService(context, { now: NOW });
  const tally = makeTally();
  const end = order.seed + order.amount;
  for (let first = order.seed; first < end && !order.signal.aborted; ) {
    const world = Math.floor(first / SEEDS_PER_WORLD);
    const count = Math.min(end, (world + 1) * SEEDS_PER_WORLD) - first;
    await withCleanup((inner) =>
      tryWorld(inner, service, world, { ...order, seed: first, amount: count }, tally),
    );
    first += count;
    order.report(`${(first - order.seed).toLocaleString('en')} requests and visits`);
    if (tally.failures.length >= MAX_FAILURES) break;
  }
  return tally;
}

async function tryWorld(
  context: Cleanup,
  service: Service,
  world: number,
  order: Order,
  tally: Tally,
): Promise<void> {
  const { seed, amount } = order;
  const accounts = await fillAccounts(service, world);
  const get = makeClient(context, service.url, WIDTH);
  await tally.tryMany(order, amount, WIDTH, (number) => tryToken(number, accounts, get));

  const numRuns = Math.ceil(amount / REQUESTS_PER_FEED);
  await tally.tryOne(seed, async () => {
    await tryFeeds({ numRuns, seed });
    tally.count('feeds visited in every form', numRuns);
    return [];
  });

  // Each takes a process that reads a file.
  const desk = await openDeskWorld(context, service, accounts.slice(0, Math.max(2, amount / 100)));
  const visits = Math.ceil(amount / REQUESTS_PER_DESK_VISIT);
  await tally.tryMany(order, visits, WIDTH, (number) => tryDesk(number, desk));
  await tally.tryOne(seed, async () => {
    await desk.checkIntact();
    return [];
  });
}
