/**
 * Two workers beside one: what a request costs in processor time, and how many more are answered a second. The load
 * runs on the same cores, so what it takes is missing for the second worker; the gain is therefore held against the one
 * that these cores allow.
 */

import { cpus } from 'node:os';
import type { Field } from '../field.ts';
import { assertSameBytes, readListing } from '../listing.ts';
import type { Target } from '../load/target.ts';
import { measureThroughput } from '../load/throughput.ts';
import { type Server, serveShiftfeed } from '../processes.ts';
import { compareProcessorTime, type ProcessorRatio } from '../processor/compare.ts';
import { endedProcessorSeconds } from '../processor/time.ts';
import type { Question } from '../processor/turns.ts';
import { note } from '../progress.ts';
import { FIRST_PAGE, pathOf, type Query, TEN } from '../queries.ts';
import { brief, plusMinus, ratio, withSpread } from '../report/format.ts';
import { type Finding, type Section, worst } from '../report/section.ts';
import { compare } from '../rounds.ts';
import { LARGE } from '../settings.ts';

const CACHE_MB_PER_WORKER = 256;
const ON_ALL_CORES = { cores: 'all' } as const;

interface Servers {
  readonly one: Server;
  readonly two: Server;
}

export async function measureWorkers(field: Field): Promise<Section> {
  const { url: databaseUrl } = await field.sqlite();
  const serve = (workers: number) =>
    serveShiftfeed(databaseUrl, { workers, cacheMb: workers * CACHE_MB_PER_WORKER }, ON_ALL_CORES);
  const startBoth = async (): Promise<Servers> => ({ one: await serve(1), two: await serve(2) });
  const queries = field.settings.isQuick ? [TEN] : [FIRST_PAGE, TEN];
  const costs = await compareProcessorTime(
    async () => questionsTo(field, await startBoth(), queries),
    field.settings.starts,
  );
  const servers = await startBoth();
  const measured: Gain[] = [];
  for (const [i, query] of queries.entries()) {
    note(`Two workers: ${query.name}`);
    measured.push(await measureGain(field, servers, query, costs[i] as ProcessorRatio));
  }
  for (const server of Object.values(servers)) await server.stop();
  return {
    title: 'Two workers beside one',
    text:
      `Servers and load share ${cpus().length} cores here, whichever they like. "Allowed" is the gain that they would give to a second worker which costs ` +
      'nothing by itself: the load needs its part of them, too. Connections stay open. A worker has half of them, so fewer requests share a question to the database. ' +
      'The ratio is that of the processor time of a request, over several starts of both.',
    tables: [
      {
        columns: [
          'question',
          'one, µs',
          'two, µs',
          'ratio',
          'one, pages/s',
          'two, pages/s',
          'gain',
          'allowed',
        ],
        rows: measured.map(({ cells }) => cells),
      },
    ],
    findings: [
      worst(
        'workersProcessor',
        measured.map(({ processor }) => processor),
        'lowest',
      ),
      worst(
        'workers',
        measured.map(({ throughput }) => throughput),
        'lowest',
      ),
    ],
  };
}

interface Gain {
  readonly cells: readonly string[];
  readonly processor: Omit<Finding, 'aim'>;
  readonly throughput: Omit<Finding, 'aim'>;
}

async function questionsTo(field: Field, { one, two }: Servers, queries: readonly Query[]) {
  note('Two workers: processor time');
  const questions: Record<string, Question> = {};
  for (const query of queries) {
    const target = await targetsOf(field, query);
    questions[query.name] = {
      ours: { ...target(two), processes: [two], workers: 2 },
      other: { ...target(one), processes: [one] },
      sharesCores: true,
    };
    await assertSameBytes(target(two), (await readListing(target(one))).body);
  }
  return questions;
}

async function targetsOf(field: Field, query: Query): Promise<(server: Server) => Target> {
  const { headers } = field.account(LARGE);
  const path = pathOf(query, field.account(LARGE), await field.facts(LARGE));
  return ({ url }) => ({ url: url + path, headers });
}

async function measureGain(
  field: Field,
  { one, two }: Servers,
  query: Query,
  cost: ProcessorRatio,
): Promise<Gain> {
  const target = await targetsOf(field, query);
  // Every worker has to load the account before it is timed.
  const rounds = { ...field.settings.rounds, ...ON_ALL_CORES, warmUpSeconds: 1 };
  const rates = await compare({ one: target(one), two: target(two) }, rounds);
  const { ours, other } = cost.microseconds;
  const gain = ratio(rates.two, rates.one);
  const allowed = allowedGain(other, await loadMicroseconds(target(one)));
  return {
    cells: [
      query.name,
      brief(other),
      brief(ours),
      `${cost.ratio.toFixed(2)} ${plusMinus(cost.uncertainty)}`,
      withSpread(rates.one),
      withSpread(rates.two),
      brief(gain),
      brief(allowed),
    ],
    processor: { value: cost.ratio, uncertainty: cost.uncertainty, of: query.name },
    throughput: { value: gain / allowed, of: query.name },
  };
}

/** One worker has a core, and the load another. Two share all cores with the load. */
function allowedGain(serverMicroseconds: number, loadMicroseconds: number): number {
  return Math.min(2, (cpus().length * serverMicroseconds) / (serverMicroseconds + loadMicroseconds));
}

/** What the load itself needs for a request. */
async function loadMicroseconds(target: Target): Promise<number> {
  const used = () =>
    endedProcessorSeconds() + process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;
  const seconds = 1;
  const before = used();
  const rate = await measureThroughput(target, { seconds, ...ON_ALL_CORES });
  return ((used() - before) / (rate * seconds)) * 1e6;
}
