/** What the processes of a run share: a folder in which they claim files, and note how each went. */

import { EventEmitter } from 'node:events';
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Result {
  /** Or the check, or what else went wrong. */
  readonly file: string;
  readonly passed: number;
  readonly failures: readonly { readonly head: string; readonly text: string }[];
  /** Why each test that was skipped was, and what to do about it. */
  readonly skipped: readonly string[];
}

/** Of a file that came to its end. */
export interface FileTime {
  readonly file: string;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

const pathOf = (name: string) => join(process.env.TEST_RUN ?? '', encodeURIComponent(name));

export const isClaimed = (file: string) => existsSync(pathOf(file));

/** Only a test that hangs takes so long, even where others keep the machine busy. */
export const LIMIT_MS = Number(process.env.TEST_LIMIT_MS ?? 10 * 60_000);

/** The process that has had a file for longer than its tests may take, and so cannot even end them. */
export function stuckWith(file: string): number | undefined {
  const isStuck = isClaimed(file) && Date.now() - statSync(pathOf(file)).mtimeMs > 1.5 * LIMIT_MS;
  return isStuck ? Number(readFileSync(pathOf(file), 'utf8')) : undefined;
}

/** Whether no other process has it. */
export function claim(file: string): boolean {
  try {
    writeFileSync(pathOf(file), String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

export const note = (kind: 'results' | 'times', value: object) =>
  appendFileSync(pathOf(kind), `${JSON.stringify(value)}\n`);

export function noted<T>(kind: 'results' | 'times'): T[] {
  const lines = existsSync(pathOf(kind)) ? readFileSync(pathOf(kind), 'utf8').trimEnd().split('\n') : [];
  return lines.map((line) => JSON.parse(line));
}

/** Emits the name of each file that was told in this process. */
export const told = new EventEmitter();

/** Notes it, and returns what is printed. */
export function tell(result: Result): string {
  note('results', result);
  told.emit(result.file);
  const { file, passed, failures, skipped } = result;
  const counts = Object.entries({ passed, failed: failures.length, skipped: skipped.length });
  const counted = counts.filter(([name, count]) => name === 'passed' || count > 0);
  const texts = failures.map(({ head, text }) => `\n${head}\n${text.replaceAll(/^(?=.)/gm, '    ')}\n\n`);
  const mark = failures.length > 0 ? '✖' : '✔';
  return `${mark} ${file}: ${counted.map(([name, count]) => `${count} ${name}`).join(', ')}\n${texts.join('')}`;
}
