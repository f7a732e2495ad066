/**
 * Reads the pages of a listing in turn. Each page is a request, and the data may change in between: then a shift may be
 * missing or come twice. Another tag of the listing shows that. Without tags, another revision, a different total or a
 * repeated shift shows most changes, and some that do not concern the listing.
 */

import { ShiftfeedChangedError } from './errors.ts';
import type { ShiftPage } from './page.ts';

/** What to do when the shifts change while their pages are read. */
export type OnChange =
  /** Read all pages before the first is given, and again what changed. What is given is right. */
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
  let isFirst = true;
  for await (const { page, hasChanged } of readInTurn(ask)) {
    if (onChange === 'throw' && hasChanged)
      throw new ShiftfeedChangedError('The shifts changed while their pages were read.', 200);
    if (isFirst || page.shifts.length > 0) yield page;
    isFirst = false;
  }
}

export interface PageInTurn {
  readonly page: ShiftPage;
  /** Whether it is of another state of the listing than the page before. */
  readonly hasChanged: boolean;
}

/** There is at least one page. Only the last can be empty. */
export async function* readInTurn(ask: Ask): AsyncGenerator<PageInTurn, void> {
  let before: ShiftPage | undefined;
  let count = 0;
  for (let number = 1; before === undefined || number <= before.meta.total_pages; number++) {
    const page = await ask(number);
    count += page.shifts.length;
    yield { page, hasChanged: before !== undefined && differs(before, page, number, count) };
    // A server that promises more pages but sends empty ones must not keep us asking.
    if (before !== undefined && page.shifts.length === 0) return;
    before = page;
  }
}

function differs(before: ShiftPage, page: ShiftPage, number: number, count: number): boolean {
  if (page.listing !== undefined && before.listing !== undefined) return page.listing !== before.listing;
  if (page.meta.total !== before.meta.total) return true;
  if (page.revision !== undefined && before.revision !== undefined) return page.revision !== before.revision;
  const isLast = number >= page.meta.total_pages;
  if (page.meta.page !== number || (isLast && count !== page.meta.total)) return true;
  const ids = new Set(before.shifts.map(({ id }) => id));
  return page.shifts.some(({ id }) => ids.has(id));
}
