/**
 * Everything that an import would change, in one file: written by a reader, and read by the desk in slices, because
 * there may be a million changes. The file has a line of JSON for each change in the order in which they were found, then
 * an index in the order of days, another one by the days from which shifts were moved, and a table of contents.
 */

import { type FileHandle, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type Difference, differences, headOf } from '../import/describe.ts';
import type { Change, ChangeTeller, FindNamed } from '../import/import.ts';
import { ReadingFailed } from '../import/reading.ts';
import type { ChangesFile, DayOfChanges } from '../import/upload.ts';
import type { RecordOf, ShiftRecord, Table } from '../store/records.ts';
import { DISK_FULL } from './results.ts';

/** As the API has it. */
export interface ShownShift
  extends Pick<
    ShiftRecord,
    'id' | 'date' | 'start_time' | 'end_time' | 'end_date' | 'publish_date' | 'remarks'
  > {
  readonly group: { readonly id: number; readonly name: string };
  readonly location: { readonly name: string; readonly address: string } | null;
  readonly person: { readonly name: string } | null;
  readonly starred: boolean;
  readonly cancelled: boolean;
  readonly noshow: boolean;
  /** Whether its group is. */
  readonly active: boolean;
}

export interface ShownChange {
  readonly kind: 'added' | 'changed' | 'removed';
  readonly table: Table;
  readonly id: number;
  /** null: it is a group, location or person. */
  readonly day: string | null;
  readonly title: string;
  /** As it will be, or as it was if it is removed. */
  readonly shift?: ShownShift;
  readonly fields: readonly Difference[];
}

interface Contents {
  readonly linesEnd: number;
  readonly changes: number;
  readonly days: readonly DayOfChanges[];
  readonly moved: readonly DayOfChanges[];
}

const FILE = 'changes';
/** An entry of an index: where the line begins, how long it is, and the id of the record. */
const ENTRY_NUMBERS = 3;
const ENTRY_BYTES = ENTRY_NUMBERS * Float64Array.BYTES_PER_ELEMENT;

/** Starts a file of changes in this folder. */
export async function writeChanges(folder: string): Promise<ChangesFile> {
  const unfinished = join(folder, `${FILE}.new`);
  const file = await open(unfinished, 'w', 0o600);
  const all = new Index();
  const moved = new Index();
  let end = 0;
  return {
    async add(changes, nameOf, find) {
      let lines = '';
      let bytes = 0;
      for (const change of changes) {
        const shown = shownChange(change, nameOf, find);
        const line = `${JSON.stringify(shown)}\n`;
        const length = Buffer.byteLength(line);
        all.add(shown.day, end + bytes, length, shown.id);
        const before = dayOf(change.before);
        if (before !== null && before !== shown.day) moved.add(before, end + bytes, length, shown.id);
        lines += line;
        bytes += length;
      }
      await file.appendFile(lines).catch(full);
      end += bytes;
    },
    async end() {
      const days = await all.write(file);
      const contents = { linesEnd: end, changes: all.count, days, moved: await moved.write(file) };
      const text = Buffer.from(JSON.stringify(contents));
      await file.appendFile(text);
      await file.appendFile(new Uint8Array(new Float64Array([text.length]).buffer));
      await file.close();
      await rename(unfinished, join(folder, FILE));
      return contents;
    },
    close: () => file.close(),
  };
}

/** The database did not fail. */
function full(error: NodeJS.ErrnoException): never {
  throw error.code === 'ENOSPC' ? new ReadingFailed(DISK_FULL) : error;
}

function shownChange(
  change: Change,
  nameOf: Parameters<ChangeTeller>[1],
  find: Parameters<ChangeTeller>[2],
): ShownChange {
  const { table, before, after } = change;
  const record = (after ?? before) as RecordOf<Table>;
  return {
    kind: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
    table,
    id: record.id,
    day: dayOf(record),
    title: headOf(change, record, nameOf),
    ...(table === 'shifts' && { shift: shownShift(record as ShiftRecord, find) }),
    fields: before && after ? differences(change, nameOf) : [],
  };
}

function dayOf(record: RecordOf<Table> | undefined): string | null {
  return record !== undefined && 'date' in record ? record.date : null;
}

function shownShift(record: ShiftRecord, find: FindNamed): ShownShift {
  const { group_id, location_id, person_id, ...shift } = record;
  const group = find('groups', group_id);
  const location = location_id === null ? undefined : find('locations', location_id);
  const person = person_id === null ? undefined : find('people', person_id);
  return {
    ...shift,
    group: { id: group_id, name: group?.name ?? '' },
    location: location ? { name: location.name, address: location.address } : null,
    person: person ? { name: person.name } : null,
    active: group?.active ?? true,
  };
}

/** Numbers instead of objects, because there may be many. */
class Index {
  readonly #days: (string | null)[] = [];
  readonly #entries: number[] = [];

  get count(): number {
    return this.#days.length;
  }

  add(day: string | null, ...entry: readonly [offset: number, length: number, id: number]): void {
    this.#days.push(day);
    this.#entries.push(...entry);
  }

  /** Writes the entries in the order of days, those without one first, and returns where each day begins. */
  async write(file: FileHandle): Promise<readonly DayOfChanges[]> {
    const days = this.#days;
    const order = Uint32Array.from(days.keys()).sort(
      (a, b) => compare(days[a] ?? '', days[b] ?? '') || a - b,
    );
    const sorted = new Float64Array(this.#entries.length);
    const found: { day: string | null; first: number; count: number }[] = [];
    for (const [i, place] of order.entries()) {
      for (let n = 0; n < ENTRY_NUMBERS; n++)
        sorted[i * ENTRY_NUMBERS + n] = this.#entries[place * ENTRY_NUMBERS + n] ?? 0;
      const day = days[place] ?? null;
      const last = found.at(-1);
      if (last?.day === day) last.count++;
      else found.push({ day, first: i, count: 1 });
    }
    await file.appendFile(new Uint8Array(sorted.buffer));
    return found;
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Changes in the order of days: those of groups, locations and people first. */
export async function readChanges(
  folder: string,
  offset: number,
  limit: number,
): Promise<readonly ShownChange[]> {
  await using file = await open(join(folder, FILE));
  const { linesEnd, changes } = await contentsOf(file);
  const count = Math.max(0, Math.min(limit, changes - offset));
  return await linesAt(file, await entriesAt(file, linesEnd, offset, count));
}

const MAX_SHIFTS = 5_000;

/**
 * The shifts of these days as they will be, as far as the import changes them, and which of those of now it changes. There
 * may be a million changes, so only numbers are looked at, and `now` has what is shown at once.
 */
export async function changesBetween(
  folder: string,
  from: string,
  to: string,
  now: ReadonlySet<number>,
): Promise<{ after: readonly ShownShift[]; touched: ReadonlySet<number>; more: boolean }> {
  await using file = await open(join(folder, FILE));
  const { linesEnd, changes, days, moved } = await contentsOf(file);
  const entries = await entriesOf(file, linesEnd, days, from, to);
  const gone = await entriesOf(file, linesEnd + changes * ENTRY_BYTES, moved, from, to);
  const touched = new Set<number>();
  for (const numbers of [entries, gone])
    for (let at = ENTRY_NUMBERS - 1; at < numbers.length; at += ENTRY_NUMBERS)
      if (now.has(numbers[at] ?? 0)) touched.add(numbers[at] ?? 0);
  const shown = await linesAt(file, entries.subarray(0, MAX_SHIFTS * ENTRY_NUMBERS));
  return {
    after: shown.flatMap(({ kind, shift }) => (kind === 'removed' || shift === undefined ? [] : shift)),
    touched,
    more: entries.length > MAX_SHIFTS * ENTRY_NUMBERS,
  };
}

async function entriesOf(
  file: FileHandle,
  index: number,
  days: readonly DayOfChanges[],
  from: string,
  to: string,
): Promise<Float64Array> {
  const some = days.filter(({ day }) => day !== null && day >= from && day <= to);
  const count = some.reduce((sum, day) => sum + day.count, 0);
  return entriesAt(file, index, some[0]?.first ?? 0, count);
}

async function contentsOf(file: FileHandle): Promise<Contents> {
  const { size } = await file.stat();
  const [length = 0] = new Float64Array(await bytesAt(file, size - 8, 8));
  return JSON.parse(Buffer.from(await bytesAt(file, size - 8 - length, length)).toString());
}

async function entriesAt(
  file: FileHandle,
  index: number,
  first: number,
  count: number,
): Promise<Float64Array> {
  return new Float64Array(await bytesAt(file, index + first * ENTRY_BYTES, count * ENTRY_BYTES));
}

async function linesAt(file: FileHandle, entries: Float64Array): Promise<readonly ShownChange[]> {
  const changes: ShownChange[] = [];
  for (let at = 0; at < entries.length; at += ENTRY_NUMBERS) {
    const [offset = 0, length = 0] = entries.subarray(at, at + ENTRY_NUMBERS);
    changes.push(JSON.parse(Buffer.from(await bytesAt(file, offset, length)).toString()));
  }
  return changes;
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(bytes, read, length - read, position + read);
    if (bytesRead === 0) throw new Error('the file of changes is cut off');
    read += bytesRead;
  }
  return bytes.buffer;
}
