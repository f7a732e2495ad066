/**
 * Shifts → month block: sorts the shifts of each day, encodes them, and packs everything into one buffer. Only the
 * thread that loads does this.
 */

import { type Day, FIRST_DAY, type Month, parseDate } from '@shiftfeed/common/days';
import { ALL_DAYS, DAYS_PER_MONTH, type DayMask } from './day-mask.ts';
import { dayStartsOf, type MonthBlock } from './month.ts';
import { encodeShift, type Shift, type SortOrder } from './shift.ts';

/** The largest offset that an entry of `rowStarts` can hold. */
const MAX_BLOCK_BYTES = 2 ** 32 - 1;

interface BuildOptions {
  /** The days that the shifts belong to; the whole month if left out. */
  readonly days?: DayMask;
  /** Memory that callers who build many months use for all of them. */
  readonly scratch?: Scratch;
}

/** The shifts come day by day, in any order within a day. Only those of one day are in memory as objects. */
export function buildMonth(
  month: Month,
  shifts: Iterable<Shift>,
  order: SortOrder,
  { days = ALL_DAYS, scratch = makeScratch() }: BuildOptions = {},
): MonthBlock {
  const rows = startRows(scratch);
  const counts = new Uint32Array(DAYS_PER_MONTH);
  for (const day of byDay(shifts)) {
    counts[dayOfMonth(day[0] as Shift) - 1] = day.length;
    for (const shift of sortDay(day, order)) addRow(rows, shift);
  }
  return packRows(rows, month, days, counts);
}

function* byDay(shifts: Iterable<Shift>): Iterable<readonly Shift[]> {
  let day: Shift[] = [];
  for (const shift of shifts) {
    if (day[0] !== undefined && shift.date !== day[0].date) {
      yield day;
      day = [];
    }
    day.push(shift);
  }
  if (day.length > 0) yield day;
}

// Group names compare in JavaScript, never in SQL, so that the order is the same on every database.
// Made when it is first used, because that takes some milliseconds, which a start need not wait for.
let collator: Intl.Collator | undefined;

function compareNames(a: string, b: string): number {
  collator ??= new Intl.Collator('en', { numeric: true });
  return collator.compare(a, b);
}

const MINUTES_PER_DAY = 24 * 60;

function sortDay(shifts: readonly Shift[], order: SortOrder): readonly Shift[] {
  const rank = order === 'group' ? rankGroupNames(shifts) : () => 0;
  // One number carries the whole order except the final tie, the id.
  const keyed = shifts.map((shift) => ({
    shift,
    key: rank(shift) * MINUTES_PER_DAY + minutesOf(shift.startTime),
  }));
  keyed.sort((a, b) => a.key - b.key || a.shift.id - b.shift.id);
  return keyed.map(({ shift }) => shift);
}

/** Names that compare as equal share a rank, so that the time decides between their shifts. */
function rankGroupNames(shifts: readonly Shift[]): (shift: Shift) => number {
  const names = [...new Set(shifts.map((shift) => shift.groupName))].sort(compareNames);
  const ranks = new Map<string, number>();
  let rank = 0;
  names.forEach((name, i) => {
    if (i > 0 && compareNames(names[i - 1] as string, name) !== 0) rank++;
    ranks.set(name, rank);
  });
  return (shift) => ranks.get(shift.groupName) as number;
}

const INITIAL_SCRATCH_BYTES = 16 * 1024;
const MAX_KEPT_SCRATCH_BYTES = 16 * 1024 * 1024;

/** Where rows are written before their length is known. It grows as needed, and is used again for the next month. */
export interface Scratch {
  bytes: Buffer;
}

export function makeScratch(): Scratch {
  return { bytes: Buffer.allocUnsafeSlow(INITIAL_SCRATCH_BYTES) };
}

/** The rows of a month, one after the other. Their bytes are in the scratch. */
interface Rows {
  readonly scratch: Scratch;
  /** How many bytes they have. */
  end: number;
  readonly starts: number[];
  readonly publishDays: number[];
  readonly groupIds: number[];
  readonly locationIds: (number | undefined)[];
}

function startRows(scratch: Scratch): Rows {
  return { scratch, end: 0, starts: [0], publishDays: [], groupIds: [], locationIds: [] };
}

function addRow(rows: Rows, shift: Shift): void {
  const { scratch, end } = rows;
  const text = `${encodeShift(shift)},`;
  const worstEnd = end + text.length * 3;
  if (worstEnd > MAX_BLOCK_BYTES) {
    throw new RangeError(`the shifts of ${shift.date.slice(0, 7)} exceed the 4 GiB that a month may have`);
  }
  if (worstEnd > scratch.bytes.length) {
    const larger = Buffer.allocUnsafeSlow(Math.max(worstEnd, scratch.bytes.length * 2));
    larger.set(scratch.bytes.subarray(0, end));
    scratch.bytes = larger;
  }
  rows.end += scratch.bytes.write(text, end, 'utf8');
  rows.starts.push(rows.end);
  rows.publishDays.push(parseDate(shift.publishDate) as Day);
  rows.groupIds.push(shift.groupId);
  rows.locationIds.push(shift.location?.id);
}

/**
 * Packs all columns into one buffer: a small account has many small months, and each buffer costs more than it would
 * hold.
 */
function packRows(rows: Rows, month: Month, days: DayMask, dayCounts: ArrayLike<number>): MonthBlock {
  const { scratch, end, starts, publishDays } = rows;
  const groups = listRows(rows.groupIds);
  const locations = listRows(rows.locationIds);
  const dayStarts = dayStartsOf(dayCounts);
  const doubles = [groups.ids, locations.ids];
  const words = [
    starts,
    dayStarts,
    publishDays,
    groups.starts,
    groups.rows,
    locations.starts,
    locations.rows,
  ];
  const append = appender(8 * lengthOf(doubles) + 4 * lengthOf(words) + end);
  // The arrays with the widest entries come first, so that all are aligned.
  const groupIds = append(Float64Array<ArrayBuffer>, groups.ids);
  const locationIds = append(Float64Array<ArrayBuffer>, locations.ids);
  const block = {
    month,
    days,
    rowStarts: append(Uint32Array<ArrayBuffer>, starts),
    dayStarts: append(Uint32Array<ArrayBuffer>, dayStarts),
    publishDays: append(Int32Array<ArrayBuffer>, publishDays),
    lastPublishDay: publishDays.reduce((latest, day) => Math.max(latest, day), FIRST_DAY) as Day,
    rowsOfGroup: {
      ids: groupIds,
      starts: append(Uint32Array<ArrayBuffer>, groups.starts),
      rows: append(Uint32Array<ArrayBuffer>, groups.rows),
    },
    rowsOfLocation: {
      ids: locationIds,
      starts: append(Uint32Array<ArrayBuffer>, locations.starts),
      rows: append(Uint32Array<ArrayBuffer>, locations.rows),
    },
    bytes: append(Uint8Array<ArrayBuffer>, scratch.bytes.subarray(0, end)),
  };
  if (scratch.bytes.length > MAX_KEPT_SCRATCH_BYTES) scratch.bytes = makeScratch().bytes;
  return block;
}

/** Places arrays one after the other in one buffer of this many bytes. */
function appender(bytes: number) {
  const buffer = new ArrayBuffer(bytes);
  let offset = 0;
  return <A extends Float64Array | Uint32Array | Int32Array | Uint8Array>(
    type: { new (buffer: ArrayBuffer, offset: number, length: number): A },
    values: ArrayLike<number>,
  ): A => {
    const array = new type(buffer, offset, values.length);
    array.set(values);
    offset += array.byteLength;
    return array;
  };
}

function lengthOf(arrays: readonly ArrayLike<number>[]): number {
  return arrays.reduce((sum, { length }) => sum + length, 0);
}

function listRows(idOfRow: readonly (number | undefined)[]): {
  ids: number[];
  starts: number[];
  rows: number[];
} {
  const grouped = new Map<number, number[]>();
  idOfRow.forEach((id, row) => {
    if (id === undefined) return;
    const rows = grouped.get(id);
    if (rows === undefined) grouped.set(id, [row]);
    else rows.push(row);
  });
  const lists = [...grouped].sort(([a], [b]) => a - b);
  const starts = [0];
  for (const [, rows] of lists) starts.push((starts.at(-1) as number) + rows.length);
  return { ids: lists.map(([id]) => id), starts, rows: lists.flatMap(([, rows]) => rows) };
}

function dayOfMonth(shift: Shift): number {
  return Number(shift.date.slice(8, 10));
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
}
