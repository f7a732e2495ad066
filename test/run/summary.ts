/** What a run of tests prints: a line for each file, failures in full, and the sum of it all at the very end. */

import { cpuSeconds } from './cpu-time.ts';
import type { Failure, FileReport, Skipped } from './messages.ts';

const DEAREST = 25;

/** What a file took. */
export interface FileTime {
  readonly file: string;
  readonly cpuSeconds: number;
  readonly seconds: number;
}

export interface Summary {
  /** Takes how a file went, and what was printed meanwhile. */
  add(report: FileReport, printed: string): void;
  /** Takes how long a file kept processors busy, and how long it took. */
  addTime(file: string, cpuSeconds: number, seconds: number): void;
  readonly times: readonly FileTime[];
  isGood(): boolean;
  print(): void;
}

export function makeSummary({ withTimes }: { withTimes: boolean }): Summary {
  const startMs = performance.now();
  const times: FileTime[] = [];
  const failures: Failure[] = [];
  const skipped: Skipped[] = [];
  let passed = 0;

  return {
    add(report, printed) {
      passed += report.passed;
      failures.push(...report.failures);
      skipped.push(...report.skipped);
      print(lineOf(report));
      if (printed.trim() !== '') print(indent(printed.trimEnd()));
      for (const failure of report.failures) print(`\n${headOf(failure)}\n${indent(failure.text)}\n`);
    },
    addTime(file, cpuSeconds, seconds) {
      times.push({ file, cpuSeconds, seconds });
    },
    times,
    isGood: () => failures.length === 0 && passed > 0,
    print() {
      if (withTimes) print(`\n${tableOf(times)}`);
      for (const [reason, tests] of Map.groupBy(skipped, ({ reason }) => reason)) {
        print(`\n${tests.length} ${tests.length === 1 ? 'test was' : 'tests were'} not run: ${reason}`);
      }
      if (failures.length > 0) print(`\nFailed, told in full above:\n${failures.map(headOf).join('\n')}`);
      const seconds = (performance.now() - startMs) / 1_000;
      print(`\nIt took ${durationOf(seconds)}, and ${durationOf(cpuSeconds())} of the processors.`);
      print(`${passed} passed, ${failures.length} failed, ${skipped.length} skipped`);
    },
  };
}

// Whoever reads it may have read enough.
process.stdout.on('error', () => process.exit(1));

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function lineOf({ file, passed, failures, skipped }: FileReport): string {
  const counts = [`${passed} passed`];
  if (failures.length > 0) counts.push(`${failures.length} failed`);
  if (skipped.length > 0) counts.push(`${skipped.length} skipped`);
  return `${failures.length > 0 ? '✖' : '✔'} ${file}: ${counts.join(', ')}`;
}

function headOf({ title, place }: Failure): string {
  return `✖ ${[place, title].filter((part) => part !== '').join('  ')}`;
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '    ');
}

function tableOf(times: readonly FileTime[]): string {
  const total = {
    file: `all ${times.length} files`,
    cpuSeconds: times.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    seconds: times.reduce((sum, { seconds }) => sum + seconds, 0),
  };
  const dearest = times.toSorted((a, b) => b.cpuSeconds - a.cpuSeconds).slice(0, DEAREST);
  return [
    '| File | CPU seconds, without browser and PostgreSQL | Seconds |',
    '|---|---:|---:|',
    ...[...dearest, total].map(
      ({ file, cpuSeconds, seconds }) => `| ${file} | ${cpuSeconds.toFixed(1)} | ${seconds.toFixed(1)} |`,
    ),
  ].join('\n');
}

function durationOf(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
