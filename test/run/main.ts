/**
 * Runs test files: those that are named, or all. Some processes take them one by one from one list.
 *
 *   node bin/node.js test/run/main.ts [--long] [--name PATTERN] [--times] [--processes N] [FILE …]
 */

import { type ChildProcess, fork } from 'node:child_process';
import { statSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { availableParallelism, freemem } from 'node:os';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { FileReport, News, Order } from './messages.ts';
import { setUp, tearDown } from './setup.ts';
import { makeSummary } from './summary.ts';

const SCRIPT = fileURLToPath(new URL('./run-files.ts', import.meta.url));
const REPORTER = new URL('./reporter.ts', import.meta.url).href;
/** What a process takes together with the browsers and servers that its tests start. */
const PROCESS_BYTES = 700 * 1024 * 1024;
/** Tests wait for processes and databases as much as they compute, so there are more of them than cores. */
const WANTED_PROCESSES = Math.min(8, Math.max(4, availableParallelism()));
const PROCESSES = Math.max(1, Math.min(WANTED_PROCESSES, Math.floor(freemem() / PROCESS_BYTES)));
/** A file that does not come to its end for so long has to be interrupted from outside. */
const FILE_LIMIT_MS = 15 * 60_000;
const OUTPUT_LIMIT_MS = 5_000;
/** After its last file, a process has nothing left to do. */
const END_LIMIT_MS = 60_000;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: 'boolean', default: false },
    name: { type: 'string' },
    times: { type: 'boolean', default: false },
    processes: { type: 'string', default: String(PROCESSES) },
  },
});

const patterns = positionals.length > 0 ? positionals : [`test/**/*.${options.long ? 'long' : 'test'}.ts`];
const files = await filesOf(patterns);
if (options.long) process.env.TEST_LONG = '1';
const summary = makeSummary({ withTimes: options.times });
const children = new Set<ChildProcess>();

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    for (const child of children) child.kill('SIGKILL');
    await tearDown();
    process.exit(1);
  });
}

await setUp();
const waiting = [...files];
const count = Math.min(Number(options.processes), files.length);
await Promise.all(Array.from({ length: count }, runFiles));
await tearDown();
summary.print();
process.exitCode = summary.isGood() ? 0 : 1;

/**
 * Those that take longest first, so that nobody is left with one at the end. These tend to be the largest, and those of
 * the torture, which are small because the work is done elsewhere.
 */
async function filesOf(patterns: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const pattern of patterns) {
    const matching = await Array.fromAsync(glob(pattern));
    if (matching.length === 0) {
      process.stderr.write(`There is no test file ${pattern}.\n`);
      process.exit(1);
    }
    for (const file of matching) found.add(resolve(file));
  }
  const isTorture = (file: string) => Number(file.includes('/test/torture/'));
  return [...found].sort((a, b) => isTorture(b) - isTorture(a) || statSync(b).size - statSync(a).size);
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
    if (news.kind === 'report') return conclude(news.report);
    hasAsked = true;
    if (current !== undefined) summary.addTime(current, news.cpuSeconds);
    const file = waiting.shift();
    current = file && relative('', file);
    if (current !== undefined) handed.add(current);
    child.send({ file } satisfies Order);
    clearTimeout(limit);
    limit = setTimeout(() => child.kill('SIGKILL'), file === undefined ? END_LIMIT_MS : FILE_LIMIT_MS);
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
      const never = hasAsked ? [] : waiting.splice(0).map((file) => relative('', file));
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
