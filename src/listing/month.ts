/**
 * A month block: the shifts of one calendar month of one account, or of some days of it, immutable, in the account's
 * order, already encoded as the JSON that goes out. A page of a listing is then a few slices of its bytes.
 *
 * A block is made of typed arrays on one buffer, so that the thread that builds it can hand it over without a copy.
 */

import type { Day, Month } from '@shiftfeed/common/days';
import { DAYS_PER_MONTH, type DayMask } from './day-mask.ts';

export interface MonthBlock {
  readonly month: Month;
  /** The days that it has, `ALL_DAYS` for the whole month. */
  readonly days: DayMask;
  /** The rows as JSON, each followed by a comma: neighbours are one slice. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where each row starts in `bytes`; one more entry than there are rows. */
  readonly rowStarts: Uint32Array<ArrayBuffer>;
  readonly dayStarts: DayStarts;
  /** The `Day` on which each row becomes visible. */
  readonly publishDays: Int32Array<ArrayBuffer>;
  readonly lastPublishDay: Day;
  readonly rowsOfGroup: RowLists;
  readonly rowsOfLocation: RowLists;
}

/** Entry d is the first row of day d+1 of the month, entry 31 the number of rows. */
export type DayStarts = Uint32Array<ArrayBuffer>;

/**
 * Ascending row numbers by id, in three arrays however many ids there are: the rows of `ids[i]` are `rows[starts[i]]`
 * up to `rows[starts[i + 1]]`.
 */
export interface RowLists {
  /** Ascending. */
  readonly ids: Float64Array<ArrayBuffer>;
  readonly starts: Uint32Array<ArrayBuffer>;
  readonly rows: Uint32Array<ArrayBuffer>;
}

/** The memory of a block, to count it or to hand it from one thread to another. */
export function bufferOf({ bytes }: MonthBlock): ArrayBuffer {
  return bytes.buffer;
}

/** Where each day starts, from the number of rows of each day. */
export function dayStartsOf(counts: ArrayLike<number>): DayStarts {
  const starts = new Uint32Array(DAYS_PER_MONTH + 1);
  for (let day = 0; day < DAYS_PER_MONTH; day++) {
    starts[day + 1] = (starts[day] as number) + (counts[day] as number);
  }
  return starts;
}

/** The rows of an id, none when the month has none of it. */
export function rowsOf({ ids, starts, rows }: RowLists, id: number): Uint32Array<ArrayBuffer> {
  const index = firstAtOrAfter(ids, id);
  return ids[index] === id ? rows.subarray(starts[index], starts[index + 1]) : rows.subarray(0, 0);
}

/** The index of the first of ascending numbers that is not below `wanted`. */
export function firstAtOrAfter(ascending: ArrayLike<number>, wanted: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
