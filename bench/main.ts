/**
 * Measures Shiftfeed beside what one would run instead, on the same data in the same run. How fast a machine is does
 * not matter then: only the ratios mean something.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareAgainst } from './against.ts';
import { describeCores, moveTo } from './cores.ts';
import { MONTHS_AHEAD, MONTHS_BACK } from './data/shifts.ts';
import { describeDisturbance } from './disturbance.ts';
import { type Field, makeField } from './field.ts';
import { describeGenerator } from './load/throughput.ts';
import { describeMachine } from './machine.ts';
import { measureCold } from './measurements/cold.ts';
import { measureCompression } from './measurements/compression.ts';
import { measureDatabases } from './measurements/databases.ts';
import { measureFlatness } from './measurements/flatness.ts';
import { measureGateway } from './measurements/gateway.ts';
import { measureImport } from './measurements/import.ts';
import { measureLatency } from './measurements/latency.ts';
import { measureMemory } from './measurements/memory.ts';
import { measureNeighbour } from './measurements/neighbour.ts';
import { measurePages } from './measurements/pages.ts';
import { measureProcessor } from './measurements/processor.ts';
import { measureWorkers } from './measurements/workers.ts';
import { measureWriter } from './measurements/writer.ts';
import { stopAll } from './processes.ts';
import { note } from './progress.ts';
import { whole } from './report/format.ts';
import { markdownOf } from './report/markdown.ts';
import type { Section } from './report/section.ts';
import { writeResults } from './report/write.ts';
import { cacheMbFor, readSettings, type Settings, USAGE } from './settings.ts';

type Measurement = (field: Field) => Promise<Section>;

const MEASUREMENTS: Readonly<Record<string, Measurement>> = {
  processor: measureProcessor,
  pages: measurePages,
  flatness: measureFlatness,
  compression: measureCompression,
  latency: measureLatency,
  writer: measureWriter,
  neighbour: measureNeighbour,
  cold: measureCold,
  memory: measureMemory,
  databases: measureDatabases,
  import: measureImport,
  workers: measureWorkers,
  gateway: measureGateway,
};

try {
  await main(process.argv.slice(2));
  process.exit();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  // What was under way when the benchmark was interrupted would go on.
  process.exit(1);
}

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) {
    process.stdout.write(`${USAGE}\nMeasurements: ${Object.keys(MEASUREMENTS).join(', ')}\n`);
    return;
  }
  const settings = readSettings(args, import.meta.dirname);
  const measurements = chosen(settings);
  // Whatever this process does itself, such as checking pages, stays away from the servers.
  moveTo('load', process.pid);
  const folder = await mkdtemp(join(tmpdir(), 'shiftfeed-bench-'));
  const field = makeField(settings, folder);
  try {
    const work =
      settings.against === undefined ? run(field, measurements) : against(settings.against, settings, folder);
    await Promise.race([work, interruption()]);
  } finally {
    await stopAll();
    await field.close();
    await rm(folder, { recursive: true });
  }
}

async function against(commit: string, { starts }: Settings, folder: string): Promise<void> {
  process.stdout.write(await compareAgainst(commit, starts, folder));
}

async function run(field: Field, measurements: readonly Measurement[]): Promise<void> {
  const { settings } = field;
  const sections: Section[] = [];
  for (const measure of measurements) sections.push(await measure(field));
  const results = { machine: describeMachine(), method: methodOf(settings), sections };
  if (settings.outFolder === undefined) process.stdout.write(markdownOf(results));
  else await writeResults(settings.outFolder, results);
  note(settings.outFolder === undefined ? 'Done' : `Done: see RESULTS.md in ${settings.outFolder}`);
}

function interruption(): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => reject(new Error('Interrupted.')));
  return promise;
}

function chosen({ only }: Settings): Measurement[] {
  return (only ?? Object.keys(MEASUREMENTS)).map((name) => {
    const measure = MEASUREMENTS[name];
    if (measure === undefined) {
      throw new Error(`There is no measurement ${name}, only ${Object.keys(MEASUREMENTS).join(', ')}.`);
    }
    return measure;
  });
}

function methodOf({ isQuick, sizes, rounds }: Settings): string[] {
  return [
    describeCores(),
    describeGenerator(),
    `Contestants take turns: ${rounds.rounds} rounds of ${rounds.seconds} s each. Rates are medians, with the lowest and the highest round in brackets. Ratios are medians of what they were in each round.`,
    describeDisturbance(),
    `Accounts have ${sizes.map(whole).join(', ')} shifts a year over three years: from the first of this month ${MONTHS_BACK} months back, and ${MONTHS_AHEAD} months on.`,
    `Shiftfeed runs with ${sizes.map((size) => `\`--cache-mb ${cacheMbFor(size)}\` for ${whole(size)}`).join(', ')}.`,
    'The typical service is Express with Kysely: it looks the token up by its hash, counts, and reads the page, with a covering index and ids first, which makes deep pages cheaper. It sends no entity tags.',
    ...(isQuick
      ? [
          'This was a quick run: smaller, shorter, and without warming up. Aims may be missed here that a whole run meets.',
        ]
      : []),
  ];
}
