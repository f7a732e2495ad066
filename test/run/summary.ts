/** What a run of tests prints: a line for each file, failures in full, and the sum of it all at the very end. */

import { cpuSeconds } from './cpu-time.ts';
import type { Failure, FileReport, Skipped } from './messages.ts';

const DEAREST = 10;

export interface Summary {
  /** Takes how a file went, and what was printed meanwhile. */
  add(report: FileReport, printed: string): void;
  /** Takes how long a file kept processors busy. */
  addTime(file: string, cpuSeconds: number): void;
  isGood(): boolean;
  print(): void;
}

export function makeSummary({ withTimes }: { withTimes: boolean }): Summary {
  const startMs = performance.now();
  const times = new Map<string, number>();
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
    addTime(file, seconds) {
      times.set(file, seconds);
    },
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

function tableOf(times: ReadonlyMap<string, number>): string {
  const sorted = [...times].sort(([, a], [, b]) => b - a);
  const total = sorted.reduce((sum, [, seconds]) => sum + seconds, 0);
  const rows = sorted.slice(0, DEAREST).map(([file, seconds]) => `| ${file} | ${seconds.toFixed(1)} |`);
  return [
    '| File | CPU seconds, without browser and PostgreSQL |',
    '|---|---:|',
    ...rows,
    `| all ${sorted.length} files | ${total.toFixed(1)} |`,
  ].join('\n');
}

function durationOf(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
