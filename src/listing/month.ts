/**
 * A month block: the shifts of one calendar month of one account, or of some days of it, immutable, in the account's
 * order, already encoded as the JSON that goes out. A page of a listing is then a few slices of its bytes.
 *
 * A block is made of typed arrays only, so that the thread that builds it can hand it over without a copy.
 */

import { type Day, FIRST_DAY, type Month, parseDate } from './calendar.ts';
import { ALL_DAYS, DAYS_PER_MONTH, type DayMask } from './day-mask.ts';
import { encodeShift, type Shift, type SortOrder } from './shift.ts';

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
 * Ascending row numbers by id, in three arrays however many ids there are: the rows of `ids[i]` are
 * `rows[starts[i]]` up to `rows[starts[i + 1]]`.
 */
export interface RowLists {
  /** Ascending. */
  readonly ids: Float64Array<ArrayBuffer>;
  readonly starts: Uint32Array<ArrayBuffer>;
  readonly rows: Uint32Array<ArrayBuffer>;
}

const MAX_BLOCK_BYTES = 2 ** 32 - 1; // What an entry of `rowStarts` can say.

export function buildMonth(
  month: Month,
  unsorted: readonly Shift[],
  order: SortOrder,
  days: DayMask = ALL_DAYS,
): MonthBlock {
  const shifts = sortShifts(unsorted, order);
  const publishDays = Int32Array.from(shifts, (shift) => parseDate(shift.publishDate) as Day);
  return {
    month,
    days,
    ...encodeRows(shifts),
    dayStarts: countDays(shifts),
    publishDays,
    lastPublishDay: publishDays.reduce((latest, day) => Math.max(latest, day), FIRST_DAY) as Day,
    rowsOfGroup: listRows(shifts, (shift) => shift.groupId),
    rowsOfLocation: listRows(shifts, (shift) => shift.location?.id),
  };
}

/** The memory of a block, to count it or to hand it from one thread to another. */
export function buffersOf({ bytes, rowStarts, dayStarts, publishDays, ...block }: MonthBlock): ArrayBuffer[] {
  const lists = [block.rowsOfGroup, block.rowsOfLocation].flatMap(({ ids, starts, rows }) => [
    ids,
    starts,
    rows,
  ]);
  return [bytes, rowStarts, dayStarts, publishDays, ...lists].map((array) => array.buffer);
}

/** The rows of an id, none when the month has none of it. */
export function rowsOf({ ids, starts, rows }: RowLists, id: number): Uint32Array<ArrayBuffer> {
  const index = ids.indexOf(id);
  return index === -1 ? rows.subarray(0, 0) : rows.subarray(starts[index], starts[index + 1]);
}

// Group names compare in JavaScript, never in SQL, so that the order is the same on every database.
const collator = new Intl.Collator('en', { numeric: true });

function sortShifts(shifts: readonly Shift[], order: SortOrder): readonly Shift[] {
  const rank = order === 'group' ? rankGroupNames(shifts) : () => 0;
  // One number carries the whole order except the final tie, the id.
  const minutesPerDay = 24 * 60;
  const keyed = shifts.map((shift) => ({
    shift,
    key: (dayOfMonth(shift) * (shifts.length + 1) + rank(shift)) * minutesPerDay + minutesOf(shift.startTime),
  }));
  keyed.sort((a, b) => a.key - b.key || a.shift.id - b.shift.id);
  return keyed.map(({ shift }) => shift);
}

/** Names that compare as equal share a rank, so that the time decides between their shifts. */
function rankGroupNames(shifts: readonly Shift[]): (shift: Shift) => number {
  const names = [...new Set(shifts.map((shift) => shift.groupName))].sort(collator.compare);
  const ranks = new Map<string, number>();
  let rank = 0;
  names.forEach((name, i) => {
    if (i > 0 && collator.compare(names[i - 1] as string, name) !== 0) rank++;
    ranks.set(name, rank);
  });
  return (shift) => ranks.get(shift.groupName) as number;
}

function encodeRows(shifts: readonly Shift[]): Pick<MonthBlock, 'bytes' | 'rowStarts'> {
  const rowStarts = new Uint32Array(shifts.length + 1);
  let buffer = Buffer.allocUnsafeSlow(shifts.length * 400 + 1024);
  let end = 0;
  shifts.forEach((shift, row) => {
    const text = `${encodeShift(shift)},`;
    const worstEnd = end + text.length * 3;
    if (worstEnd > MAX_BLOCK_BYTES) {
      throw new RangeError(`the shifts of ${shift.date.slice(0, 7)} exceed the 4 GiB that a month may have`);
    }
    if (worstEnd > buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(worstEnd, buffer.length * 2));
      larger.set(buffer.subarray(0, end));
      buffer = larger;
    }
    end += buffer.write(text, end, 'utf8');
    rowStarts[row + 1] = end;
  });
  return { bytes: new Uint8Array(buffer.buffer.transferToFixedLength(end)), rowStarts };
}

function countDays(shifts: readonly Shift[]): DayStarts {
  const counts = new Uint32Array(DAYS_PER_MONTH);
  for (const shift of shifts) (counts[dayOfMonth(shift) - 1] as number)++;
  return dayStartsOf(counts);
}

/** From how many rows each day has. */
export function dayStartsOf(counts: ArrayLike<number>): DayStarts {
  const starts = new Uint32Array(DAYS_PER_MONTH + 1);
  for (let day = 0; day < DAYS_PER_MONTH; day++) {
    starts[day + 1] = (starts[day] as number) + (counts[day] as number);
  }
  return starts;
}

function listRows(shifts: readonly Shift[], idOf: (shift: Shift) => number | undefined): RowLists {
  const grouped = Map.groupBy(shifts.keys(), (row) => idOf(shifts[row] as Shift));
  grouped.delete(undefined);
  const lists = [...(grouped as Map<number, number[]>)].sort(([a], [b]) => a - b);
  const starts = new Uint32Array(lists.length + 1);
  lists.forEach(([, rows], i) => {
    starts[i + 1] = (starts[i] as number) + rows.length;
  });
  return {
    ids: Float64Array.from(lists, ([id]) => id),
    starts,
    rows: Uint32Array.from(lists.flatMap(([, rows]) => rows)),
  };
}

function dayOfMonth(shift: Shift): number {
  return Number(shift.date.slice(8, 10));
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
}
