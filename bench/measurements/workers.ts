/**
 * Two workers beside one: what a request costs in processor time, and how many more are answered a second. The load
 * runs on the same cores, so what it takes is missing for the second worker; the gain is therefore held against the one
 * that these cores allow.
 */

import { cpus } from 'node:os';
import { FIRST_PAGE, type Field, TEN } from '../field.ts';
import { assertSameBytes, measureThroughput, readListing, type Target } from '../load.ts';
import { brief, plusMinus, ratio, withSpread } from '../numbers.ts';
import { note, type Server, serveShiftfeed } from '../processes.ts';
import { compareProcessorTime, endedProcessorSeconds, type Question } from '../processor-time.ts';
import type { Finding, Report } from '../report.ts';
import { compare } from '../rounds.ts';
import { LARGE } from '../settings.ts';

const CACHE_MB_PER_WORKER = 256;
const ON_ALL_CORES = { cores: 'all' } as const;

export async function measureWorkers(field: Field, report: Report): Promise<void> {
  report.text(
    `Servers and load share ${cpus().length} cores here, whichever they like. "Allowed" is the gain that they would give to a second worker which costs ` +
      'nothing by itself: the load needs its part of them, too. Connections stay open. A worker has half of them, so fewer requests share a question to the database. ' +
      'The ratio is that of the processor time of a request, over several starts of both.',
  );
  const addRow = report.table(
    'question | one, µs | two, µs | ratio | one, pages/s | two, pages/s | gain | allowed',
  );
  const { databaseUrl, headers } = await field.account('SQLite', LARGE);
  const serve = (workers: number) =>
    serveShiftfeed(databaseUrl, { workers, cacheMb: workers * CACHE_MB_PER_WORKER, ...ON_ALL_CORES });
  const questions: { name: string; target(server: Server): Target }[] = [];
  for (const query of field.settings.isQuick ? [TEN] : [FIRST_PAGE, TEN]) {
    const path = await field.pathOf(LARGE, query);
    questions.push({ name: query.name, target: ({ url }) => ({ url: url + path, headers }) });
  }

  const costs = await compareProcessorTime(async () => {
    note('Two workers: processor time');
    const [one, two] = [await serve(1), await serve(2)];
    const asked: Record<string, Question> = {};
    for (const { name, target } of questions) {
      await assertSameBytes(target(two), (await readListing(target(one))).body);
      const ours = { ...target(two), process: two, workers: 2 };
      asked[name] = { ours, other: { ...target(one), process: one }, sharesCores: true };
    }
    return asked;
  }, field.settings.starts);

  const [one, two] = [await serve(1), await serve(2)];
  // Every worker has to load the account before it is timed.
  const rounds = { ...field.settings.rounds, ...ON_ALL_CORES, warmUpSeconds: 1 };
  const gains: Omit<Finding, 'aim'>[] = [];
  for (const { name, target } of questions) {
    const cost = costs.find((found) => found.name === name) as (typeof costs)[number];
    const rates = await compare({ one: target(one), two: target(two) }, rounds);
    const gain = ratio(rates.two, rates.one);
    const allowed = allowedGain(cost.microseconds.other, await loadMicroseconds(target(one)));
    addRow(
      name,
      ...[brief(cost.microseconds.other), brief(cost.microseconds.ours)],
      `${cost.ratio.toFixed(2)} ${plusMinus(cost.uncertainty)}`,
      ...[withSpread(rates.one), withSpread(rates.two), brief(gain), brief(allowed)],
    );
    gains.push({ value: gain / allowed, of: name });
  }
  for (const server of [one, two]) await server.stop();
  const ratios = costs.map(({ name, ratio, uncertainty }) => ({ value: ratio, uncertainty, of: name }));
  report.worst('workersProcessor', ratios);
  report.worst('workers', gains);
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
