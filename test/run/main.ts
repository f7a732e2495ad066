/**
 * Runs test files: those that are named, or all. Some processes take them one by one from one list.
 *
 *   node bin/node.js test/run/main.ts [--checks] [--long] [--name PATTERN] [--times] [--processes N] [FILE …]
 */

import { type ChildProcess, fork } from 'node:child_process';
import { glob, readFile } from 'node:fs/promises';
import { availableParallelism, freemem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { killTree } from '../support/processes.ts';
import { runChecks } from './checks.ts';
import { longestFirst, writeTimes } from './file-times.ts';
import type { FileReport, News, Order } from './messages.ts';
import { setUp, tearDown } from './setup.ts';
import { makeSummary } from './summary.ts';

const SCRIPT = fileURLToPath(new URL('./run-files.ts', import.meta.url));
const REPORTER = new URL('./reporter.ts', import.meta.url).href;
/** What a process takes together with the browsers and servers that its tests start. */
const PROCESS_BYTES = 700 * 1024 * 1024;
/** Tests wait for processes and databases as much as they compute, so there are more of them than cores. */
const WANTED_PROCESSES = Math.min(8, Math.max(5, availableParallelism()));
const PROCESSES = Math.max(1, Math.min(WANTED_PROCESSES, Math.floor(freemem() / PROCESS_BYTES)));
/** A file that does not come to its end for so long has to be interrupted from outside. */
const FILE_LIMIT_MS = 15 * 60_000;
const OUTPUT_LIMIT_MS = 5_000;
/** After its last file, a process has nothing left to do. */
const END_LIMIT_MS = 60_000;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    checks: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    name: { type: 'string' },
    times: { type: 'boolean', default: false },
    processes: { type: 'string', default: String(PROCESSES) },
  },
});

const kind = options.long ? 'long' : 'test';
const files = await filesOf();
if (options.long) process.env.TEST_LONG = '1';
const summary = makeSummary({ withTimes: options.times });
const children = new Set<ChildProcess>();

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    // A process that is killed cannot end the servers that its tests started.
    for (const { pid } of children) killTree(pid);
    await tearDown();
    process.exit(1);
  });
}

// The set-up mostly waits, and leaves the processors to the checks.
const checked = options.checks ? runChecks((report) => summary.add(report, '')) : undefined;
await setUp();
const waiting = await longestFirst(kind, files);
const count = Math.min(Number(options.processes), files.length);
await Promise.all([...Array.from({ length: count }, runFiles), checked]);
await tearDown();
summary.print();
if (options.times && positionals.length === 0) await writeTimes(kind, summary.times);
process.exitCode = summary.isGood() ? 0 : 1;

/** Without names, all: of the short tests, or of those that can try harder. */
async function filesOf(): Promise<string[]> {
  if (positionals.length > 0) return (await Promise.all(positionals.map(matching))).flat();
  const tests = await matching('test/**/*.test.ts');
  if (!options.long) return tests;
  const texts = await Promise.all(tests.map((file) => readFile(file, 'utf8')));
  const harder = tests.filter((_, i) => texts[i]?.includes('/support/strength.ts'));
  return [...harder, ...(await matching('test/**/*.long.ts'))];
}

async function matching(pattern: string): Promise<string[]> {
  const found = await Array.fromAsync(glob(pattern));
  if (found.length === 0) {
    process.stderr.write(`There is no test file ${pattern}.\n`);
    process.exit(1);
  }
  return found;
}

/** Runs files in a process until none is left. Where one brings its process down, the rest goes to another. */
async function runFiles(): Promise<void> {
  while (waiting.length > 0) await runInProcess();
}

function runInProcess(): Promise<void> {
  const pattern = options.name === undefined ? [] : [`--test-name-pattern=${options.name}`];
  const child = fork(SCRIPT, {
    execArgv: [`--test-reporter=${REPORTER}`, ...pattern],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  children.add(child);
  /** Files that it was handed and has not reported on. A report may come when the next file has begun. */
  const handed = new Set<string>();
  let current: string | undefined;
  let hasAsked = false;
  let startedMs = 0;
  let limit: NodeJS.Timeout | undefined;
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }

  function conclude(report: FileReport): void {
    handed.delete(report.file);
    summary.add(report, printed);
    printed = '';
  }

  child.on('message', (news: News) => {
    // What the file printed before its report may be read after it, but in the same turn of the event loop.
    if (news.kind === 'report') return void setImmediate(conclude, news.report);
    hasAsked = true;
    if (current !== undefined)
      summary.addTime(current, news.cpuSeconds, (performance.now() - startedMs) / 1_000);
    current = waiting.shift();
    startedMs = performance.now();
    if (current !== undefined) handed.add(current);
    child.send({ file: current } satisfies Order);
    clearTimeout(limit);
    limit = setTimeout(() => child.kill('SIGKILL'), current === undefined ? END_LIMIT_MS : FILE_LIMIT_MS);
  });

  // Whoever cannot be sent a message has ended, or is about to.
  child.on('error', () => undefined);
  // What a test left behind may hold on to its output.
  child.on('exit', () => setTimeout(closeOutput, OUTPUT_LIMIT_MS, child).unref());
  return new Promise((ended) => {
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      children.delete(child);
      const text = `The process that ran it ended (${signal ?? `exit code ${code}`}).`;
      const hung = signal !== null && handed.size === 0 ? ['after the last file'] : [];
      // Others would end as well before they take a file.
      const never = hasAsked ? [] : waiting.splice(0);
      for (const file of [...handed, ...hung, ...never]) {
        conclude({ file, passed: 0, failures: [{ title: '', place: file, text }], skipped: [] });
      }
      ended();
    });
  });
}

function closeOutput({ stdout, stderr }: ChildProcess): void {
  stdout?.destroy();
  stderr?.destroy();
}
