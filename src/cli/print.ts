/**
 * Prints text, JSON and tables to standard output, and warnings to standard error. Unprintable characters from a
 * database are made printable.
 */

import { createInterface } from 'node:readline/promises';
import { DAY_MS, MINUTE_MS } from '@shiftfeed/common/days';
import { count, onOneLine, printable } from '@shiftfeed/common/quote';
import { Failure, wrongUse } from './failure.ts';

export function print(text: string): void {
  process.stdout.write(`${printable(text)}\n`);
}

/**
 * Prints a long text, such as an export, unchanged and as fast as its reader takes it. Ends early when it cannot be
 * written any more: main.ts decides what that means for the command.
 */
export async function printPieces(pieces: AsyncIterable<string> | Iterable<string>): Promise<void> {
  for await (const piece of pieces) {
    const isWritten = await new Promise<boolean>((resolve) => {
      process.stdout.write(piece, (error) => resolve(!error));
    });
    if (!isWritten) return;
  }
}

export function warn(sentence: string): void {
  process.stderr.write(`shiftfeed: ${printable(sentence)}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** Formats rows as columns. The first row has the headings. Numbers are aligned to the right. */
export function table(rows: readonly (readonly (string | number)[])[]): string {
  const cells = rows.map((row) => row.map((cell) => printable(onOneLine(String(cell)))));
  const headings = cells[0] ?? [];
  // Math.max(...cells) would overflow the stack with many rows.
  const widths = headings.map((_, column) =>
    cells.reduce((width, row) => Math.max(width, (row[column] ?? '').length), 0),
  );
  const isNumeric = headings.map((_, column) =>
    rows.slice(1).every((row) => typeof row[column] === 'number'),
  );
  return cells
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return isNumeric[column] ? cell.padStart(width) : cell.padEnd(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const HOUR_MS = 60 * MINUTE_MS;

/**
 * In the largest unit of which there are at least two, rounded down. An instant ahead of this machine's clock counts as
 * just now.
 */
export function timeSince(atMs: number, nowMs: number): string {
  const passedMs = nowMs - atMs;
  if (passedMs < MINUTE_MS) return 'just now';
  if (passedMs < 2 * HOUR_MS) return `${count(Math.floor(passedMs / MINUTE_MS), 'minute', 'minutes')} ago`;
  if (passedMs < 2 * DAY_MS) return `${Math.floor(passedMs / HOUR_MS)} hours ago`;
  return `${Math.floor(passedMs / DAY_MS)} days ago`;
}

/**
 * Asks whether to remove something. Without a terminal there is nobody to ask, and only --yes removes it. `state` says
 * what would be lost, and `sentence` says it as the beginning of a question.
 */
export async function confirmRemoval(what: string, state: string, sentence: string): Promise<void> {
  if (!process.stdin.isTTY) {
    throw wrongUse(`Nothing was removed: ${state}. Give --yes to remove ${what} without being asked.`);
  }
  const question = `${sentence}. Remove ${what} for good?`;
  if (!(await confirm(question, process.stdin, process.stderr))) throw new Failure('Nothing was removed.');
}

/** Only yes counts as yes: the end of the input, or Ctrl-C, is a no. */
export async function confirm(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<boolean> {
  const reader = createInterface({ input, output });
  const closed = Promise.withResolvers<string>();
  reader.once('close', () => closed.resolve(''));
  try {
    const answer = await Promise.race([reader.question(`${printable(question)} [y/N] `), closed.promise]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}
