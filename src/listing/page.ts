/**
 * Count what matches and cut one page out of it. Whole runs of days count by one subtraction and
 * neighbouring rows are one slice, so the work depends on the page and not on the account.
 */

import type { Paging } from './filter.ts';
import type { MonthBlock } from './month.ts';
import type { DayMask } from './plan.ts';
import type { View } from './view.ts';

/** A month of the plan with what is needed to read it. */
export interface ReadyMonth {
  readonly days: DayMask;
  readonly block: MonthBlock;
  readonly view: View;
}

export interface Page {
  /** The shifts as JSON, separated by commas: put together, the inside of an array. */
  readonly slices: readonly Uint8Array[];
  readonly total: number;
  readonly page: number;
  readonly perPage: number;
  readonly totalPages: number;
}

export function cutPage(months: readonly ReadyMonth[], { page, perPage }: Paging): Page {
  const from = (page - 1) * perPage;
  const slices: Uint8Array[] = [];
  let total = 0;
  for (const month of months) {
    for (let days = month.days; days !== 0; days &= days + lowestBit(days)) {
      const [first, end] = rowsOfFirstRun(month.view, days);
      // Positions in the whole listing, of which the page wants from .. from + perPage.
      const skip = Math.max(0, from - total);
      const take = Math.min(end - first, from + perPage - total);
      if (skip < take) addSlices(slices, month, first + skip, first + take);
      total += end - first;
    }
  }
  dropLastComma(slices);
  return { slices, total, page, perPage, totalPages: Math.ceil(total / perPage) };
}

/** The rows of the view, from and up to, in the first run of neighbouring days. */
function rowsOfFirstRun(view: View, days: DayMask): [number, number] {
  const firstDay = trailingZeros(days);
  const endDay = trailingZeros(~(days >> firstDay)) + firstDay;
  return [view.dayStarts[firstDay] as number, view.dayStarts[endDay] as number];
}

function addSlices(slices: Uint8Array[], { block, view }: ReadyMonth, first: number, end: number): void {
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

function lowestBit(mask: number): number {
  return mask & -mask;
}

function trailingZeros(mask: number): number {
  return 31 - Math.clz32(lowestBit(mask));
}
