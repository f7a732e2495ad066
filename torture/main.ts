/**
 * Tries to break what Shiftfeed promises, part by part. Everything that is left to chance follows from a seed, which each
 * failure names together with the commit and the command that repeat it.
 */

import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FOUND } from './found.ts';
import type { Part } from './part.ts';
import { PARTS } from './parts.ts';
import { type Circumstances, markdownOf, type Result } from './report.ts';
import { readSettings, type Settings, USAGE } from './settings.ts';

const DOCS = fileURLToPath(new URL('../docs', import.meta.url));

try {
  await main(process.argv.slice(2));
  process.exit();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  // What was under way when the torture was interrupted would go on.
  process.exit(1);
}

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) {
    process.stdout.write(`${USAGE}\nParts: ${PARTS.map(({ name }) => name).join(', ')}\n`);
    return;
  }
  const settings = readSettings(args, PARTS);
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => interruption.abort());
  const results: Result[] = [];
  for (const part of settings.parts) {
    if (!interruption.signal.aborted) results.push(await runPart(part, settings, interruption.signal));
  }
  const text = markdownOf(circumstances(), results, FOUND);
  if (settings.isKept && !interruption.signal.aborted) await keep(text, results);
  else process.stdout.write(text);
  if (results.some(({ outcome }) => outcome.failures.length > 0)) process.exitCode = 1;
}

async function keep(text: string, results: readonly Result[]): Promise<void> {
  await writeFile(join(DOCS, 'reliability.md'), text);
  for (const { outcome } of results) {
    for (const [name, svg] of Object.entries(outcome.plots ?? {})) await writeFile(join(DOCS, name), svg);
  }
}

async function runPart(part: Part, { seed, amountOf }: Settings, signal: AbortSignal): Promise<Result> {
  const amount = amountOf(part);
  const startMs = performance.now();
  const secondsSince = () => (performance.now() - startMs) / 1000;
  const note = (text: string) =>
    process.stderr.write(`${secondsSince().toFixed(0).padStart(6)} s  ${part.name}: ${text}\n`);
  note(`${amount.toLocaleString('en')} ${part.unit} from seed ${seed}`);
  const outcome = await part.run({ seed, amount, signal, report: note });
  for (const failure of outcome.failures) {
    note(`BROKEN at ${commit()}\n${failure.what}\nIt is repeated by: ${commandOf(part, failure.seed)}`);
  }
  note(outcome.failures.length === 0 ? 'kept all promises' : `${outcome.failures.length} broken promises`);
  return { part, amount, seed, seconds: secondsSince(), outcome };
}

function commandOf({ name }: Part, seed: number): string {
  return `npm run torture -- --only ${name} --seed ${seed} --amount 1`;
}

function circumstances(): Circumstances {
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: commit(),
    machine: `${cpus().length} cores, ${process.platform} ${process.arch}`,
    Node: process.versions.node,
  };
}

/** As the repository names it; with a mark when files differ from it. */
function commit(): string {
  try {
    const args = ['describe', '--always', '--dirty'];
    return execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
