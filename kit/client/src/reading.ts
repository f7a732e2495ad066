/**
 * Reads many pages as one list. Each page is a request, and the data may change in between: then a shift may be missing
 * or come twice. A different revision shows that. Without revisions, a different total or a repeated shift shows most
 * changes.
 */

import { wait } from './deadline.ts';
import { ShiftfeedAnswerError, ShiftfeedChangedError } from './errors.ts';
import type { ShiftPage } from './page.ts';

/** What to do when the shifts change while their pages are read. */
export type OnChange =
  /** Read all pages before the first is given, and start again on a change. What is given is right. */
  | 'restart'
  /** Give each page as it is read, and throw a ShiftfeedChangedError on a change. */
  | 'throw'
  /** Give each page as it is read. A shift may be missing or come twice. */
  | 'ignore';

const CHOICES: readonly OnChange[] = ['restart', 'throw', 'ignore'];

export function checkOnChange(onChange: OnChange): void {
  if (CHOICES.includes(onChange)) return;
  throw new TypeError(`onChange is "${onChange}"; expected one of ${CHOICES.join(', ')}.`);
}

type Ask = (page: number) => Promise<ShiftPage>;

export async function* readAlong(ask: Ask, onChange: 'throw' | 'ignore'): AsyncGenerator<ShiftPage, void> {
  let before: ShiftPage | undefined;
  let count = 0;
  for (let number = 1; before === undefined || number <= before.meta.total_pages; number++) {
    const page = await ask(number);
    count += page.shifts.length;
    if (onChange === 'throw' && hasChanged(before, page, number, count)) throw changed();
    // A server that promises more pages but sends empty ones must not keep us asking.
    if (before !== undefined && page.shifts.length === 0) return;
    yield page;
    before = page;
  }
}

function hasChanged(before: ShiftPage | undefined, page: ShiftPage, number: number, count: number): boolean {
  if (before === undefined) return false;
  if (page.meta.total !== before.meta.total) return true;
  if (page.revision !== undefined && before.revision !== undefined) return page.revision !== before.revision;
  const isLast = number >= page.meta.total_pages;
  if (page.meta.page !== number || (isLast && count !== page.meta.total)) return true;
  const ids = new Set(before.shifts.map(({ id }) => id));
  return page.shifts.some(({ id }) => ids.has(id));
}

function changed(): ShiftfeedChangedError {
  return new ShiftfeedChangedError('The shifts changed while their pages were read.', 200);
}

const MAX_RESTARTS = 5;

export async function readWhole(
  ask: Ask,
  maxShifts: number,
  backoffMs: number,
  signal: AbortSignal | undefined,
): Promise<readonly ShiftPage[]> {
  for (let restarts = 0; ; restarts++) {
    try {
      return await collect(readAlong(ask, 'throw'), maxShifts);
    } catch (error) {
      if (!(error instanceof ShiftfeedChangedError) || restarts === MAX_RESTARTS) throw error;
      await wait(Math.random() * backoffMs * 2 ** restarts, signal);
    }
  }
}

async function collect(pages: AsyncIterable<ShiftPage>, maxShifts: number): Promise<readonly ShiftPage[]> {
  const collected: ShiftPage[] = [];
  for await (const page of pages) {
    if (page.meta.total > maxShifts) {
      throw new ShiftfeedAnswerError(
        `There are ${page.meta.total} shifts, and at most ${maxShifts} are collected: ask for fewer, or read them as they come (onChange "throw" or "ignore").`,
        200,
      );
    }
    collected.push(page);
  }
  return collected;
}
