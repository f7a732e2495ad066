/** What readers of an account in memory notice of another one that is being loaded. */

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cores } from '../cores.ts';
import type { Field } from '../field.ts';
import { readListing } from '../listing.ts';
import { keepBusy } from '../load/busy.ts';
import { askOnSchedule } from '../load/schedule.ts';
import type { Target } from '../load/target.ts';
import { CONNECTIONS, measureThroughput } from '../load/throughput.ts';
import { serveShiftfeed } from '../processes.ts';
import { note } from '../progress.ts';
import { brief, milliseconds, ratio, whole, withSpread } from '../report/format.ts';
import type { Section } from '../report/section.ts';
import { listInTurns } from '../rounds.ts';
import { percentile, type Sample, sampleOf } from '../sample.ts';
import { LARGE, SMALL } from '../settings.ts';

interface Effect {
  readonly perSecond: number;
  readonly p99Ms: Readonly<Record<'alone' | 'beside', Sample>>;
  readonly rate: Readonly<Record<'alone' | 'beside', Sample>>;
}

const PLACES = { server: 'one core', all: 'all cores, which the load uses as well' } as const;
type Place = keyof typeof PLACES & keyof Cores;

export async function measureNeighbour(field: Field): Promise<Section> {
  const onOneCore = await measureOn(field, 'server');
  const rows = rowsOf(PLACES.server, onOneCore);
  if (!field.settings.isQuick) rows.push(...rowsOf(PLACES.all, await measureOn(field, 'all')));
  return {
    title: 'While another account is loaded',
    text:
      `The first page of an account of 5,000 shifts a year that is in memory, while one of 128,000 is asked for the first time since the ` +
      'server was started, until all months of that are in memory, too. Latencies are taken at half of the maximal rate, rates from connections that are kept busy, both by Node. ' +
      'Loading runs in a thread of its own, which on one core has to share it.',
    tables: [{ columns: ['server on', '', 'p99', 'ratio', 'pages/s', 'ratio'], rows }],
    findings: [
      { aim: 'neighbourLatency', value: ratio(onOneCore.p99Ms.beside, onOneCore.p99Ms.alone) },
      { aim: 'neighbourThroughput', value: ratio(onOneCore.rate.beside, onOneCore.rate.alone) },
    ],
  };
}

function rowsOf(place: string, { perSecond, p99Ms, rate }: Effect): string[][] {
  return [
    [
      place,
      'nothing is loaded',
      `${milliseconds(p99Ms.alone.median)} at ${whole(perSecond)}/s`,
      '',
      withSpread(rate.alone),
      '',
    ],
    [
      place,
      'while it is loaded',
      milliseconds(p99Ms.beside.median),
      brief(ratio(p99Ms.beside, p99Ms.alone)),
      withSpread(rate.beside),
      brief(ratio(rate.beside, rate.alone)),
    ],
  ];
}

async function measureOn(field: Field, cores: Place): Promise<Effect> {
  note(`A neighbour that is loaded, on ${PLACES[cores]}`);
  const { settings } = field;
  let perSecond = Number.NaN;
  const measure = {
    p99Ms: ({ warm, loadOther }: WarmServer) =>
      besideAlone(loadOther, async (until) =>
        percentile(await askOnSchedule(warm, { connections: CONNECTIONS, perSecond, until }), 0.99),
      ),
    rate: ({ warm, loadOther }: WarmServer) =>
      besideAlone(loadOther, (until) => keepBusy(warm, { connections: CONNECTIONS, until })),
  };

  async function besideAlone(
    loadOther: WarmServer['loadOther'],
    ask: (until: Promise<unknown>) => Promise<number>,
  ): Promise<Pair> {
    return { alone: await ask(delay(settings.rounds.seconds * 1000)), beside: await ask(loadOther()) };
  }

  await withWarmServer(field, cores, async ({ warm }) => {
    perSecond = (await measureThroughput(warm, { seconds: 1 })) / 2;
  });
  const { p99Ms, rate } = await listInTurns(['p99Ms', 'rate'], settings.fewRounds, (name) =>
    withWarmServer(field, cores, measure[name]),
  );
  return { perSecond, p99Ms: samplesOf(p99Ms), rate: samplesOf(rate) };
}

type Pair = Readonly<Record<'alone' | 'beside', number>>;

function samplesOf(pairs: readonly Pair[]): Record<keyof Pair, Sample> {
  return {
    alone: sampleOf(pairs.map(({ alone }) => alone)),
    beside: sampleOf(pairs.map(({ beside }) => beside)),
  };
}

interface WarmServer {
  readonly warm: Target;
  /** Asks for the account that the server has not read yet, and waits until it has read all of what was asked. */
  loadOther(): Promise<unknown>;
}

async function withWarmServer<T>(
  field: Field,
  cores: Place,
  work: (server: WarmServer) => Promise<T>,
): Promise<T> {
  const adminPort = await freePort();
  const server = await serveShiftfeed((await field.sqlite()).url, { adminPort }, { cores });
  const targetOf = (size: number) => {
    const { path, headers } = field.account(size);
    return { url: server.url + path, headers };
  };
  await readListing(targetOf(SMALL));
  await measureThroughput(targetOf(SMALL), { seconds: 1 });
  const result = await work({
    warm: targetOf(SMALL),
    async loadOther() {
      await readListing(targetOf(LARGE));
      await untilLoaded(`http://127.0.0.1:${adminPort}/metrics`);
    },
  });
  await server.stop();
  return result;
}

/** Waits until no more months are loaded. */
async function untilLoaded(metricsUrl: string): Promise<void> {
  for (
    let before = Number.NaN, now = await loads(metricsUrl);
    now !== before;
    now = await loads(metricsUrl)
  ) {
    before = now;
    await delay(LOAD_PAUSE_MS);
  }
}

/** Longer than a month takes to load, also when the server has much else to do. */
const LOAD_PAUSE_MS = 500;

async function loads(metricsUrl: string): Promise<number> {
  const metrics = await (await fetch(metricsUrl)).text();
  return Number(/^shiftfeed_month_loads_total (\d+)$/m.exec(metrics)?.[1]);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
