/** The stage of an import. It is the same for every database, except for the methods of StageDatabase. */

import { type AccountTransaction, findAccountVersion } from '../admin/accounts.ts';
import { recordsOf } from '../admin/export.ts';
import type { Queries, RecordRow } from '../database.ts';
import { StoreFailure } from '../failure.ts';
import {
  type CompareOptions,
  type Comparison,
  type DateRange,
  FIRST_DATE,
  type FlawedRecord,
  LAST_DATE,
  type MergeTransaction,
  ODD_KINDS,
  type Odd,
  type Oddities,
  type OddKind,
  type RecordChange,
  type Stage,
  type Tally,
  type Unlisted,
  type Usual,
} from '../import-store.ts';
import { COLUMN_NAMES, REFERENCES, type StagedRecord, TABLES, type Table } from '../records.ts';
import { recordOf } from '../rows.ts';
import { bitsOf, fieldsOf, type Situation } from './outcome.ts';
import { ImportStatements, type TableDefinition } from './statements.ts';

/** What a stage needs of a database. */
export interface StageDatabase extends Queries {
  /** Creates a temporary table, or empties it if it exists. */
  make(definition: TableDefinition): Promise<void>;
  /** Adds rows to the staged records of a table. */
  insert(table: Table, rows: readonly StagedValue[][]): Promise<void>;
  /** Indexes the staged records of a table by id. */
  indexIds(table: Table): Promise<void>;
  /** Updates the planner's statistics of a temporary table. */
  analyze(name: string): Promise<void>;
  /** Returns the number of changed rows. */
  run(statement: string, values?: readonly string[]): Promise<number>;
  /** Runs a statement for the rows up to `lastRow`, at once or in parts, and reports how many are done. */
  runInParts(statement: string, lastRow: number, onProgress?: (done: number) => void): Promise<void>;
  /** Whether the database refused a row because of a missing reference, and can still be asked which one. */
  isReferenceMissing(error: unknown): boolean;
  /** `rows` is the maximum number of rows to write and remove. */
  merge(work: (transaction: AccountTransaction) => Promise<void>, rows: number): Promise<void>;
}

export function openStage(database: StageDatabase): Stage {
  return new TemporaryTables(database);
}

class TemporaryTables implements Stage {
  readonly #database: StageDatabase;
  readonly #statements: ImportStatements;
  readonly #added = new Map<Table, Added>();
  /** The latest comparison of each table. */
  readonly #comparisons = new Map<Table, StageComparison<Table>>();
  #isSettled = true;

  constructor(database: StageDatabase) {
    this.#database = database;
    this.#statements = new ImportStatements(database.dialect);
  }

  async add<T extends Table>(
    table: T,
    records: readonly StagedRecord<T>[],
    positions?: readonly number[],
  ): Promise<void> {
    if (records.length === 0) return;
    const added = this.#added.get(table) ?? { ...NOTHING_ADDED };
    if (added.count === 0) await this.#database.make(this.#statements.givenTable(table));
    this.#added.set(table, added);
    const rows: StagedValue[][] = [];
    for (const [i, record] of records.entries()) {
      note(added, record, positions?.[i]);
      rows.push(stagedRow(table, record, added.lastPosition));
    }
    await this.#database.insert(table, rows);
    this.#isSettled = false;
  }

  findAccount(slug: string) {
    return findAccountVersion(this.#database, slug, { isLocked: false });
  }

  async *records<T extends Table>(table: T, accountId: number | undefined) {
    if (accountId !== undefined) yield* recordsOf(this.#database, table, accountId);
  }

  async compare<T extends Table>(table: T, options: CompareOptions): Promise<Comparison<T>> {
    await this.#settle();
    const situation = await this.#situationOf(table, options);
    const counts = await this.#markWritten(situation);
    const tally = { ...counts.tally, removed: await this.#markAbsent(situation) };
    const found = { ...counts, tally, table, situation };
    const comparison = new StageComparison<T>(this.#database, this.#statements, found);
    this.#comparisons.set(table, comparison as unknown as StageComparison<Table>);
    return comparison;
  }

  merge(work: (transaction: MergeTransaction) => Promise<void>): Promise<void> {
    let rows = 0;
    for (const { count } of this.#added.values()) rows += count;
    for (const { tally } of this.#comparisons.values()) rows += tally.removed;
    return this.#database.merge(
      (accounts) =>
        work({
          ...accounts,
          write: (comparison, accountId, onProgress) => this.#latest(comparison).write(accountId, onProgress),
          remove: (comparison, accountId) => this.#latest(comparison).remove(accountId),
        }),
      rows,
    );
  }

  #latest(comparison: Comparison): StageComparison<Table> {
    const latest = this.#comparisons.get(comparison.table);
    if (latest === undefined || latest !== comparison) throw new Error('the table was compared anew since');
    return latest;
  }

  /** Finds repeated ids and other facts that depend on all records together. */
  async #settle(): Promise<void> {
    if (this.#isSettled) return;
    this.#isSettled = true;
    for (const [table, { isGrowing, hasDerivedIds }] of this.#added) {
      // Shifts are many, and nothing refers to them.
      if (table !== 'shifts' || hasDerivedIds) await this.#database.indexIds(table);
      await this.#database.analyze(`${table}_given`);
      if (hasDerivedIds) {
        await this.#database.run(this.#statements.findEqual());
        while ((await this.#database.run(this.#statements.separateDerived())) > 0);
      }
      if (!isGrowing) await this.#database.run(this.#statements.findRepeated(table));
    }
  }

  async #situationOf(table: Table, options: CompareOptions): Promise<Situation> {
    const { accountId } = options;
    const [found] =
      accountId === undefined ? [] : await this.#database.all(this.#statements.selectAny(table, accountId));
    const { isInOrder, count, lastPosition } = this.#added.get(table) ?? NOTHING_ADDED;
    // Rows are written in ranges of positions. The positions of a roster are too sparse for that.
    const isDense = lastPosition < 2 * count + FEW_POSITIONS;
    return {
      table,
      options,
      accountId: found && accountId,
      added: new Set(this.#added.keys()),
      isWrittenAsGiven:
        found === undefined && ((isInOrder && isDense) || !this.#database.dialect.writesInOrder),
    };
  }

  async #markWritten(situation: Situation) {
    const { table, isWrittenAsGiven } = situation;
    const added = this.#added.get(table);
    if (added === undefined) return { tally: { added: 0, changed: 0, unchanged: 0 }, flawed: 0, lastRow: 0 };
    const definition = this.#statements.comparedTable(table);
    await this.#database.make(definition);
    await this.#database.run(this.#statements.compare(situation));
    await this.#database.analyze(definition.name);
    const [row] = await this.#database.all(this.#statements.countCompared(table));
    const [compared, known] = [Number(row?.compared), Number(row?.known)];
    return {
      tally: isWrittenAsGiven
        ? { added: added.count, changed: 0, unchanged: 0 }
        : { added: compared - known, changed: known, unchanged: added.count - compared },
      flawed: Number(row?.flawed),
      lastRow: isWrittenAsGiven ? added.lastPosition : compared,
    };
  }

  /** Returns how many records are absent. */
  async #markAbsent({ table, accountId, options: { removal } }: Situation): Promise<number> {
    if (removal === undefined || accountId === undefined) return 0;
    const { days } = removal;
    await this.#database.make(this.#statements.absentTable(table));
    return this.#database.run(
      this.#statements.findAbsent(table, accountId, days !== undefined, this.#added.has(table)),
      boundsOf(days),
    );
  }
}

/** A sheet may have some lines above its first row. */
const FEW_POSITIONS = 1_000;

function boundsOf(days: DateRange | undefined): readonly string[] {
  return days === undefined ? [] : [days.from ?? FIRST_DATE, days.to ?? LAST_DATE];
}

interface Compared<T extends Table> {
  readonly table: T;
  readonly situation: Situation;
  readonly tally: Tally;
  /** How many records have a problem. */
  readonly flawed: number;
  readonly lastRow: number;
}

class StageComparison<T extends Table> implements Comparison<T> {
  readonly table: T;
  readonly tally: Tally;
  readonly #database: StageDatabase;
  readonly #statements: ImportStatements;
  readonly #compared: Compared<T>;

  constructor(database: StageDatabase, statements: ImportStatements, compared: Compared<T>) {
    this.table = compared.table;
    this.tally = compared.tally;
    this.#database = database;
    this.#statements = statements;
    this.#compared = compared;
  }

  async covered(): Promise<number> {
    const { accountId, options } = this.#compared.situation;
    if (options.removal === undefined || accountId === undefined) return 0;
    const { days } = options.removal;
    const query = this.#statements.countCovered(this.table, accountId, days !== undefined);
    const [row] = await this.#database.all(query, boundsOf(days));
    return Number(row?.count);
  }

  async oddities(usual: Usual, most: number): Promise<Oddities> {
    const { situation } = this.#compared;
    const oddities: Record<OddKind, Odd> = { long: NONE, far: NONE, equal: NONE };
    if (!situation.added.has('shifts')) return oddities;
    const [counts] = await this.#database.all(this.#statements.countOdd(situation, usual));
    for (const kind of ODD_KINDS) {
      const count = Number(counts?.[`${kind}_shifts`]);
      if (count === 0) continue;
      const rows = await this.#database.all(this.#statements.selectOdd(situation, kind, usual, most));
      oddities[kind] = { count, first: rows.map(oddShift) };
    }
    return oddities;
  }

  async unlisted(today: string): Promise<Unlisted> {
    const { situation } = this.#compared;
    const [row] = situation.added.has('shifts')
      ? await this.#database.all(this.#statements.countUnlisted(situation, today))
      : [];
    return {
      early: Number(row?.early_shifts ?? 0),
      firstDate: String(row?.first_date),
      lastDate: String(row?.last_date),
      inactive: Number(row?.inactive_shifts ?? 0),
    };
  }

  async *flawed(): AsyncGenerator<FlawedRecord<T>[]> {
    const { flawed, situation } = this.#compared;
    if (flawed === 0) return;
    for await (const rows of this.#database.batches(this.#statements.selectFlawed(situation)))
      yield rows.map((row) => flawedRecord(this.table, row));
  }

  async *changes(): AsyncGenerator<RecordChange<T>[]> {
    const { table, tally } = this;
    const { situation } = this.#compared;
    if (tally.added + tally.changed > 0) {
      for await (const rows of this.#database.batches(this.#statements.selectChanges(situation))) {
        yield rows.map((row) => ({
          before: row.before_id === null ? undefined : recordOf(table, row, 'before_'),
          after: recordOf(table, row, 'after_'),
        }));
      }
    }
    if (tally.removed === 0 || situation.accountId === undefined) return;
    const absent = this.#statements.selectAbsent(table, situation.accountId);
    for await (const rows of this.#database.batches(absent))
      yield rows.map((row) => ({ before: recordOf(table, row), after: undefined }));
  }

  async write(accountId: number, onProgress?: (done: number) => void): Promise<void> {
    const { situation, lastRow, tally } = this.#compared;
    if (tally.added + tally.changed === 0) return;
    try {
      await this.#database.runInParts(this.#statements.write(situation, accountId), lastRow, onProgress);
    } catch (error) {
      if (!this.#database.isReferenceMissing(error)) throw error;
      throw (await this.#whatIsMissing(accountId)) ?? error;
    }
  }

  /** If no shift refers to a group, location or person, another program can remove it without a new revision. */
  async #whatIsMissing(accountId: number): Promise<StoreFailure | undefined> {
    for (const [field, table, noun] of REFERENCES) {
      const query = this.#statements.selectMissing(this.#compared.situation, accountId, field, table);
      const [row] = await this.#database.all(query);
      if (row === undefined) continue;
      return new StoreFailure(
        'refused',
        `A shift refers to ${noun} ${row.id}, which another program has removed meanwhile: nothing was imported, try again.`,
      );
    }
    return undefined;
  }

  async remove(accountId: number): Promise<void> {
    if (this.tally.removed === 0) return;
    await this.#database.runInParts(this.#statements.remove(this.table, accountId), this.tally.removed);
  }
}

const NONE: Odd = { count: 0, first: [] };

function oddShift(row: RecordRow): Odd['first'][number] {
  const { date, start_time, end_time } = recordOf('shifts', row);
  const equalPosition = row.equal_position === null ? undefined : Number(row.equal_position);
  return { position: Number(row.position), equalPosition, date, start_time, end_time };
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

/** Facts about the records added to a table, as far as they decide how to proceed. */
interface Added {
  count: number;
  lastPosition: number;
  lastId: number;
  lastDate: string;
  /** Whether each id is larger than the one before, so that none is repeated. */
  isGrowing: boolean;
  /** Whether the records come in the order of the table, which is by date and id. */
  isInOrder: boolean;
  hasDerivedIds: boolean;
}

const NOTHING_ADDED: Added = {
  count: 0,
  lastPosition: -1,
  lastId: 0,
  lastDate: '',
  isGrowing: true,
  isInOrder: true,
  hasDerivedIds: false,
};

function note(added: Added, record: StagedRecord<Table>, position = added.lastPosition + 1): void {
  const { id = 0, isDerived = false } = record;
  const { date } = record as StagedRecord<'shifts'>;
  added.count++;
  added.lastPosition = position;
  added.hasDerivedIds ||= isDerived;
  if (id <= added.lastId) added.isGrowing = false;
  if (date && date !== added.lastDate) {
    if (date < added.lastDate) added.isInOrder = false;
    added.lastDate = date;
  } else if (id < added.lastId) {
    added.isInOrder = false;
  }
  added.lastId = id;
}

const VALUE_NAMES = Object.fromEntries(
  TABLES.map((table) => [table, COLUMN_NAMES[table].filter((name) => name !== 'id')]),
) as unknown as { readonly [T in Table]: readonly string[] };

/** The columns of a staged row, in their order. */
export const STAGED_COLUMNS = Object.fromEntries(
  TABLES.map((table) => [
    table,
    ['position', 'id', 'given_fields', 'unclear_fields', 'flaws', ...VALUE_NAMES[table]],
  ]),
) as unknown as { readonly [T in Table]: readonly string[] };

/** Flags are 0 and 1. */
export type StagedValue = number | string | null;

/** A record as a row of the stage: its values in typed columns, and a bit for each field that it has. */
function stagedRow<T extends Table>(table: T, record: StagedRecord<T>, position: number): StagedValue[] {
  const { id, isDerived, flawed } = record;
  const values = record as Readonly<Record<string, StagedValue | boolean | undefined>>;
  let given = id === undefined || isDerived ? 0 : 1;
  const row: StagedValue[] = [position, id ?? null, 0, 0, null];
  const names = VALUE_NAMES[table];
  for (let i = 0; i < names.length; i++) {
    const value = values[names[i] as string];
    if (value !== undefined) given |= 2 << i;
    row.push(typeof value === 'boolean' ? Number(value) : (value ?? null));
  }
  row[2] = given;
  if (flawed !== undefined) {
    row[3] = bitsOf(table, flawed.unclear);
    row[4] = JSON.stringify(flawed.flaws);
  }
  return row;
}
