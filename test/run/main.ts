/**
 * Runs test files: those that are named, or all. Some processes take them from one list, those first that took longest
 * when `npm run test:times` was last run, so that nobody is left with one of them at the end.
 *
 *   node bin/node.js test/run/main.ts [--checks] [--long] [--name PATTERN] [--times] [FILE …]
 */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, freemem, getPriority, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cpuSeconds, killTree } from '../support/processes.ts';
import { type FileTime, isClaimed, LIMIT_MS, noted, type Result, stuckWith, tell } from './results.ts';
import { setUp, tearDown } from './setup.ts';

/** Tests wait as much as they compute, so there are more processes than cores. One takes 0.7 GB with its servers. */
const PROCESSES = Math.ceil(Math.min(8, Math.max(5, availableParallelism()), freemem() / 0.7e9));
/** In MB. Tests make much that soon is garbage: with less, a tenth of their time went into collecting it. */
const YOUNG_SPACE = ['--max-semi-space-size=32', '--min-semi-space-size=16'];
const LIST_OF_TIMES = join(import.meta.dirname, 'file-times.json');
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    checks: { type: 'boolean' },
    long: { type: 'boolean' },
    name: { type: 'string' },
    times: { type: 'boolean' },
  },
});
const kind = options.long ? 'long' : 'test';
if (options.long) process.env.TEST_LONG = '1';
const knownTimes = JSON.parse(readFileSync(LIST_OF_TIMES, 'utf8'));
const files = filesOf();
const folder = mkdtempSync(join(tmpdir(), 'shiftfeed-run-'));
process.env.TEST_RUN = folder;
process.once('exit', () => rmSync(folder, { recursive: true }));
// Whoever reads it may have read enough.
process.stdout.on('error', () => process.exit(1));
const children = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    // A process that is killed cannot end the servers that its tests started.
    for (const { pid } of children) killTree(pid);
    await tearDown();
    process.exit(1);
  });
}

// The set-up mostly waits, and leaves the processors to the checks, each of which uses several.
const checked = options.checks ? runCheck('lint').then(() => runCheck('types')) : undefined;
// Of what tests start, some lowers its own priority to this: if it were alone with it, it would wait for all others.
if (getPriority() < 10) setPriority(10);
await setUp();
setInterval(killStuck, LIMIT_MS / 10).unref();
await Promise.all([checked, ...Array.from({ length: Math.min(PROCESSES, files.length) }, runFiles)]);
await tearDown();
if (options.times) tellTimes();
process.exitCode = summarize() ? 0 : 1;

/** Without names, all: of the short tests, or of those that can try harder. */
function filesOf(): string[] {
  const matching = (pattern: string) => {
    const found = globSync(pattern);
    if (found.length > 0) return found;
    process.stderr.write(`There is no test file ${pattern}.\n`);
    process.exit(1);
  };
  const tests = positionals.length > 0 ? positionals.flatMap(matching) : matching('test/**/*.test.ts');
  const canTryHarder = (file: string) => readFileSync(file, 'utf8').includes('/support/strength.ts');
  const isAllLong = options.long && positionals.length === 0;
  const chosen = isAllLong ? [...tests.filter(canTryHarder), ...matching('test/**/*.long.ts')] : tests;
  const secondsOf = (file: string) => knownTimes[kind][file] ?? 0;
  return chosen.sort((a, b) => secondsOf(b) - secondsOf(a) || statSync(b).size - statSync(a).size);
}

async function runCheck(script: string): Promise<void> {
  const file = `npm run ${script}`;
  const { promise, resolve } = Promise.withResolvers<Result['failures']>();
  // The checker of types is written in Go: if it collects less often, it takes a quarter less.
  const env = { ...process.env, NO_COLOR: '1', GOGC: '400' };
  execFile('npm', ['run', '--silent', script], { env }, (error, stdout, stderr) =>
    resolve(error === null ? [] : [{ head: `✖ ${file}`, text: stdout + stderr }]),
  );
  const failures = await promise;
  process.stdout.write(tell({ file, passed: 1 - failures.length, failures, skipped: [] }));
}

/** Runs files in a process until none is left. Where one brings its process down, the rest goes to another. */
async function runFiles(): Promise<void> {
  const reporter = `--test-reporter=${import.meta.resolve('./reporter.ts')}`;
  const pattern = options.name === undefined ? [] : [`--test-name-pattern=${options.name}`];
  const args = [...YOUNG_SPACE, reporter, ...pattern, join(import.meta.dirname, 'run-files.ts'), ...files];
  for (let starts = 0; starts < files.length && !files.every(isClaimed); starts++) {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    children.add(child);
    await once(child, 'exit');
    children.delete(child);
  }
}

function tellTimes(): void {
  const times = noted<FileTime>('times');
  const dearest = times.toSorted((a, b) => b.cpuSeconds - a.cpuSeconds).slice(0, 25);
  const rows = dearest.map((one) => `${one.cpuSeconds.toFixed(1)}\t${one.seconds.toFixed(1)}\t${one.file}`);
  const head = '\nSeconds of processors, without browser and PostgreSQL, and of time:';
  process.stdout.write(`${[head, ...rows].join('\n')}\n`);
  if (positionals.length > 0) return;
  // Shorter ones fill the gaps at the end in any order.
  const longest = times.filter(({ seconds }) => seconds >= 3).sort((a, b) => b.seconds - a.seconds);
  knownTimes[kind] = Object.fromEntries(longest.map(({ file, seconds }) => [file, Math.round(seconds)]));
  writeFileSync(LIST_OF_TIMES, `${JSON.stringify(knownTimes, null, 2)}\n`);
}

/** A test that never leaves its process a turn cannot be ended by a timer there. */
function killStuck(): void {
  const stuck = filesLeft().map(stuckWith);
  for (const { pid } of children) if (stuck.includes(pid)) killTree(pid);
}

function filesLeft(): readonly string[] {
  const ended = new Set(noted<FileTime>('times').map(({ file }) => file));
  return files.filter((one) => !ended.has(one));
}

/** The sums come at the very end. Returns whether all is well. */
function summarize(): boolean {
  const text = 'The process that ran it ended before it did.';
  for (const file of filesLeft())
    process.stdout.write(tell({ file, passed: 0, failures: [{ head: `✖ ${file}`, text }], skipped: [] }));
  const all = noted<Result>('results');
  const passed = all.reduce((sum, result) => sum + result.passed, 0);
  const failures = all.flatMap((result) => result.failures.map(({ head }) => head));
  const skipped = all.flatMap((result) => result.skipped);
  for (const [reason, { length }] of Map.groupBy(skipped, (reason) => reason))
    process.stdout.write(`\n${length} ${length === 1 ? 'test was' : 'tests were'} not run: ${reason}\n`);
  if (failures.length > 0) process.stdout.write(`\nFailed, told in full above:\n${failures.join('\n')}\n`);
  const [seconds, ofProcessors] = [performance.now() / 1_000, cpuSeconds()].map(Math.round);
  process.stdout.write(`\nIt took ${seconds} s, and ${ofProcessors} s of the processors.\n`);
  process.stdout.write(`${passed} passed, ${failures.length} failed, ${skipped.length} skipped\n`);
  return failures.length === 0 && passed > 0;
}
