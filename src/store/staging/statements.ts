/**
 * The statements of an import, the same for every database and every table. They are generated from COLUMNS, so a new
 * column needs no new statement.
 *
 * Each table has up to three temporary ones: `shifts_given` has the records of the document, `shifts_compared` those
 * that are to be written or have a problem, and `shifts_absent` the ids of those to be removed.
 */

import { type Dialect, selectedColumns, selectRecords } from '../database.ts';
import { ODD_KINDS, type OddKind, type Usual } from '../import-store.ts';
import { COLUMN_NAMES, COLUMNS, type ColumnType, DERIVED_IDS, type Table } from '../records.ts';
import { bitOf, Outcome, type Situation } from './outcome.ts';

/** A temporary table that is to be made. */
export interface TableDefinition {
  readonly name: string;
  readonly columns: string;
}

export class ImportStatements {
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  givenTable(table: Table): TableDefinition {
    const { types } = this.#dialect;
    const values = Object.entries(COLUMNS[table]).filter(([name]) => name !== 'id');
    const typed = values.map(([name, type]) => `${name} ${types[type as ColumnType]}`);
    return {
      name: `${table}_given`,
      columns: `position ${types.position}, id ${types.integer}, given_fields ${types.integer}, unclear_fields ${types.integer},
        flaws ${types.text}, first_position ${types.integer}, equal_position ${types.integer}, ${typed.join(', ')}`,
    };
  }

  comparedTable(table: Table): TableDefinition {
    const { integer, boolean } = this.#dialect.types;
    return {
      name: `${table}_compared`,
      columns: `position ${integer}, is_flawed ${boolean}, is_known ${boolean}`,
    };
  }

  absentTable(table: Table): TableDefinition {
    return { name: `${table}_absent`, columns: `id ${this.#dialect.types.integer}` };
  }

  /**
   * Stores the position of the first row with the same content in each later one. Only rows with the same derived id
   * can be equal.
   */
  findEqual(): string {
    const shifts = `${this.#dialect.temporary}.shifts_given`;
    return `UPDATE ${shifts} AS given SET equal_position = equals.position
      FROM (
        SELECT position AS later, min(position) OVER (PARTITION BY ${COLUMN_NAMES.shifts.join(', ')}) AS position
        FROM ${shifts} WHERE ${IS_ID_GIVEN} = 0 AND id IN (${repeatedDerivedIds(shifts)})
      ) AS equals
      WHERE equals.later = given.position AND equals.position < given.position`;
  }

  /** If several rows have the same derived id, gives the later ones other ids. Run it until it changes nothing. */
  separateDerived(): string {
    const shifts = `${this.#dialect.temporary}.shifts_given`;
    const { first, hashes, step } = DERIVED_IDS;
    const hash = `(given.id - ${first}) % ${hashes}`;
    // Ids from the document stay, and come first.
    return `UPDATE ${shifts} AS given SET id = given.id - ${hash} + (${hash} + turns.turn * ${step}) % ${hashes}
      FROM (
        SELECT position, row_number() OVER (PARTITION BY id ORDER BY ${IS_ID_GIVEN} DESC, position) - 1 AS turn
        FROM ${shifts} WHERE id IN (${repeatedDerivedIds(shifts)})
      ) AS turns
      WHERE turns.position = given.position AND turns.turn > 0 AND ${IS_ID_GIVEN} = 0`;
  }

  /** Stores the position of the first record with the same id in each later one. */
  findRepeated(table: Table): string {
    const given = `${this.#dialect.temporary}.${table}_given`;
    return `UPDATE ${given} AS given SET first_position = first_one.position
      FROM (SELECT id, min(position) AS position FROM ${given} GROUP BY id HAVING count(*) > 1) AS first_one
      WHERE given.id = first_one.id AND given.position > first_one.position`;
  }

  /** Records which rows have a problem and which are to be written, in the order of writing. */
  compare(situation: Situation): string {
    const { temporary, writesInOrder } = this.#dialect;
    const { table, accountId, isWrittenAsGiven } = situation;
    const outcome = this.#outcome(situation);
    const isFlawed = outcome.isFlawed();
    const isNoted = isWrittenAsGiven
      ? isFlawed
      : `${outcome.isFlawedUnchanged()} OR ${outcome.isNewOrChanged()}`;
    const order = `ORDER BY ${table === 'shifts' ? `${outcome.after('date')}, ` : ''}given.id`;
    return `INSERT INTO ${temporary}.${table}_compared
      SELECT given.position, CASE WHEN ${isFlawed} THEN true ELSE false END,
        ${accountId === undefined ? 'false' : `${outcome.existing('id')} IS NOT NULL`}
      FROM ${this.#given(situation)} WHERE ${isNoted} ${writesInOrder ? order : ''}`;
  }

  countCompared(table: Table): string {
    return `SELECT count(*) AS compared, count(*) FILTER (WHERE is_known) AS known,
      count(*) FILTER (WHERE is_flawed) AS flawed FROM ${this.#dialect.temporary}.${table}_compared`;
  }

  countOdd(situation: Situation, usual: Usual): string {
    const conditions = this.#outcome(situation).oddConditions(usual);
    const counts = ODD_KINDS.map((kind) => `count(*) FILTER (WHERE ${conditions[kind]}) AS ${kind}_shifts`);
    return `SELECT ${counts.join(', ')} FROM ${this.#written(situation)}`;
  }

  selectOdd(situation: Situation, kind: OddKind, usual: Usual, most: number): string {
    const outcome = this.#outcome(situation);
    return `SELECT given.position, given.equal_position, ${selectedColumns(this.#dialect, 'shifts', outcome.after)}
      FROM ${this.#written(situation)} AND ${outcome.oddConditions(usual)[kind]}
      ORDER BY given.position LIMIT ${most}`;
  }

  countUnlisted(situation: Situation, today: string): string {
    return `SELECT ${this.#outcome(situation).unlistedCounts(today)} FROM ${this.#given(situation)}`;
  }

  selectFlawed(situation: Situation): string {
    const outcome = this.#outcome(situation);
    return `SELECT given.position, given.first_position, given.id, given.flaws, ${outcome.verdicts().join(', ')},
        ${selectedColumns(this.#dialect, situation.table, outcome.after, 'after_')}
      FROM ${this.#compared(situation)} AND compared.is_flawed ORDER BY given.position`;
  }

  selectChanges(situation: Situation): string {
    const { table, accountId } = situation;
    const { existing, after } = this.#outcome(situation);
    const before =
      accountId === undefined
        ? 'NULL AS before_id'
        : selectedColumns(this.#dialect, table, existing, 'before_');
    return `SELECT ${before}, ${selectedColumns(this.#dialect, table, after, 'after_')}
      FROM ${this.#written(situation)} ORDER BY given.position`;
  }

  write(situation: Situation, accountId: number): string {
    const { main, partOf } = this.#dialect;
    const { table, isWrittenAsGiven } = situation;
    const names = COLUMN_NAMES[table];
    const ifKnown = `ON CONFLICT (account_id, id) DO UPDATE SET
      ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`;
    return `INSERT INTO ${main}.${table} (account_id, ${names.join(', ')})
      SELECT ${accountId}, ${names.map(this.#outcome(situation).after).join(', ')}
      FROM ${this.#written(situation)} AND ${partOf(isWrittenAsGiven ? 'given' : 'compared')}
      ${situation.accountId === undefined ? '' : ifKnown}`;
  }

  /** Finds an id that a written shift refers to but that does not exist. */
  selectMissing(situation: Situation, accountId: number, field: string, table: Table): string {
    const id = this.#outcome(situation).after(field);
    return `SELECT ${id} AS id FROM ${this.#written(situation)} AND ${id} IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM ${this.#dialect.main}.${table} AS kept WHERE kept.account_id = ${accountId} AND kept.id = ${id}
    ) LIMIT 1`;
  }

  /**
   * Records which records of the account were not added. With `hasDays`, its parameters are the first and the last day.
   */
  findAbsent(table: Table, accountId: number, hasDays: boolean, isAdded: boolean): string {
    const { temporary, isAmong } = this.#dialect;
    const given = `SELECT id FROM ${temporary}.${table}_given WHERE id IS NOT NULL`;
    return `INSERT INTO ${temporary}.${table}_absent SELECT existing.id ${this.#covered(table, accountId, hasDays)}
      ${isAdded ? `AND NOT ${isAmong('existing.id', [given])}` : ''}`;
  }

  /** Counts the records of the account, added or not. Takes the same parameters. */
  countCovered(table: Table, accountId: number, hasDays: boolean): string {
    return `SELECT count(*) AS count ${this.#covered(table, accountId, hasDays)}`;
  }

  #covered(table: Table, accountId: number, hasDays: boolean): string {
    return `FROM ${this.#dialect.main}.${table} AS existing WHERE existing.account_id = ${accountId}
      ${hasDays ? 'AND existing.date BETWEEN $1 AND $2' : ''}`;
  }

  selectAbsent(table: Table, accountId: number): string {
    const absent = `AND id IN (SELECT id FROM ${this.#dialect.temporary}.${table}_absent)`;
    return selectRecords(this.#dialect, table, accountId, absent);
  }

  remove(table: Table, accountId: number): string {
    const { temporary, main, partOf } = this.#dialect;
    return `DELETE FROM ${main}.${table} WHERE account_id = ${accountId}
      AND id IN (SELECT absent.id FROM ${temporary}.${table}_absent AS absent WHERE ${partOf('absent')})`;
  }

  selectAny(table: Table, accountId: number): string {
    return `SELECT 1 FROM ${this.#dialect.main}.${table} WHERE account_id = ${accountId} LIMIT 1`;
  }

  #outcome(situation: Situation): Outcome {
    return new Outcome(this.#dialect, situation);
  }

  /** All records of the document, joined with those of the account. */
  #given({ table, accountId }: Situation): string {
    const { temporary, joinExisting } = this.#dialect;
    return `${temporary}.${table}_given AS given ${accountId === undefined ? '' : joinExisting(table, accountId)}`;
  }

  /**
   * The records in the comparison. A cross join keeps the order of its left side on SQLite. Append conditions with AND.
   */
  #compared(situation: Situation): string {
    return `${this.#dialect.temporary}.${situation.table}_compared AS compared CROSS JOIN ${this.#given(situation)}
      WHERE given.position = compared.position`;
  }

  /** The records that are to be written. Append conditions with AND. */
  #written(situation: Situation): string {
    return situation.isWrittenAsGiven ? `${this.#given(situation)} WHERE true` : this.#compared(situation);
  }
}

const IS_ID_GIVEN = `(given_fields & ${bitOf('shifts', 'id')})`;

function repeatedDerivedIds(shifts: string): string {
  return `SELECT id FROM ${shifts} WHERE id >= ${DERIVED_IDS.first} GROUP BY id HAVING count(*) > 1`;
}
