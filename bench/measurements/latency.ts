/** How long an answer takes at half of the maximal rate: beside a fixed buffer, and while another account is loaded. */

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { monthsAround, today } from '../accounts.ts';
import { type Account, FIRST_PAGE, type Field, fill } from '../field.ts';
import { askOnSchedule, assertSameBytes, keepBusy, readListing, type Target } from '../load.ts';
import { brief, milliseconds, percentile, ratio, sampleOf, whole, withSpread } from '../numbers.ts';
import { note, type Server, serveShiftfeed } from '../processes.ts';
import type { Report } from '../report.ts';
import { compare, listInTurns } from '../rounds.ts';
import { LARGE, SMALL } from '../settings.ts';

const CONTESTANTS = { ours: 'Shiftfeed', fixed: 'Fastify, a fixed buffer' } as const;
type Contestant = keyof typeof CONTESTANTS;
const NAMES = Object.keys(CONTESTANTS) as Contestant[];

/**
 * V8 compiles what is hot in threads that, on one core, take turns with the requests: for some milliseconds at a time,
 * and longer the more code there is. These rounds are asked and not counted.
 */
const ROUNDS_TO_COMPILE = 15;
/** As often as elsewhere times this: a hundredth is easily disturbed. */
const MORE_ROUNDS = 2;

export async function measureLatency(field: Field, report: Report): Promise<void> {
  const { body, target } = await field.page(LARGE, FIRST_PAGE);
  const { server: fixed } = await field.fixed({ page: body });
  const targets = { ours: target, fixed: { url: `${fixed.url}/page`, headers: target.headers } };
  await assertSameBytes(targets.fixed, body);

  const { rounds, isQuick } = field.settings;
  const maximal = await compare(targets, { ...rounds, rounds: Math.min(rounds.rounds, 3) });
  const perSecond = maximal.ours.median / 2;
  const uncounted = isQuick ? 3 : ROUNDS_TO_COMPILE;
  report.text(
    `The first page of 128,000 shifts a year. Both are asked ${whole(perSecond)} times a second, half of what Shiftfeed can answer, on a ` +
      `fixed schedule from Node; an answer is timed from when its request was due. ${uncounted} rounds go before that are not counted, because as ` +
      'long as V8 compiles, it takes the core away from requests for some milliseconds at a time.',
  );
  const ask = (name: Contestant) => askOnSchedule(targets[name], perSecond, delay(rounds.seconds * 1000));
  for (let round = 0; round < uncounted; round++) {
    for (const name of NAMES) await ask(name);
  }
  const latencies = await listInTurns(NAMES, MORE_ROUNDS * rounds.rounds, ask);
  const inRounds = (name: Contestant, share: number) =>
    sampleOf(latencies[name].map((sorted) => percentile(sorted, share)));
  const toFixed = ratio(inRounds('ours', 0.99), inRounds('fixed', 0.99));
  const addRow = report.table(
    'who | median | p99 | p99 of the best and the worst round | p99 to the fixed buffer',
  );
  for (const name of NAMES) {
    const p99 = inRounds(name, 0.99);
    addRow(
      CONTESTANTS[name],
      milliseconds(inRounds(name, 0.5).median),
      milliseconds(p99.median),
      `${milliseconds(p99.lowest)}–${milliseconds(p99.highest)}`,
      name === 'ours' ? brief(toFixed) : '',
    );
  }
  report.finding('latency', toFixed);
  await fixed.stop();
}

/** About half as long as the other account is loaded on one core beside the requests. */
const ALONE_SECONDS = 5;
/** Before either: as long as V8 compiles, it takes the core away from requests for some milliseconds at a time. */
const WARM_UP_SECONDS = 5;

/** What readers of an account in memory notice of another one that is being loaded. */
export async function measureNeighbour(field: Field, report: Report): Promise<void> {
  report.text(
    'The first page of an account of 5,000 shifts a year that is in memory, while every month of one of 128,000 is read for the first time since the ' +
      'server was started. Latencies are taken at half of the maximal rate, rates from connections that are kept busy, both by Node. ' +
      `A single pause of the server decides the p99 of a second, so without a load latencies are taken for ${ALONE_SECONDS} s. ` +
      `${WARM_UP_SECONDS} s go before that are not counted, because V8 still compiles. ` +
      'Loading runs in a thread of its own, which has to share the core of the server.',
  );
  note('Filling a database with two accounts');
  const databaseUrl = `sqlite:${join(field.folder, 'neighbours.db')}`;
  const small = await fill(databaseUrl, SMALL, field.folder);
  const large = await fill(databaseUrl, LARGE, field.folder);

  async function besideAlone(aloneSeconds: number, ask: Ask) {
    const server = await serveShiftfeed(databaseUrl);
    const warm = { url: server.url + small.path, headers: small.headers };
    await ask(warm, delay(WARM_UP_SECONDS * 1000));
    const alone = await ask(warm, delay(aloneSeconds * 1000));
    const beside = await ask(warm, readEveryMonth(server, large));
    await server.stop();
    return { alone, beside };
  }

  const { seconds, rounds } = field.settings.rounds;
  const perSecond = (await besideAlone(1, keepBusy)).alone / 2;
  const askSometimes: Ask = async (target, until) =>
    percentile(await askOnSchedule(target, perSecond, until), 0.99);
  const pairs = await listInTurns(['p99Ms', 'rate'], rounds, (name) =>
    name === 'p99Ms' ? besideAlone(ALONE_SECONDS, askSometimes) : besideAlone(seconds, keepBusy),
  );
  const samples = (name: 'p99Ms' | 'rate') => ({
    alone: sampleOf(pairs[name].map(({ alone }) => alone)),
    beside: sampleOf(pairs[name].map(({ beside }) => beside)),
  });
  const [p99Ms, rate] = [samples('p99Ms'), samples('rate')];
  const slower = ratio(p99Ms.beside, p99Ms.alone);
  const kept = ratio(rate.beside, rate.alone);
  const addRow = report.table(' | p99 | ratio | pages/s | ratio');
  const aloneMs = `${milliseconds(p99Ms.alone.median)} at ${whole(perSecond)}/s`;
  addRow('nothing is loaded', aloneMs, '', withSpread(rate.alone), '');
  const besideMs = milliseconds(p99Ms.beside.median);
  addRow('while it is loaded', besideMs, brief(slower), withSpread(rate.beside), brief(kept));
  report.finding('neighbourLatency', slower);
  report.finding('neighbourThroughput', kept);
}

type Ask = (target: Target, until: Promise<unknown>) => Promise<number>;

async function readEveryMonth({ url }: Server, { path, headers }: Account): Promise<void> {
  for (const { year, month } of monthsAround(today())) {
    await readListing({ url: `${url}${path}?years=${year}&months=${month}`, headers });
  }
}
