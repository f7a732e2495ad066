/** Turns the rows of a comparison into flawed records and changes. */

import {
  type FlawedRecord,
  ODD_KINDS,
  type Odd,
  type Oddities,
  type OddKind,
  type RecordChange,
  type Tally,
  type Unlisted,
  type Usual,
} from '../import-store.ts';
import { REFERENCES, type Table } from '../records.ts';
import { type RecordRow, recordOf } from '../rows.ts';
import type { Situation } from './dialect.ts';
import { fieldsOf } from './row.ts';
import type { ImportStatements } from './statements.ts';

type Rows = AsyncIterable<readonly RecordRow[]>;

export async function* flawedRecords<T extends Table>(
  table: T,
  found: Rows | readonly never[],
): AsyncGenerator<FlawedRecord<T>[]> {
  for await (const rows of found) yield rows.map((row) => flawedRecord(table, row));
}

function flawedRecord<T extends Table>(table: T, row: RecordRow): FlawedRecord<T> {
  return {
    position: Number(row.position),
    firstPosition: row.first_position === null ? undefined : Number(row.first_position),
    id: row.id === null ? undefined : Number(row.id),
    flaws: row.flaws === null ? [] : JSON.parse(String(row.flaws)),
    hasUnknownLongId: Boolean(row.has_unknown_long_id),
    lacking: fieldsOf(table, Number(row.lacking_fields)),
    end: row.is_end_too_early ? 'too early' : row.is_end_too_late ? 'too late' : undefined,
    missing: REFERENCES.flatMap(([field]) => {
      const why = row[`missing_${field}`];
      return why === 'nowhere' || why === 'removed' ? { field, why } : [];
    }),
    after: recordOf(table, row, 'after_'),
  };
}

export async function* changesOf<T extends Table>(
  table: T,
  situation: Situation,
  { added, changed, removed }: Tally,
  statements: ImportStatements,
  rowsOf: (query: string) => Rows,
): AsyncGenerator<RecordChange<T>[]> {
  if (added + changed > 0) {
    for await (const rows of rowsOf(statements.selectChanges(situation))) {
      yield rows.map((row) => ({
        before: row.before_id === null ? undefined : recordOf(table, row, 'before_'),
        after: recordOf(table, row, 'after_'),
      }));
    }
  }
  const { accountId } = situation;
  if (removed === 0 || accountId === undefined) return;
  for await (const rows of rowsOf(statements.selectAbsent(table, accountId))) {
    yield rows.map((row) => ({ before: recordOf(table, row), after: undefined }));
  }
}

interface Asked {
  row(query: string): Promise<RecordRow | undefined>;
  rows(query: string): Rows;
}

export async function odditiesOf(
  situation: Situation,
  usual: Usual,
  most: number,
  statements: ImportStatements,
  database: Asked,
): Promise<Oddities> {
  const oddities: Record<OddKind, Odd> = { long: NONE, far: NONE, equal: NONE };
  if (!situation.added.has('shifts')) return oddities;
  const counts = await database.row(statements.countOdd(situation, usual));
  for (const kind of ODD_KINDS) {
    const count = Number(counts?.[`${kind}_shifts`]);
    if (count === 0) continue;
    const rows = await Array.fromAsync(database.rows(statements.selectOdd(situation, kind, usual, most)));
    oddities[kind] = { count, first: rows.flat().map(oddShift) };
  }
  return oddities;
}

const NONE: Odd = { count: 0, first: [] };

function oddShift(row: RecordRow): Odd['first'][number] {
  const { date, start_time, end_time } = recordOf('shifts', row);
  const equalPosition = row.equal_position === null ? undefined : Number(row.equal_position);
  return { position: Number(row.position), equalPosition, date, start_time, end_time };
}

export async function unlistedOf(
  situation: Situation,
  today: string,
  statements: ImportStatements,
  database: Asked,
): Promise<Unlisted> {
  const row = situation.added.has('shifts')
    ? await database.row(statements.countUnlisted(situation, today))
    : undefined;
  return {
    early: Number(row?.early_shifts ?? 0),
    firstDate: String(row?.first_date),
    lastDate: String(row?.last_date),
    inactive: Number(row?.inactive_shifts ?? 0),
  };
}
