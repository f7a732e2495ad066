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
import { serveShiftfeed, untilIdle } from '../processes.ts';
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

/** About half as long as the other account is loaded on one core beside the requests. */
const ALONE_SECONDS = 5;
/** Before either: as long as V8 compiles, it takes the core away from requests for some milliseconds at a time. */
const WARM_UP_SECONDS = 5;

export async function measureNeighbour(field: Field): Promise<Section> {
  const onOneCore = await measureOn(field, 'server');
  const rows = rowsOf(PLACES.server, onOneCore);
  if (!field.settings.isQuick) rows.push(...rowsOf(PLACES.all, await measureOn(field, 'all')));
  return {
    title: 'While another account is loaded',
    text:
      `The first page of an account of 5,000 shifts a year that is in memory, while one of 128,000 is asked for the first time since the ` +
      'server was started, until all months of that are in memory, too. Latencies are taken at half of the maximal rate, rates from connections that are kept busy, both by Node. ' +
      `A single pause of the server decides the p99 of a second, so without a load latencies are taken for ${ALONE_SECONDS} s. ` +
      `${WARM_UP_SECONDS} s go before that are not counted, because V8 still compiles. ` +
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
  let loads = Number.NaN;
  const measure = {
    p99Ms: (server: WarmServer) =>
      besideAlone(server, ALONE_SECONDS, async (until) => {
        const latenciesMs = await askOnSchedule(server.warm, { connections: CONNECTIONS, perSecond, until });
        return percentile(latenciesMs, 0.99);
      }),
    rate: (server: WarmServer) =>
      besideAlone(server, settings.rounds.seconds, (until) =>
        keepBusy(server.warm, { connections: CONNECTIONS, until }),
      ),
  };

  async function besideAlone(
    { loadOther }: WarmServer,
    seconds: number,
    ask: (until: Promise<unknown>) => Promise<number>,
  ): Promise<Pair> {
    await ask(delay(WARM_UP_SECONDS * 1000));
    return { alone: await ask(delay(seconds * 1000)), beside: await ask(loadOther(loads)) };
  }

  await withWarmServer(field, cores, async ({ warm, countLoadsOfOther }) => {
    perSecond = (await measureThroughput(warm, { seconds: 1 })) / 2;
    loads = await countLoadsOfOther();
  });
  const { p99Ms, rate } = await listInTurns(['p99Ms', 'rate'], settings.rounds.rounds, (name) =>
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
  /** Asks for the account that the server has not read yet, and waits until it has loaded so many months of it. */
  loadOther(loads: number): Promise<void>;
  /** How many months that are, on a server that has nothing else to do. */
  countLoadsOfOther(): Promise<number>;
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
  const metricsUrl = `http://127.0.0.1:${adminPort}/metrics`;
  const before = await loadsSoFar(metricsUrl);
  const result = await work({
    warm: targetOf(SMALL),
    async loadOther(loads) {
      await readListing(targetOf(LARGE));
      await untilLoaded(metricsUrl, before + loads);
    },
    async countLoadsOfOther() {
      await readListing(targetOf(LARGE));
      await untilIdle(server);
      return (await loadsSoFar(metricsUrl)) - before;
    },
  });
  await server.stop();
  return result;
}

/** A month may take a second beside requests, so a pause between two of them would not say that all are loaded. */
async function untilLoaded(metricsUrl: string, loads: number): Promise<void> {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    if ((await loadsSoFar(metricsUrl)) >= loads) return;
    await delay(LOOK_MS);
  }
  throw new Error(`Of ${loads} months, only ${await loadsSoFar(metricsUrl)} were loaded in time.`);
}

const LOOK_MS = 100;
const MAX_LOOKS = 1_200;

async function loadsSoFar(metricsUrl: string): Promise<number> {
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
