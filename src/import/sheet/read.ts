/**
 * Reads a sheet: file → grid of cells → table with known columns → rows that hold shifts → records. It keeps only the
 * rows in memory that are needed to find out how dates are written.
 */

import { TABLES } from '../../store/records.ts';
import type { SheetPart } from '../document.ts';
import { placeOfSheet } from '../place.ts';
import type { ImportProblem } from '../problems.ts';
import { type Grid, type GridRow, type OpenSheets, textOf } from './cell.ts';
import { openSheets } from './grid/open.ts';
import type { SheetOptions } from './options.ts';
import { type ColumnReadings, ReadingsFinder } from './readings.ts';
import { rowReader } from './records.ts';
import { SheetRefused } from './refusal.ts';
import { joinReports, type SheetReport } from './report.ts';
import { shiftRows } from './rows.ts';
import type { SheetRow } from './sheet-row.ts';
import { findTable, type Table } from './table/table.ts';

/** Rows are handed on in parts of this many. */
const ROWS_PER_PART = 1_000;
/** The date format is found from this many rows, or from more if they are ambiguous. */
const FEW_ROWS = 1_000;
const MANY_ROWS = 20_000;
const MANY_CHARACTERS = 20_000_000;

/** If the file cannot be read to its end, the parts end with what was read so far. */
export async function* readSheet(
  bytes: AsyncIterable<Uint8Array>,
  options: SheetOptions,
): AsyncGenerator<SheetPart> {
  yield { account: options.account };
  let opened: OpenSheets;
  try {
    opened = await openSheets(bytes, options);
  } catch (error) {
    if (!(error instanceof SheetRefused)) throw error;
    return yield* problemParts(error.problems);
  }
  const { grids, leftOut: leftOutSheets, isOneOfSeveral } = opened;
  const reports: SheetReport[] = [];
  let hasAddresses: boolean | undefined;
  for (const grid of grids) {
    const table = yield* readGrid(grid, options);
    if (table === undefined) continue;
    const isSame = hasAddresses === undefined || hasAddresses === tellsAddresses(table);
    if (!isSame) yield* problemParts(problemsIn(grid, [ADDRESSES_DIFFER]));
    hasAddresses ??= tellsAddresses(table);
    reports.push({ ...table.report, sheets: grid.sheet === undefined ? [] : [grid.sheet] });
  }
  if (reports.length < grids.length) return;
  const report = { ...reports.reduce(joinReports), leftOutSheets, isOneOfSeveral };
  yield { rows: [], hasAddresses: hasAddresses ?? false, report };
}

const ADDRESSES_DIFFER: ImportProblem = {
  place: '',
  message:
    'some of the sheets have a column of addresses and others have none; import them one by one, with --sheet',
};

function tellsAddresses({ header }: Table): boolean {
  return header.places.address !== undefined;
}

/** Returns undefined if the grid could not be read. */
async function* readGrid(grid: Grid, options: SheetOptions): AsyncGenerator<SheetPart, Table | undefined> {
  try {
    const table = await findTable(grid, options);
    yield* readTable(grid, table, options);
    return table.header.problems.length > 0 ? undefined : table;
  } catch (error) {
    if (!(error instanceof SheetRefused)) throw error;
    yield* problemParts(grid.takeProblems());
    yield* problemParts(problemsIn(grid, error.problems));
    return undefined;
  }
}

/** When several sheets are read, a problem without a place gets the place of its sheet. */
function problemsIn({ number }: Grid, problems: readonly ImportProblem[]): readonly ImportProblem[] {
  if (number === undefined) return problems;
  return problems.map((one) => (one.place === '' ? { ...one, place: placeOfSheet(number) } : one));
}

async function* readTable(grid: Grid, table: Table, options: SheetOptions): AsyncGenerator<SheetPart> {
  const { readings, rows } = await findReadings(table, options);
  yield* problemParts(table.header.problems);
  yield* problemParts(readings.problems, []);
  if (table.header.problems.length > 0) {
    yield* problemParts(grid.takeProblems());
    return;
  }
  const read = rowReader(table.header, options, readings);
  const hasAddresses = tellsAddresses(table);
  for await (const some of rows) {
    yield* problemParts(grid.takeProblems());
    for (let start = 0; start < some.length; start += ROWS_PER_PART) {
      const part: SheetRow[] = [];
      for (const row of some.slice(start, start + ROWS_PER_PART)) {
        const shift = read(row);
        if (shift !== undefined) part.push(shift);
        else noteNoShift(row, table);
      }
      yield { rows: part, hasAddresses };
    }
  }
  yield* problemParts(grid.takeProblems());
}

const MAX_NOTED_WORDS = 10;

function noteNoShift({ cells }: GridRow, { header: { places }, report: { noShifts } }: Table): void {
  noShifts.count++;
  if (noShifts.words.size < MAX_NOTED_WORDS)
    noShifts.words.add(textOf(cells[places.start_time ?? places.times ?? -1]));
}

/** Looks at the first rows, which are then read with the others. */
async function findReadings(
  table: Table,
  options: SheetOptions,
): Promise<{ readonly readings: ColumnReadings; readonly rows: AsyncIterable<readonly GridRow[]> }> {
  const finder = new ReadingsFinder(table.header, options);
  const iterator = shiftRows(table, options);
  const first: (readonly GridRow[])[] = [];
  let failure: unknown;
  let count = 0;
  let characters = 0;
  while (count < FEW_ROWS || (!finder.isSettled() && count < MANY_ROWS && characters < MANY_CHARACTERS)) {
    try {
      const { done, value } = await iterator.next();
      if (done) break;
      first.push(value);
      count += value.length;
      for (const row of value) {
        finder.look(row);
        for (const cell of row.cells) characters += 1 + textOf(cell).length;
      }
    } catch (error) {
      // The rows that were read before the failure are checked first.
      failure = error;
      break;
    }
  }
  async function* rows() {
    yield* first;
    if (failure !== undefined) throw failure;
    yield* iterator;
  }
  return { readings: finder.settle(), rows: rows() };
}

function* problemParts(
  problems: readonly ImportProblem[],
  hides: typeof TABLES = TABLES,
): Generator<SheetPart> {
  for (const problem of problems) yield { problem, hides };
}
