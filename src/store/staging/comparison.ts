/** Compares the staged records of a table with those of the account, and writes what is new or changed. */

import type { AccountSettings } from '../account.ts';
import type { AccountTransaction } from '../admin/accounts.ts';
import { type RecordRow, selectedColumns, selectRecords, type Transaction, type Value } from '../database.ts';
import { StoreFailure } from '../failure.ts';
import {
  COLUMN_NAMES,
  FIRST_DATE,
  type Flaw,
  LAST_DATE,
  REFERENCES,
  type RecordOf,
  type Table,
  type Tally,
} from '../records.ts';
import { recordOf } from '../rows.ts';
import {
  fieldsOf,
  isCovered,
  ODD_KINDS,
  type OddKind,
  Outcome,
  type Situation,
  type Usual,
} from './outcome.ts';

/** One of each table. */
export type Comparisons = { readonly [T in Table]: Comparison<T> };

export interface FlawedRecord<T extends Table> {
  /** The index in the list of the document, from 0 on, unless `add` was given another position. */
  readonly position: number;
  /** The position of the first record with the same id, if this is a later one. */
  readonly firstPosition: number | undefined;
  readonly id: number | undefined;
  /** The flaws with which it was added. */
  readonly flaws: readonly Flaw[];
  /**
   * Whether it is a row of a sheet with an id that the account does not have and that a spreadsheet may have changed.
   */
  readonly hasUnknownLongId: boolean;
  /** The required fields that it lacks, if it is a new record. */
  readonly lacking: readonly string[];
  readonly end: 'too early' | 'too late' | undefined;
  /** The fields that refer to a record that does not exist or is about to be removed. */
  readonly missing: readonly { readonly field: string; readonly why: 'nowhere' | 'removed' }[];
  /** The record as it would be after the import, as far as that is known. */
  readonly after: Partial<RecordOf<T>>;
}

/** Without a `before`, the record would be added; without an `after`, removed. */
export interface RecordChange<T extends Table> {
  readonly before: RecordOf<T> | undefined;
  readonly after: RecordOf<T> | undefined;
}

/** The records of the document that are new or changed, as SQL. */
export interface ComparedRecords {
  readonly accountId: number;
  /** Their tables and the condition that joins them. Append conditions with AND. */
  readonly rows: string;
  /** A column of the account's record with the same id. */
  existing(name: string): string;
}

/** A part of what it takes to undo a merge. */
export type Replaced =
  | { readonly settings: AccountSettings }
  /** Records that were changed or removed, as they were. */
  | { readonly table: Table; readonly records: readonly RecordOf<Table>[] }
  /** The ids of those that were added; `all`: there were none before. */
  | { readonly table: Table; readonly added: readonly number[] | 'all' };

export type Oddities = Readonly<Record<OddKind, Odd<OddShift>>> & {
  readonly overlapping: Odd<OverlappingShift>;
};

export interface Odd<Shift extends { readonly position: number }> {
  readonly count: number;
  readonly first: readonly Shift[];
}

/** A shift of a person who has another one at the same time: one of the document, or one that the account has. */
interface OverlappingShift {
  readonly position: number;
  readonly other: number | Pick<RecordOf<'shifts'>, 'date' | 'start_time' | 'end_time'>;
  readonly person: string;
}

export interface OddShift extends Pick<RecordOf<'shifts'>, 'date' | 'start_time' | 'end_time'> {
  readonly position: number;
  /** The position of the first row with the same content. */
  readonly equalPosition: number | undefined;
}

export interface Unlisted {
  /** The number of shifts that are not published yet, and the first and the last of their publish dates. */
  readonly early: number;
  readonly firstDate: string;
  readonly lastDate: string;
  /** The number of other shifts that belong to inactive groups. */
  readonly inactive: number;
}

/** Flags are 0 and 1. */
export type StagedValue = number | string | null;

/** What a stage needs of a database. */
export interface StageDatabase extends Transaction {
  /** Creates a temporary table, or empties it if it exists. */
  make(name: string, columns: string): Promise<void>;
  /** Updates the planner's statistics of a temporary table. */
  analyze(name: string): Promise<void>;
  /** Returns the number of changed rows. */
  run(statement: string, values?: readonly Value[]): Promise<number>;
  /** Runs a statement for the rows up to `lastRow`, at once or in parts. Returns the number of changed rows. */
  runInParts(statement: string, lastRow: number): Promise<number>;
  /**
   * The same for an INSERT into a table of an account that may also change rows. Counts both, and reports how many are
   * done.
   */
  insertInParts(
    statement: string,
    target: { readonly table: Table; readonly accountId: number },
    lastRow: number,
    onProgress?: (done: number) => void,
  ): Promise<Pick<Tally, 'added' | 'changed'>>;
  /** Whether the database refused a row because of a missing reference, and can still be asked which one. */
  isReferenceMissing(error: unknown): boolean;
  /** Adds rows to the staged records of a table. */
  insert(table: Table, columns: readonly string[], rows: readonly StagedValue[][]): Promise<void>;
  /** Indexes the staged records of a table by id. */
  indexIds(table: Table): Promise<void>;
  /** `rows` is the maximum number of rows to write and remove. */
  merge(work: (transaction: AccountTransaction) => Promise<void>, rows: number): Promise<void>;
}

/** How many shifts there are, and from which day to which. */
interface Spread {
  readonly count: number;
  readonly first: string;
  readonly last: string;
}

const NOWHERE: Spread = { count: 0, first: '', last: '' };

/**
 * What a merge would do to a table. A comparison with flawed records cannot be written.
 *
 * The temporary table `shifts_given` has the records of the document. A comparison makes two more: `shifts_compared` has
 * the positions of records that are to be written or have a problem, in the order of writing, and `shifts_absent` the
 * ids of those to be removed. The same goes for the other tables.
 */
export class Comparison<T extends Table = Table> {
  readonly table: T;
  /** Whether a later comparison has taken its temporary tables. */
  isReplaced = false;
  readonly #database: StageDatabase;
  readonly #situation: Situation;
  readonly #outcome: Outcome;
  tally: Tally = { added: 0, changed: 0, removed: 0, unchanged: 0 };
  /** How many records the removal found, which may stay nevertheless. */
  left = 0;
  #flawed = 0;
  #lastRow = 0;

  constructor(database: StageDatabase, table: T, situation: Situation) {
    this.table = table;
    this.#database = database;
    this.#situation = situation;
    this.#outcome = new Outcome(database.dialect, situation);
  }

  /** Compares. `added` tells of the records that were added to the table. */
  async find(added: { readonly count: number; readonly highestPosition: number } | undefined): Promise<void> {
    if (added !== undefined) await this.#findWritten(added.count, added.highestPosition);
    await this.#findAbsent();
  }

  /** Undefined if nothing is new or changed, or if the account has no such records. */
  compared(): ComparedRecords | undefined {
    const { accountId } = this.#situation;
    if (accountId === undefined || this.tally.added + this.tally.changed === 0) return undefined;
    return { accountId, rows: this.#compared(), existing: this.#outcome.existing };
  }

  async #findWritten(count: number, highestPosition: number): Promise<void> {
    const { table } = this;
    const { accountId, isWrittenAsGiven } = this.#situation;
    const { types, writesInOrder, temporary } = this.#database.dialect;
    const { after, existing } = this.#outcome;
    const isFlawed = this.#outcome.isFlawed();
    const isNoted = isWrittenAsGiven
      ? isFlawed
      : `${this.#outcome.isFlawedUnchanged()} OR ${this.#outcome.isNewOrChanged()}`;
    const order = `ORDER BY ${table === 'shifts' ? `${after('date')}, ` : ''}given.id`;
    const name = `${table}_compared`;
    await this.#database.make(
      name,
      `position ${types.integer}, is_flawed ${types.boolean}, is_known ${types.boolean}`,
    );
    await this.#database.run(`INSERT INTO ${temporary}.${name}
      SELECT given.position, CASE WHEN ${isFlawed} THEN true ELSE false END,
        ${accountId === undefined ? 'false' : `${existing('id')} IS NOT NULL`}
      FROM ${this.#given()} WHERE ${isNoted} ${writesInOrder ? order : ''}`);
    await this.#database.analyze(name);
    const [row] = await this.#database.all(`SELECT count(*) AS compared,
      count(*) FILTER (WHERE is_known) AS known, count(*) FILTER (WHERE is_flawed) AS flawed FROM ${temporary}.${name}`);
    const [compared, changed] = [Number(row?.compared), Number(row?.known)];
    this.#flawed = Number(row?.flawed);
    this.#lastRow = isWrittenAsGiven ? highestPosition : compared;
    this.tally = isWrittenAsGiven
      ? { ...this.tally, added: count }
      : { ...this.tally, added: compared - changed, changed, unchanged: count - compared };
  }

  async #findAbsent(): Promise<void> {
    const covered = this.#covered();
    if (covered === undefined) return;
    const { types, temporary, isAmong } = this.#database.dialect;
    const given = `SELECT id FROM ${temporary}.${this.table}_given WHERE id IS NOT NULL`;
    const isAdded = this.#situation.added.has(this.table);
    await this.#database.make(`${this.table}_absent`, `id ${types.integer}`);
    const removed = await this.#database.run(
      `INSERT INTO ${temporary}.${this.table}_absent SELECT existing.id ${covered.records}
      ${isAdded ? `AND NOT ${isAmong('existing.id', [given])}` : ''}`,
      covered.bounds,
    );
    this.left = removed;
    this.tally = { ...this.tally, removed: this.#situation.options.removal?.areKept ? 0 : removed };
  }

  /** The groups of the shifts that the removal found, by name, and how many groups there are. */
  async groupsOfLeft(most: number): Promise<{ readonly names: readonly string[]; readonly count: number }> {
    const { accountId } = this.#situation;
    if (this.left === 0 || accountId === undefined) return { names: [], count: 0 };
    const { main, temporary } = this.#database.dialect;
    // As in `matchRows`, IS TRUE keeps PostgreSQL from nested loops.
    const rows = await this.#database.all(`SELECT name, count(*) OVER () AS in_all FROM ${main}.groups
      WHERE account_id = ${accountId} AND (id IN (SELECT group_id FROM ${main}.shifts
        WHERE account_id = ${accountId} AND (id IN (SELECT id FROM ${temporary}.shifts_absent)) IS TRUE)) IS TRUE
      ORDER BY id LIMIT ${most}`);
    return { names: rows.map(({ name }) => String(name)), count: Number(rows[0]?.in_all ?? 0) };
  }

  /** The shifts of the account that a removal may affect, including those that were added. */
  async coveredShifts(): Promise<Spread> {
    const { records, bounds } = this.#covered() ?? {};
    return records === undefined ? NOWHERE : this.#spreadOf(records, bounds);
  }

  /** The shifts of the document. */
  givenShifts(): Promise<Spread> {
    return this.#spreadOf(`FROM ${this.#database.dialect.temporary}.shifts_given AS given`);
  }

  async #spreadOf(shifts: string, bounds: readonly string[] = []): Promise<Spread> {
    const { asText } = this.#database.dialect;
    const [row] = await this.#database.all(
      `SELECT count(*) AS count, ${asText('min(date)')} AS first, ${asText('max(date)')} AS last ${shifts}`,
      bounds,
    );
    return { count: Number(row?.count), first: String(row?.first ?? ''), last: String(row?.last ?? '') };
  }

  /** The records that a removal may affect. */
  #covered(): { readonly records: string; readonly bounds: readonly string[] } | undefined {
    const { accountId, options } = this.#situation;
    if (options.removal === undefined || accountId === undefined) return undefined;
    const { days, isListed, isOfGroups } = options.removal;
    const { main, temporary } = this.#database.dialect;
    return {
      records: `FROM ${main}.${this.table} AS existing WHERE existing.account_id = ${accountId}
        ${days === undefined ? '' : 'AND existing.date BETWEEN $1 AND $2'}
        ${isOfGroups ? `AND ${isCovered(temporary)}` : ''}
        ${isListed ? `AND existing.id IN (SELECT id FROM ${temporary}.${this.table}_listed)` : ''}`,
      bounds: days === undefined ? [] : [days.from ?? FIRST_DATE, days.to ?? LAST_DATE],
    };
  }

  /** Odd shifts among those that would be written: the first `most` of them, and the counts. */
  async oddities(usual: Usual, most: number): Promise<Oddities> {
    const oddities: Record<OddKind, Odd<OddShift>> = { long: NONE, far: NONE, equal: NONE };
    if (!this.#situation.added.has('shifts')) return { ...oddities, overlapping: NONE };
    const conditions = this.#outcome.oddConditions(usual);
    const columns = ODD_KINDS.map((kind) => `count(*) FILTER (WHERE ${conditions[kind]}) AS ${kind}_shifts`);
    const [counts] = await this.#database.all(`SELECT ${columns.join(', ')} FROM ${this.#written()}`);
    for (const kind of ODD_KINDS) {
      const count = Number(counts?.[`${kind}_shifts`]);
      if (count === 0) continue;
      const rows = await this.#database.all(
        `SELECT given.position, given.equal_position, ${this.#selectedAfter('')} FROM ${this.#written()}
        AND ${conditions[kind]} ORDER BY given.position LIMIT ${most}`,
      );
      oddities[kind] = { count, first: rows.map(oddShift) };
    }
    return { ...oddities, overlapping: await this.#overlapping(most) };
  }

  /**
   * Shifts of a person at the same time, if at least one of them would be written: two of the document, or one of them
   * and one of the account that stays.
   */
  async #overlapping(most: number): Promise<Oddities['overlapping']> {
    if (this.tally.added + this.tally.changed === 0) return NONE;
    const { added, accountId, isWrittenAsGiven } = this.#situation;
    const { main, temporary, asText } = this.#database.dialect;
    const { after } = this.#outcome;
    const isWritten = isWrittenAsGiven
      ? 'true'
      : `given.position IN (SELECT position FROM ${temporary}.${this.table}_compared)`;
    const given = `SELECT given.position, ${after('person_id')} AS person_id, ${isWritten} AS is_written,
        ${asText(after('date'))} || ${after('start_time')} AS starts,
        ${asText(after('end_date'))} || ${after('end_time')} AS ends
      FROM ${this.#given()}
      WHERE ${after('person_id')} IS NOT NULL AND NOT ${after('cancelled')} AND given.equal_position IS NULL`;
    const plan = accountId === undefined ? given : `${given} UNION ALL ${await this.#stored(accountId)}`;
    const before = `OVER (PARTITION BY person_id ORDER BY starts, coalesce(position, -1)
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)`;
    const overlapping = `SELECT plan.*, count(*) OVER () AS in_all
      FROM (SELECT plan.*, max(ends) ${before} AS busy_until,
        ${isWrittenAsGiven ? 'NULL' : `max(CASE WHEN is_written THEN ends END) ${before}`} AS newly_busy_until FROM (${plan}) AS plan) AS plan
      WHERE newly_busy_until > starts OR (is_written AND busy_until > starts)
      ORDER BY coalesce(position, -1), starts LIMIT ${most}`;
    const other = (which: string, condition: string) => `(SELECT min(${which}) FROM (${plan}) AS plan
      WHERE plan.person_id = overlapping.person_id AND plan.starts <= overlapping.starts AND plan.ends > overlapping.starts
        AND ${condition})`;
    const names = [
      ...(added.has('people')
        ? [`(SELECT name FROM ${temporary}.people_given WHERE id = overlapping.person_id)`]
        : []),
      ...(accountId === undefined
        ? []
        : [
            `(SELECT name FROM ${main}.people WHERE account_id = ${accountId} AND id = overlapping.person_id)`,
          ]),
      "''",
      "''",
    ];
    const rows = await this.#database.all(
      `SELECT overlapping.*, ${other('plan.position', 'plan.position <> coalesce(overlapping.position, -1) AND (plan.is_written OR overlapping.position IS NOT NULL)')} AS other_position,
        ${other('plan.starts || plan.ends', 'plan.position IS NULL')} AS stored, coalesce(${names.join(', ')}) AS person
      FROM (${overlapping}) AS overlapping ORDER BY coalesce(overlapping.position, -1), overlapping.starts`,
    );
    return { count: Number(rows[0]?.in_all ?? 0), first: rows.map(overlappingShift) };
  }

  /** The shifts of the account that stay as they are, around the days of the document, of the people in it. */
  async #stored(accountId: number): Promise<string> {
    const { main, temporary, asText, isAmong } = this.#database.dialect;
    const { first, last } = await this.givenShifts();
    const ids = (of: string) => `SELECT id FROM ${temporary}.shifts_${of} WHERE id IS NOT NULL`;
    const around = (date: string, days: number) => {
      const day = new Date(Date.parse(date || FIRST_DATE) + days * DAY_MS).toISOString();
      return day.startsWith('+') ? LAST_DATE : day.slice(0, LAST_DATE.length);
    };
    return `SELECT NULL, stored.person_id, false, ${asText('stored.date')} || stored.start_time,
        ${asText('stored.end_date')} || stored.end_time
      FROM ${main}.shifts AS stored WHERE stored.account_id = ${accountId} AND NOT stored.cancelled
        AND stored.date BETWEEN '${around(first, -MAX_SHIFT_DAYS)}' AND '${around(last, MAX_SHIFT_DAYS)}'
        AND stored.person_id IN (SELECT person_id FROM ${temporary}.shifts_given)
        AND NOT ${isAmong('stored.id', [ids('given'), ...(this.tally.removed > 0 ? [ids('absent')] : [])])}`;
  }

  /** How many of all added shifts are not listed on that day. */
  async unlisted(today: string): Promise<Unlisted> {
    const [row] = this.#situation.added.has('shifts')
      ? await this.#database.all(`SELECT ${this.#outcome.unlistedCounts(today)} FROM ${this.#given()}`)
      : [];
    return {
      early: Number(row?.early_shifts ?? 0),
      firstDate: String(row?.first_date),
      lastDate: String(row?.last_date),
      inactive: Number(row?.inactive_shifts ?? 0),
    };
  }

  /** The records with problems, in the order of the document, in batches. */
  async *flawed(): AsyncGenerator<FlawedRecord<T>[]> {
    if (this.#flawed === 0) return;
    const query = `SELECT given.position, given.first_position, given.id, given.flaws,
        ${this.#outcome.verdicts().join(', ')}, ${this.#selectedAfter('after_')}
      FROM ${this.#compared()} AND compared.is_flawed ORDER BY given.position`;
    for await (const rows of this.#database.batches(query))
      yield rows.map((row) => flawedRecord(this.table, row));
  }

  /** The records that would be written, in the order of the document, then those to remove, by id; in batches. */
  async *changes(): AsyncGenerator<RecordChange<T>[]> {
    const { table, tally } = this;
    if (tally.added + tally.changed > 0) {
      const before =
        this.#situation.accountId === undefined ? 'NULL AS before_id' : this.#selectedBefore('before_');
      const query = `SELECT ${before}, ${this.#selectedAfter('after_')} FROM ${this.#written()} ORDER BY given.position`;
      for await (const rows of this.#database.batches(query)) {
        yield rows.map((row) => ({
          before: row.before_id === null ? undefined : recordOf(table, row, 'before_'),
          after: recordOf(table, row, 'after_'),
        }));
      }
    }
    for await (const records of this.#removed())
      yield records.map((before) => ({ before, after: undefined }));
  }

  /** What is to be removed, by id. */
  async *#removed(): AsyncGenerator<RecordOf<T>[]> {
    const { dialect } = this.#database;
    const { accountId } = this.#situation;
    if (this.tally.removed === 0 || accountId === undefined) return;
    const isAbsent = `AND id IN (SELECT id FROM ${dialect.temporary}.${this.table}_absent)`;
    for await (const rows of this.#database.batches(selectRecords(dialect, this.table, accountId, isAbsent)))
      yield rows.map((row) => recordOf(this.table, row));
  }

  /** What it takes to undo the merge, in batches. To be read before anything is written; only a merge has a lock. */
  async *replaced(isMerging: boolean): AsyncGenerator<Replaced> {
    const { table, tally } = this;
    const { accountId } = this.#situation;
    const { batches } = this.#database;
    const told = { added: 0, changed: 0, removed: 0 };
    // Only shifts cannot be added by others while the account is locked.
    if (tally.added > 0 && table === 'shifts' && accountId === undefined) {
      told.added = tally.added;
      yield { table, added: 'all' };
    } else if (tally.added > 0) {
      const isNew = accountId === undefined ? '' : 'AND NOT compared.is_known';
      for await (const rows of batches(`SELECT given.id FROM ${this.#written()} ${isNew}`)) {
        told.added += rows.length;
        yield { table, added: rows.map(({ id }) => Number(id)) };
      }
    }
    if (tally.changed > 0) {
      const changed = `SELECT ${this.#selectedBefore('')} FROM ${this.#compared()} AND compared.is_known`;
      for await (const rows of batches(changed)) {
        told.changed += rows.length;
        yield { table, records: rows.map((row) => recordOf(table, row)) };
      }
    }
    for await (const records of this.#removed()) {
      told.removed += records.length;
      yield { table, records };
    }
    this.#confirm(tally, told, isMerging);
  }

  /** Within a merge, writes new and changed records. The records that they refer to must already exist. */
  async write(accountId: number, onProgress?: (done: number) => void): Promise<void> {
    this.#checkLatest();
    const { added, changed } = this.tally;
    if (added + changed === 0) return;
    const { main, partOf } = this.#database.dialect;
    const names = COLUMN_NAMES[this.table];
    const isKnown = this.#situation.accountId !== undefined;
    const ifKnown = `ON CONFLICT (account_id, id) DO UPDATE SET
      ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`;
    const statement = `INSERT INTO ${main}.${this.table} (account_id, ${names.join(', ')})
      SELECT ${accountId}, ${names.map(this.#outcome.after).join(', ')}
      FROM ${this.#written()} AND ${partOf(this.#situation.isWrittenAsGiven ? 'given' : 'compared')}
      ${isKnown ? ifKnown : ''}`;
    try {
      const target = { table: this.table, accountId };
      const written = await this.#database.insertInParts(statement, target, this.#lastRow, onProgress);
      this.#confirm({ added, changed }, written);
    } catch (error) {
      if (!this.#database.isReferenceMissing(error)) throw error;
      throw (await this.#whatIsMissing(accountId)) ?? error;
    }
  }

  /** If no shift refers to a group, location or person, another program can remove it without a new revision. */
  async #whatIsMissing(accountId: number): Promise<StoreFailure | undefined> {
    for (const [field, table, noun] of REFERENCES) {
      const id = this.#outcome.after(field);
      const kept = `SELECT 1 FROM ${this.#database.dialect.main}.${table} AS kept`;
      const [row] = await this.#database.all(
        `SELECT ${id} AS id FROM ${this.#written()} AND ${id} IS NOT NULL
        AND NOT EXISTS (${kept} WHERE kept.account_id = ${accountId} AND kept.id = ${id}) LIMIT 1`,
      );
      if (row === undefined) continue;
      return new StoreFailure(
        'refused',
        `A shift refers to ${noun} ${row.id}, which another program has removed meanwhile: nothing was imported, try again.`,
      );
    }
    return undefined;
  }

  /** Within a merge, removes the records that the comparison found absent. */
  async remove(accountId: number): Promise<void> {
    this.#checkLatest();
    const { removed } = this.tally;
    if (removed === 0) return;
    const { temporary, main, partOf } = this.#database.dialect;
    const rows = await this.#database.runInParts(
      `DELETE FROM ${main}.${this.table} WHERE account_id = ${accountId}
      AND id IN (SELECT absent.id FROM ${temporary}.${this.table}_absent AS absent WHERE ${partOf('absent')})`,
      removed,
    );
    this.#confirm({ removed }, { removed: rows });
  }

  /** A merge that did anything else than the comparison tells must not be kept, because nobody would notice. */
  #confirm(told: Partial<Tally>, done: Partial<Tally>, isMerging = true): void {
    // The lock of the account keeps others from its shifts; that of a whole database from everything.
    const isLocked = isMerging && (this.table === 'shifts' || this.#database.dialect.lockSlug === undefined);
    for (const kind of ['added', 'changed', 'removed'] as const) {
      if (told[kind] === done[kind]) continue;
      if (!isLocked)
        throw new StoreFailure(
          'refused',
          `Another program has changed ${this.table} of the account meanwhile: nothing was written, try again.`,
        );
      throw new Error(
        `of ${this.table}, ${told[kind]} were to be ${kind}, but ${done[kind]} were: nothing was changed`,
      );
    }
  }

  #checkLatest(): void {
    if (this.isReplaced) throw new Error('the table was compared anew since');
  }

  #selectedBefore(prefix: string): string {
    return selectedColumns(this.#database.dialect, this.table, this.#outcome.existing, prefix);
  }

  #selectedAfter(prefix: string): string {
    return selectedColumns(this.#database.dialect, this.table, this.#outcome.after, prefix);
  }

  /** All records of the document, joined with those of the account. */
  #given(): string {
    const { temporary, joinExisting } = this.#database.dialect;
    const { accountId } = this.#situation;
    return `${temporary}.${this.table}_given AS given ${accountId === undefined ? '' : joinExisting(this.table, accountId)}`;
  }

  /**
   * The records in the comparison. A cross join keeps the order of its left side on SQLite. Append conditions with AND.
   */
  #compared(): string {
    return `${this.#database.dialect.temporary}.${this.table}_compared AS compared CROSS JOIN ${this.#given()}
      WHERE given.position = compared.position`;
  }

  /** The records that are to be written. Append conditions with AND. */
  #written(): string {
    return this.#situation.isWrittenAsGiven ? `${this.#given()} WHERE true` : this.#compared();
  }
}

const NONE: Odd<never> = { count: 0, first: [] };

/** Longer shifts are looked for among those of the document only. */
const MAX_SHIFT_DAYS = 7;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** One of the account has no position: the row during which it begins is told in its place. */
function overlappingShift(row: RecordRow): OverlappingShift {
  const { position, other_position, stored, starts, ends } = row;
  const person = String(row.person);
  if (position !== null && other_position !== null)
    return { position: Number(position), other: Number(other_position), person };
  const text = position === null ? `${starts}${ends}` : String(stored);
  const [, date = '', start_time = '', end_time = ''] = /^(.{10})(.{5}).{10}(.{5})$/.exec(text) ?? [];
  return { position: Number(position ?? other_position), other: { date, start_time, end_time }, person };
}

function oddShift(row: RecordRow): OddShift {
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
