/** The stage of an import. It is the same for every database, except for the methods of StageDatabase. */

import { OLDER_DERIVED_IDS } from '../derived-ids.ts';
import type { StoreFailure } from '../failure.ts';
import {
  type AccountTransaction,
  type CompareOptions,
  type Comparison,
  type DateRange,
  FIRST_DATE,
  LAST_DATE,
  type MergeTransaction,
  type Stage,
  type Usual,
} from '../import-store.ts';
import { REFERENCES, type RecordOf, type StagedRecord, type Table } from '../records.ts';
import { type RecordRow, recordOf } from '../rows.ts';
import { type Added, NOTHING_ADDED, note } from './added.ts';
import { changesOf, flawedRecords, odditiesOf, unlistedOf } from './comparison.ts';
import type { Dialect, Situation } from './dialect.ts';
import { referenceMissing } from './reference-missing.ts';
import { type StagedValue, stagedRow } from './row.ts';
import { ImportStatements, type TableDefinition } from './statements.ts';

/** What a stage needs of a database. */
export interface StageDatabase extends Pick<Stage, 'findAccount'> {
  readonly dialect: Dialect;
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
  /** For a query that returns at most one row. */
  row(query: string, values?: readonly string[]): Promise<RecordRow | undefined>;
  /** Yields rows in batches. */
  rows(query: string): AsyncIterable<readonly RecordRow[]>;
  /** Runs a statement for the rows up to `lastRow`, at once or in parts, and reports how many are done. */
  runInParts(statement: string, lastRow: number, onProgress?: (done: number) => void): Promise<void>;
  /** Whether the database refused a row because of a missing reference, and can still be asked which one. */
  isReferenceMissing(error: unknown): boolean;
  /** `rows` is the maximum number of rows to write and remove. */
  merge(work: (transaction: AccountTransaction) => Promise<void>, rows: number): Promise<void>;
}

/** A comparison, and what is needed to write it. */
interface OwnComparison extends Comparison {
  readonly situation: Situation;
  readonly lastRow: number;
}

export function openStage(database: StageDatabase): Stage {
  return new TemporaryTables(database);
}

class TemporaryTables implements Stage {
  readonly #database: StageDatabase;
  readonly #statements: ImportStatements;
  readonly #added = new Map<Table, Added>();
  /** The latest comparison of each table. */
  readonly #comparisons = new Map<Table, OwnComparison>();
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
    return this.#database.findAccount(slug);
  }

  async hasOlderIds(accountId: number | undefined): Promise<boolean> {
    if (accountId === undefined) return false;
    const query = this.#statements.selectAny('shifts', accountId, OLDER_DERIVED_IDS.first);
    return (await this.#database.row(query)) !== undefined;
  }

  async months(accountId: number | undefined): Promise<readonly string[]> {
    if (accountId === undefined) return [];
    const batches = await Array.fromAsync(this.#database.rows(this.#statements.selectMonths(accountId)));
    return batches.flat().map(({ month }) => String(month));
  }

  async *records<T extends Table>(table: T, accountId: number | undefined): AsyncGenerator<RecordOf<T>[]> {
    if (accountId === undefined) return;
    for await (const rows of this.#database.rows(this.#statements.selectRecords(table, accountId))) {
      yield rows.map((row) => recordOf(table, row));
    }
  }

  async compare<T extends Table>(table: T, options: CompareOptions): Promise<Comparison<T>> {
    await this.#settle();
    const { accountId } = options;
    if (accountId !== undefined && this.#added.get(table)?.hasOlderIds) {
      await this.#database.run(this.#statements.chooseIds(accountId));
    }
    const situation = await this.#situationOf(table, options);
    const counts = await this.#markWritten(situation);
    const tally = { ...counts.tally, removed: await this.#markAbsent(situation) };
    const rows = (query: string) => this.#database.rows(query);
    const comparison = {
      table,
      tally,
      situation,
      lastRow: counts.lastRow,
      flawed: () =>
        flawedRecords(table, counts.flawed === 0 ? [] : rows(this.#statements.selectFlawed(situation))),
      covered: () => this.#countCovered(situation),
      unlisted: (today: string) => unlistedOf(situation, today, this.#statements, this.#database),
      oddities: (usual: Usual, most: number) =>
        odditiesOf(situation, usual, most, this.#statements, this.#database),
      changes: () => changesOf(table, situation, tally, this.#statements, rows),
    };
    this.#comparisons.set(table, comparison as unknown as OwnComparison);
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
          write: (comparison, accountId, onProgress) => this.#write(comparison, accountId, onProgress),
          remove: (comparison, accountId) => this.#remove(comparison, accountId),
        }),
      rows,
    );
  }

  /** Finds repeated ids and other facts that depend on all records together. */
  async #settle(): Promise<void> {
    if (this.#isSettled) return;
    this.#isSettled = true;
    for (const [table, { isGrowing, hasDerivedIds, hasOlderIds }] of this.#added) {
      // Shifts are many, and nothing refers to them.
      if (table !== 'shifts' || hasDerivedIds) await this.#database.indexIds(table);
      await this.#database.analyze(`${table}_given`);
      if (hasDerivedIds) {
        await this.#database.run(this.#statements.findEqual());
        await this.#separate('derived');
      }
      if (hasOlderIds) await this.#separate('older');
      if (!isGrowing) await this.#database.run(this.#statements.findRepeated(table));
    }
  }

  async #separate(series: 'derived' | 'older'): Promise<void> {
    const statement = this.#statements.separateDerived(series);
    while ((await this.#database.run(statement)) > 0);
  }

  async #situationOf(table: Table, options: CompareOptions): Promise<Situation> {
    const { accountId } = options;
    const found =
      accountId === undefined
        ? undefined
        : await this.#database.row(this.#statements.selectAny(table, accountId));
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
    const row = await this.#database.row(this.#statements.countCompared(table));
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

  async #countCovered({ table, accountId, options: { removal } }: Situation): Promise<number> {
    if (removal === undefined || accountId === undefined) return 0;
    const { days } = removal;
    const query = this.#statements.countCovered(table, accountId, days !== undefined);
    return Number((await this.#database.row(query, boundsOf(days)))?.count);
  }

  async #write(
    comparison: Comparison,
    accountId: number,
    onProgress?: (done: number) => void,
  ): Promise<void> {
    const { situation, lastRow, tally } = this.#latest(comparison);
    if (tally.added + tally.changed === 0) return;
    try {
      await this.#database.runInParts(this.#statements.write(situation, accountId), lastRow, onProgress);
    } catch (error) {
      if (!this.#database.isReferenceMissing(error)) throw error;
      throw (await this.#whatIsMissing(situation, accountId)) ?? error;
    }
  }

  async #whatIsMissing(situation: Situation, accountId: number): Promise<StoreFailure | undefined> {
    for (const [field, table, noun] of REFERENCES) {
      const row = await this.#database.row(
        this.#statements.selectMissing(situation, accountId, field, table),
      );
      if (row !== undefined) return referenceMissing(noun, Number(row.id));
    }
    return undefined;
  }

  async #remove(comparison: Comparison, accountId: number): Promise<void> {
    const { table, tally } = this.#latest(comparison);
    if (tally.removed === 0) return;
    await this.#database.runInParts(this.#statements.remove(table, accountId), tally.removed);
  }

  #latest(comparison: Comparison): OwnComparison {
    const latest = this.#comparisons.get(comparison.table);
    if (latest === undefined || latest !== comparison) throw new Error('the table was compared anew since');
    return latest;
  }
}

/** A sheet may have some lines above its first row. */
const FEW_POSITIONS = 1_000;

function boundsOf(days: DateRange | undefined): readonly string[] {
  return days === undefined ? [] : [days.from ?? FIRST_DATE, days.to ?? LAST_DATE];
}
