/**
 * The stage of an import: temporary tables for the records of a document. It is the same for every database, except for
 * the methods of StageDatabase. All statements are generated from COLUMNS, so a new column needs no new statement.
 */

import { type AccountTransaction, findAccountVersion } from '../admin/accounts.ts';
import { recordsOf } from '../admin/export.ts';
import {
  beginEntry,
  finishEntry,
  forgetReplaced,
  lastChange,
  type NewEntry,
  type UndoRefusal,
} from '../admin/history.ts';
import {
  COLUMN_NAMES,
  COLUMNS,
  type ColumnType,
  DERIVED_IDS,
  FIRST_DATE,
  LAST_DATE,
  type StagedRecord,
  type Table,
} from '../records.ts';
import { Comparison, type StageDatabase, type StagedValue } from './comparison.ts';
import { matchRows } from './match-rows.ts';
import { bitOf, bitsOf, type CompareOptions, type Situation } from './outcome.ts';
import { keepReplaced, readReplaced } from './replaced.ts';
import { stagedTokens } from './tokens.ts';

export interface ImportStore {
  /** Runs `work` with an empty stage, which is discarded afterwards. */
  stage<Result>(work: (stage: Stage) => Promise<Result>): Promise<Result>;
}

/**
 * The records of a document, invisible to others. It takes any number of records in bounded memory, and nothing is
 * locked before `merge`.
 */
export class Stage {
  readonly tokens: ReturnType<typeof stagedTokens>;
  readonly #database: StageDatabase;
  readonly #added = new Map<Table, Added>();
  /** The latest comparison of each table. */
  readonly #comparisons = new Map<Table, Comparison<Table>>();
  readonly #listed = new Set<Table>();
  readonly #namesakes = new Set<Table>();
  readonly #covered: { readonly groups: readonly number[]; readonly days: readonly [string, string] }[] = [];
  #isSettled = true;

  constructor(database: StageDatabase) {
    this.#database = database;
    this.tokens = stagedTokens(database);
  }

  /**
   * Adds records in the order of the document. `positions` gives their positions; by default they are counted from 0.
   */
  async add<T extends Table>(
    table: T,
    records: readonly StagedRecord<T>[],
    positions?: readonly number[],
  ): Promise<void> {
    if (records.length === 0) return;
    const added = this.#added.get(table) ?? { ...NOTHING_ADDED };
    if (added.count === 0) await this.#makeGiven(table);
    this.#added.set(table, added);
    const names = valueNames(table);
    const rows: StagedValue[][] = [];
    for (const [i, record] of records.entries()) {
      const position = positions?.[i] ?? added.highestPosition + 1;
      note(added, record, position);
      rows.push(stagedRow(table, names, record, position));
    }
    await this.#database.insert(table, [...ROW_BEGINNING, ...names], rows);
    this.#isSettled = false;
  }

  async #makeGiven(table: Table): Promise<void> {
    const { types } = this.#database.dialect;
    const columns: Readonly<Record<string, ColumnType>> = COLUMNS[table];
    const values = valueNames(table).map((name) => `${name} ${types[columns[name] as ColumnType]}`);
    await this.#database.make(
      `${table}_given`,
      `position ${types.position}, id ${types.integer}, given_fields ${types.integer}, unclear_fields ${types.integer},
        flaws ${types.text}, first_position ${types.integer}, equal_position ${types.integer}, ${values.join(', ')}`,
    );
  }

  /** Lists records of the account, for a comparison that removes those that are listed. */
  async list(table: Table, ids: readonly number[]): Promise<void> {
    const { temporary, types } = this.#database.dialect;
    if (!this.#listed.has(table)) await this.#database.make(`${table}_listed`, `id ${types.integer}`);
    this.#listed.add(table);
    await this.#database.run(
      `INSERT INTO ${temporary}.${table}_listed SELECT CAST(key AS bigint) FROM json_each($1)`,
      [JSON.stringify(Object.fromEntries(ids.map((id) => [id, 0])))],
    );
  }

  /**
   * Says which records of the account have the same name, each with the first of them: a shift of a sheet that refers to
   * one of them is not moved to another.
   */
  async tellNamesakes(table: Table, firstIds: ReadonlyMap<number, number>): Promise<void> {
    if (firstIds.size === 0) return;
    const { temporary, types } = this.#database.dialect;
    const name = `${table}_namesakes`;
    await this.#database.make(name, `id ${types.integer} PRIMARY KEY, first_id ${types.integer}`);
    this.#namesakes.add(table);
    await this.#database.run(
      `INSERT INTO ${temporary}.${name} SELECT CAST(key AS bigint), CAST(CAST(value AS text) AS bigint) FROM json_each($1)`,
      [JSON.stringify(Object.fromEntries(firstIds))],
    );
    await this.#database.analyze(name);
  }

  /** Says of which groups the document is the plan on these days, also of those that it gives no shift. */
  cover(groups: readonly number[], { from, to }: { readonly from: string; readonly to: string }): void {
    this.#covered.push({ groups, days: [from, to] });
  }

  /** What was kept with an entry of the history. */
  replacedBy(entryId: number) {
    return readReplaced(this.#database, entryId);
  }

  lastChange(accountId: number) {
    return lastChange(this.#database, accountId);
  }

  /**
   * Within a merge, before records are written, begins an entry of the history. `replaced` is what the merge replaces,
   * which is kept, or why that is not kept, or undefined if the merge changes nothing. Returns its id and a function that
   * ends the entry, after everything else is written.
   */
  async beginEntry(
    accountId: number,
    entry: NewEntry,
    replaced: AsyncIterable<Uint8Array> | UndoRefusal | undefined,
  ): Promise<{ readonly id: number; end(input?: string): Promise<UndoRefusal | undefined> }> {
    const database = this.#database;
    const id = await beginEntry(database, accountId, entry, replaced !== undefined);
    if (replaced !== undefined) await forgetReplaced(database, accountId, id);
    const refusal = typeof replaced === 'object' ? await keepReplaced(database, id, replaced) : replaced;
    const end = async (input?: string) => {
      await finishEntry(database, accountId, id, { input, refusal });
      return refusal;
    };
    return { id, end };
  }

  findAccount(slug: string) {
    return findAccountVersion(this.#database, slug, { isLocked: false });
  }

  /** The months YYYY-MM in which the account has or had shifts. */
  async months(accountId: number | undefined): Promise<readonly string[]> {
    if (accountId === undefined) return [];
    const { main } = this.#database.dialect;
    const rows = await this.#database.all<{ month: string }>(
      `SELECT month FROM ${main}.months WHERE account_id = ${accountId}`,
    );
    return rows.map(({ month }) => month);
  }

  /** How many records the database has in a table. */
  async count(table: Table, accountId: number | undefined): Promise<number> {
    if (accountId === undefined) return 0;
    const { main } = this.#database.dialect;
    const [row] = await this.#database.all<{ count: number }>(
      `SELECT count(*) AS count FROM ${main}.${table} WHERE account_id = ${accountId}`,
    );
    return Number(row?.count);
  }

  /** The records that the database has in a table, sorted by id, in batches. */
  async *records<T extends Table>(table: T, accountId: number | undefined) {
    if (accountId !== undefined) yield* recordsOf(this.#database, table, accountId);
  }

  /**
   * Compares the records that were added to a table with those of the account. Replaces an earlier comparison of the
   * same table.
   */
  async compare<T extends Table>(table: T, options: CompareOptions): Promise<Comparison<T>> {
    await this.#settle();
    const added = this.#added.get(table);
    if (added?.hasDerivedIds || options.removal?.isOfGroups) await this.#coverGroups();
    const situation = await this.#situationOf(table, options);
    const earlier = this.#comparisons.get(table);
    if (earlier !== undefined) earlier.isReplaced = true;
    const comparison = new Comparison(this.#database, table, situation);
    await comparison.find(added);
    const compared = added?.hasDerivedIds ? comparison.compared() : undefined;
    if (compared && (await matchRows(this.#database, compared)) > 0) await comparison.find(added);
    this.#comparisons.set(table, comparison as unknown as Comparison<Table>);
    return comparison;
  }

  /**
   * Runs `work` in one transaction, and commits it when `work` ends. The transaction may be rolled back in the middle
   * to let another writer go first; `work` then runs again.
   */
  merge(work: (transaction: AccountTransaction) => Promise<void>): Promise<void> {
    let rows = 0;
    for (const { count } of this.#added.values()) rows += count;
    for (const { tally } of this.#comparisons.values()) rows += tally.removed;
    return this.#database.merge(work, rows);
  }

  /** Finds repeated ids and other facts that depend on all records together. */
  async #settle(): Promise<void> {
    if (this.#isSettled) return;
    this.#isSettled = true;
    for (const [table, { isGrowing, hasDerivedIds }] of this.#added) {
      const given = `${this.#database.dialect.temporary}.${table}_given`;
      // Shifts are many, and nothing refers to them.
      if (table !== 'shifts' || hasDerivedIds) await this.#database.indexIds(table);
      await this.#database.analyze(`${table}_given`);
      if (hasDerivedIds) {
        await this.#database.run(findEqual(given));
        while ((await this.#database.run(separateDerived(given))) > 0);
      }
      if (!isGrowing) await this.#database.run(findRepeated(given));
    }
  }

  /** The groups that the document is the plan of, and on which days: if nobody said so, those that it has, on all days. */
  async #coverGroups(): Promise<void> {
    const { temporary, types } = this.#database.dialect;
    const add = (select: string, values: readonly string[]) =>
      this.#database.run(`INSERT INTO ${temporary}.groups_covered ${select} ON CONFLICT DO NOTHING`, values);
    await this.#database.make(
      'groups_covered',
      `id ${types.integer}, first_day ${types.date}, last_day ${types.date}, PRIMARY KEY (id, first_day, last_day)`,
    );
    for (const { groups, days } of this.#covered)
      await add('SELECT CAST(key AS bigint), $2, $3 FROM json_each($1) WHERE true', [
        JSON.stringify(Object.fromEntries(groups.map((id) => [id, 0]))),
        ...days,
      ]);
    for (const [table, id] of [
      ['shifts', 'group_id'],
      ['groups', 'id'],
    ] as const)
      if (this.#covered.length === 0 && this.#added.has(table))
        await add(
          `SELECT id, $1, $2 FROM (SELECT DISTINCT ${id} AS id FROM ${temporary}.${table}_given) AS named WHERE id IS NOT NULL`,
          [FIRST_DATE, LAST_DATE],
        );
    await this.#database.analyze('groups_covered');
  }

  async #situationOf(table: Table, options: CompareOptions): Promise<Situation> {
    const { accountId } = options;
    const { main, writesInOrder } = this.#database.dialect;
    const [found] =
      accountId === undefined
        ? []
        : await this.#database.all(`SELECT 1 FROM ${main}.${table} WHERE account_id = ${accountId} LIMIT 1`);
    const { isInOrder, count, highestPosition } = this.#added.get(table) ?? NOTHING_ADDED;
    // Rows are written in ranges of positions. The positions of a roster are too sparse for that.
    const isDense = highestPosition < 2 * count + FEW_POSITIONS;
    return {
      table,
      options,
      accountId: found && accountId,
      added: new Set(this.#added.keys()),
      namesakes: this.#namesakes,
      isWrittenAsGiven: found === undefined && ((isInOrder && isDense) || !writesInOrder),
    };
  }
}

/** A sheet may have some lines above its first row. */
const FEW_POSITIONS = 1_000;

const IS_ID_GIVEN = `(given_fields & ${bitOf('shifts', 'id')})`;

function repeatedDerivedIds(given: string): string {
  return `SELECT id FROM ${given} WHERE id >= ${DERIVED_IDS.first} GROUP BY id HAVING count(*) > 1`;
}

/**
 * Stores the position of the first row with the same content in each later one. Only rows with the same derived id can
 * be equal.
 */
function findEqual(given: string): string {
  return `UPDATE ${given} AS given SET equal_position = equals.position
    FROM (
      SELECT position AS later, min(position) OVER (PARTITION BY ${COLUMN_NAMES.shifts.join(', ')}) AS position
      FROM ${given} WHERE ${IS_ID_GIVEN} = 0 AND id IN (${repeatedDerivedIds(given)})
    ) AS equals
    WHERE equals.later = given.position AND equals.position < given.position`;
}

/** If several rows have the same derived id, gives the later ones other ids. Run it until it changes nothing. */
function separateDerived(given: string): string {
  const { first, hashes, step } = DERIVED_IDS;
  const hash = `(given.id - ${first}) % ${hashes}`;
  // Ids from the document stay, and come first.
  return `UPDATE ${given} AS given SET id = given.id - ${hash} + (${hash} + later.steps * ${step}) % ${hashes}
    FROM (
      SELECT position, row_number() OVER (PARTITION BY id ORDER BY ${IS_ID_GIVEN} DESC, position) - 1 AS steps
      FROM ${given} WHERE id IN (${repeatedDerivedIds(given)})
    ) AS later
    WHERE later.position = given.position AND later.steps > 0 AND ${IS_ID_GIVEN} = 0`;
}

/** Stores the position of the first record with the same id in each later one. */
function findRepeated(given: string): string {
  return `UPDATE ${given} AS given SET first_position = first_one.position
    FROM (SELECT id, min(position) AS position FROM ${given} GROUP BY id HAVING count(*) > 1) AS first_one
    WHERE given.id = first_one.id AND given.position > first_one.position`;
}

/** Facts about the records added to a table, as far as they decide how to proceed. */
const NOTHING_ADDED = {
  count: 0,
  /** Not that of the last record: the second shift of a line has a higher position than all lines. */
  highestPosition: -1,
  lastId: 0,
  lastDate: '',
  /** Whether each id is larger than the one before, so that none is repeated. */
  isGrowing: true,
  /** Whether the records come in the order of the table, which is by date and id. */
  isInOrder: true,
  hasDerivedIds: false,
};

type Added = typeof NOTHING_ADDED;

function note(added: Added, record: StagedRecord<Table>, position: number): void {
  const { id = 0, isDerived = false } = record;
  const { date } = record as StagedRecord<'shifts'>;
  added.count++;
  added.highestPosition = Math.max(added.highestPosition, position);
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

function valueNames(table: Table): readonly string[] {
  return COLUMN_NAMES[table].filter((name) => name !== 'id');
}

/** The columns of a staged row before its values. */
const ROW_BEGINNING = ['position', 'id', 'given_fields', 'unclear_fields', 'flaws'];

/** A record as a row of the stage: its values in typed columns, and a bit for each field that it has. */
function stagedRow<T extends Table>(
  table: T,
  names: readonly string[],
  record: StagedRecord<T>,
  position: number,
): StagedValue[] {
  const { id, isDerived, flawed } = record;
  const fields = record as Readonly<Record<string, StagedValue | boolean | undefined>>;
  let given = id === undefined || isDerived ? 0 : 1;
  const values = names.map((name, i) => {
    const value = fields[name];
    if (value !== undefined) given |= 2 << i;
    return typeof value === 'boolean' ? Number(value) : (value ?? null);
  });
  const unclear = flawed === undefined ? 0 : bitsOf(table, flawed.unclear);
  const flaws = flawed === undefined ? null : JSON.stringify(flawed.flaws);
  return [position, id ?? null, given, unclear, flaws, ...values];
}
