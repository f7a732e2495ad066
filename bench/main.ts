/**
 * Measures Shiftfeed beside what one would run instead, on the same data in the same run. How fast a machine is does
 * not matter then: only the ratios mean something.
 */

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MONTHS_AHEAD, MONTHS_BACK } from './accounts.ts';
import { compareAgainst } from './against.ts';
import { describeCores, moveTo } from './cores.ts';
import { type Field, makeField } from './field.ts';
import { describeGenerator } from './load.ts';
import { BEFORE, describeMachine, processorModel } from './machine.ts';
import { measureCold } from './measurements/cold.ts';
import { measureImport } from './measurements/import.ts';
import { measureLatency, measureNeighbour } from './measurements/latency.ts';
import { measureMemory } from './measurements/memory.ts';
import { measureFlatness, measurePages } from './measurements/pages.ts';
import { measureProcessor } from './measurements/processor.ts';
import { measureCompression, measureWriter } from './measurements/rates.ts';
import { measureStreams } from './measurements/streams.ts';
import { measureWorkers } from './measurements/workers.ts';
import { whole } from './numbers.ts';
import { note, stopAll } from './processes.ts';
import { aimsOf, openReport, type Report, type Section } from './report.ts';
import { keepResults } from './results.ts';
import { cacheMbFor, readSettings, type Settings, USAGE } from './settings.ts';

interface Measurement {
  readonly title: string;
  run(field: Field, report: Report): Promise<void>;
}

const MEASUREMENTS: Readonly<Record<string, Measurement>> = {
  processor: { title: 'Processor time of a request', run: measureProcessor },
  pages: { title: 'Pages a second', run: measurePages },
  flatness: { title: 'Flat, however large the account', run: measureFlatness },
  compression: { title: 'Compressed pages', run: measureCompression },
  latency: { title: 'Latency', run: measureLatency },
  writer: { title: 'While somebody writes', run: measureWriter },
  neighbour: { title: 'While another account is loaded', run: measureNeighbour },
  cold: { title: 'Cold starts', run: measureCold },
  memory: { title: 'Memory', run: measureMemory },
  import: { title: 'Imports', run: measureImport },
  workers: { title: 'Two workers beside one', run: measureWorkers },
  streams: { title: 'Streams', run: measureStreams },
};
const NAMES = Object.keys(MEASUREMENTS);

const print = (text: string) => process.stdout.write(`${text}\n`);

try {
  await main(process.argv.slice(2));
  process.exit();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  // What was under way when the benchmark was interrupted would go on.
  process.exit(1);
}

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) return void print(`${USAGE}\nMeasurements: ${NAMES.join(', ')}`);
  if (process.platform !== 'linux') throw new Error('The benchmark reads /proc: it needs Linux.');
  const settings = readSettings(args);
  const unknown = settings.only?.find((name) => !NAMES.includes(name));
  if (unknown !== undefined) throw new Error(`There is no measurement ${unknown}, only ${NAMES.join(', ')}.`);
  // Whatever this process does itself, such as checking pages, stays away from the servers.
  moveTo('load', process.pid);
  const folder = await mkdtemp(join(tmpdir(), 'shiftfeed-bench-'));
  const field = makeField(settings, folder);
  const { against, starts } = settings;
  try {
    const work = against === undefined ? measure(field) : compareAgainst(against, starts, folder, print);
    const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    if (await Promise.race([work, interrupted])) throw new Error('Interrupted.');
  } finally {
    await stopAll();
    await field.close();
    await rm(folder, { recursive: true });
  }
}

/** What is measured is kept at once, so an interrupted run loses only what was under way. */
async function measure(field: Field): Promise<void> {
  const { only = NAMES, isQuick } = field.settings;
  const sections: Record<string, Section> = {};
  for (const name of NAMES.filter((each) => only.includes(each))) {
    const { title, run } = MEASUREMENTS[name] as Measurement;
    note(title);
    const report = openReport(title, print);
    await run(field, report);
    const date = new Date().toISOString().slice(0, 10);
    sections[name] = report.finish(
      `Measured ${date} at commit ${BEFORE.commit}, Node ${process.versions.node}; load of the machine before: ${BEFORE.load}.`,
    );
    if (isQuick) continue;
    const results = {
      processor: processorModel(),
      architecture: process.arch,
      machine: describeMachine(),
      method: methodOf(field.settings),
      sections,
    };
    await keepResults(import.meta.dirname, results, report.svgs, NAMES);
  }
  const findings = Object.values(sections).flatMap((section) => section.findings);
  print(['', ...aimsOf(findings, process.arch)].join('\n\n'));
  note(isQuick ? 'Done' : 'Done: see bench/RESULTS.md');
}

function methodOf({ sizes, rounds }: Settings): string[] {
  return [
    describeCores(),
    describeGenerator(),
    `Contestants take turns: ${rounds.rounds} rounds of ${rounds.seconds} s each. Rates are medians, with the lowest and the highest round in brackets. Ratios are medians of what they were in each round.`,
    `Accounts have ${sizes.map(whole).join(', ')} shifts a year over three years: from the first of this month ${MONTHS_BACK} months back, and ${MONTHS_AHEAD} months on.`,
    `Shiftfeed runs with ${sizes.map((size) => `\`--cache-mb ${cacheMbFor(size)}\` for ${whole(size)}`).join(', ')}.`,
    'The typical service is Express with Kysely: it looks the token up by its hash, counts, and reads the page, with a covering index and ids first, which makes deep pages cheaper. It sends no entity tags.',
  ];
}
