/**
 * Counts what matches, finds where one page lies in it, and cuts that page out. A run of days counts by one
 * subtraction, and neighbouring rows are one slice: the work depends on the page and not on the account. The layout
 * needs only the day starts of the months. Their rows are needed just where the page lies.
 */

import type { Month } from '@shiftfeed/common/days';
import { type DayMask, daysFrom, firstRun, span, withoutFirstRun } from './day-mask.ts';
import type { Paging } from './filter.ts';
import type { DayStarts, MonthBlock } from './month.ts';
import type { View } from './view.ts';

/** The days of a planned month, and where each day starts among the rows that match in that month. */
export interface CountedMonth {
  readonly month: Month;
  readonly days: DayMask;
  readonly dayStarts: DayStarts;
}

export interface PageLayout {
  readonly total: number;
  readonly page: number;
  readonly perPage: number;
  readonly totalPages: number;
  readonly parts: readonly PagePart[];
}

/** Rows of a page that follow each other in one month. */
interface PagePart {
  readonly month: Month;
  /** The days that it touches, without a gap. */
  readonly days: DayMask;
  /** How many matching rows of the first of these days come before it. */
  readonly skip: number;
  readonly count: number;
}

export function layOutPage(months: readonly CountedMonth[], { page, perPage }: Paging): PageLayout {
  const from = (page - 1) * perPage;
  const parts: PagePart[] = [];
  let total = 0;
  for (const { month, days, dayStarts } of months) {
    for (let rest = days; rest !== 0; rest = withoutFirstRun(rest)) {
      const [firstDay, endDay] = firstRun(rest);
      const first = dayStarts[firstDay] as number;
      const count = (dayStarts[endDay] as number) - first;
      // Positions in the whole listing, of which the page wants from .. from + perPage.
      const skip = Math.max(0, from - total);
      const take = Math.min(count, from + perPage - total);
      if (skip < take) parts.push(partOf(month, dayStarts, firstDay, first + skip, first + take));
      total += count;
    }
  }
  return { total, page, perPage, totalPages: Math.ceil(total / perPage), parts };
}

function partOf(month: Month, dayStarts: DayStarts, fromDay: number, start: number, end: number): PagePart {
  let firstDay = fromDay;
  while ((dayStarts[firstDay + 1] as number) <= start) firstDay++;
  let endDay = firstDay + 1;
  while ((dayStarts[endDay] as number) < end) endDay++;
  return {
    month,
    days: daysFrom(firstDay, endDay),
    skip: start - (dayStarts[firstDay] as number),
    count: end - start,
  };
}

/** A part of a page with the block and the view that it is cut from. The block has at least the days of the part. */
export interface ReadyPart extends PagePart {
  readonly block: MonthBlock;
  readonly view: View;
}

/** The shifts as JSON, separated by commas: put together, the inside of an array. */
export function cutPage(parts: readonly ReadyPart[]): Uint8Array[] {
  const slices: Uint8Array[] = [];
  for (const { block, view, days, skip, count } of parts) {
    const first = (view.dayStarts[span(days)[0]] as number) + skip;
    addSlices(slices, block, view, first, first + count);
  }
  dropLastComma(slices);
  return slices;
}

function addSlices(slices: Uint8Array[], block: MonthBlock, view: View, first: number, end: number): void {
  if (view.rows === undefined) {
    slices.push(sliceOf(block, first, end));
    return;
  }
  let start = first;
  for (let i = first + 1; i <= end; i++) {
    const isNeighbour = i < end && view.rows[i] === (view.rows[i - 1] as number) + 1;
    if (isNeighbour) continue;
    slices.push(sliceOf(block, view.rows[start] as number, (view.rows[i - 1] as number) + 1));
    start = i;
  }
}

function sliceOf(block: MonthBlock, firstRow: number, endRow: number): Uint8Array {
  return block.bytes.subarray(block.rowStarts[firstRow], block.rowStarts[endRow]);
}

function dropLastComma(slices: Uint8Array[]): void {
  const last = slices.pop();
  if (last !== undefined) slices.push(last.subarray(0, -1));
}
