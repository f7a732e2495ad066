/**
 * Tries to break what Shiftfeed promises, part by part. Everything that is left to chance follows from a seed, which each
 * failure names together with the commit and the command that repeat it.
 */

import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Part } from './part.ts';
import { PARTS } from './parts.ts';
import { FOUND, keepResult, markdownOf, type Result, writePage } from './results.ts';
import { readSettings, type Settings, USAGE } from './settings.ts';

const PROJECT = join(import.meta.dirname, '..');
/** What a run writes itself is no change of what it tries. */
const WRITTEN = [':!torture/results', ':!docs/reliability*'];
/** Files may change while a part runs. */
const COMMIT = commit();

try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  // What was under way when the torture was interrupted would go on.
  process.exit(1);
}

/** Returns the exit code. */
async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(`${USAGE}\nParts: ${PARTS.map(({ name }) => name).join(', ')}\n`);
    return 0;
  }
  if (args.includes('--page')) {
    await writePage();
    return 0;
  }
  const settings = readSettings(args, PARTS);
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => interruption.abort());
  const results: Result[] = [];
  for (const part of settings.parts) {
    const missing = part.missing?.();
    if (missing !== undefined) process.stderr.write(`${part.name} is skipped. ${missing}\n`);
    else if (!interruption.signal.aborted) results.push(await runPart(part, settings, interruption.signal));
  }
  if (!settings.isKept) process.stdout.write(markdownOf(settings.parts, results, FOUND));
  return results.some(({ failures }) => failures.length > 0) ? 1 : 0;
}

async function runPart(
  part: Part,
  { seed, amountOf, isKept }: Settings,
  signal: AbortSignal,
): Promise<Result> {
  const amount = amountOf(part);
  const startMs = performance.now();
  const secondsSince = () => (performance.now() - startMs) / 1000;
  const note = (text: string) =>
    process.stderr.write(`${secondsSince().toFixed(0).padStart(6)} s  ${part.name}: ${text}\n`);
  note(`${amount.toLocaleString('en')} ${part.unit} from seed ${seed}`);
  const outcome = await part.run({ seed, amount, signal, report: note });
  for (const failure of outcome.failures) {
    note(`BROKEN at ${COMMIT}\n${failure.what}\nIt is repeated by: ${commandOf(part, failure.seed)}`);
  }
  note(outcome.failures.length === 0 ? 'kept all promises' : `${outcome.failures.length} broken promises`);
  const { figures, failures, plots } = outcome;
  const result: Result = {
    part: part.name,
    date: new Date().toISOString().slice(0, 10),
    commit: COMMIT,
    machine: `${cpus().length} cores, ${process.platform} ${process.arch}`,
    node: process.versions.node,
    amount,
    seed,
    seconds: Math.round(secondsSince()),
    figures,
    failures,
    plots: Object.keys(plots ?? {}),
  };
  if (isKept && !signal.aborted) await keepResult(result, plots);
  return result;
}

function commandOf({ name }: Part, seed: number): string {
  return `npm run torture -- --only ${name} --seed ${seed} --amount 1`;
}

/** As the repository names it; with a mark when other files differ from it. */
function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: PROJECT, encoding: 'utf8' }).trim();
  try {
    const changes = git('status', '--porcelain', '--untracked-files=no', '--', '.', ...WRITTEN);
    return git('rev-parse', '--short', 'HEAD') + (changes === '' ? '' : '-dirty');
  } catch {
    return 'unknown';
  }
}
