/**
 * The statements of an import, the same for every database and every table. They are generated from COLUMNS, so a new
 * column needs no new statement.
 *
 * Each table has up to three temporary ones: `shifts_given` has the records of the document, `shifts_compared` those
 * that are to be written or have a problem, and `shifts_absent` the ids of those to be removed. In the statements,
 * `given` is a record of the document, `existing` is the account's record with the same id, and `after` is the result
 * of the two.
 */

import { DERIVED_IDS, OLDER_DERIVED_IDS } from '../derived-ids.ts';
import type { OddKind, Usual } from '../import-store.ts';
import { COLUMN_NAMES, COLUMNS, type ColumnType, type Table } from '../records.ts';
import { afterOf, isNewOrChanged } from './after.ts';
import type { Dialect, Situation } from './dialect.ts';
import { findEqual, oddConditions, oddCounts } from './oddities.ts';
import { isFlawed, isFlawedUnchanged, verdicts } from './problems.ts';
import { bitOf } from './row.ts';
import { unlistedCounts } from './unlisted.ts';

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
      columns: `position ${types.position}, id ${types.integer}, other_id ${types.integer}, given_fields ${types.integer},
        unclear_fields ${types.integer}, flaws ${types.text}, first_position ${types.integer}, equal_position ${types.integer}, ${typed.join(', ')}`,
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
   * If several rows have the same derived id, gives the later ones other ids, of the present or the older kind. Run it
   * until it changes nothing.
   */
  separateDerived(series: 'derived' | 'older'): string {
    const shifts = `${this.#dialect.temporary}.shifts_given`;
    const { first, hashes, step } = series === 'derived' ? DERIVED_IDS : OLDER_DERIVED_IDS;
    const column = series === 'derived' ? 'id' : 'other_id';
    // Ids from the document stay, and come first.
    const id = series === 'derived' ? 'id' : 'coalesce(other_id, id)';
    const isGiven = `(given_fields & ${bitOf('shifts', 'id')})`;
    const hash = `(given.${column} - ${first}) % ${hashes}`;
    return `UPDATE ${shifts} AS given
      SET ${column} = given.${column} - ${hash} + (${hash} + turns.turn * ${step}) % ${hashes}
      FROM (
        SELECT position, row_number() OVER (PARTITION BY ${id} ORDER BY ${isGiven} DESC, position) - 1 AS turn
        FROM ${shifts} WHERE ${id} IN (
          SELECT ${id} FROM ${shifts} WHERE ${id} >= ${first} GROUP BY ${id} HAVING count(*) > 1
        )
      ) AS turns
      WHERE turns.position = given.position AND turns.turn > 0 AND ${isGiven} = 0`;
  }

  /**
   * Switches rows to their older id, the larger of the two, if the account has a shift with it. It can run again after
   * the account has changed.
   */
  chooseIds(accountId: number): string {
    const { temporary, main } = this.#dialect;
    return `UPDATE ${temporary}.shifts_given AS given SET id = given.other_id, other_id = given.id
      WHERE given.other_id IS NOT NULL AND (given.id > given.other_id) <> EXISTS (
        SELECT 1 FROM ${main}.shifts AS existing WHERE existing.account_id = ${accountId}
          AND existing.id = CASE WHEN given.id > given.other_id THEN given.id ELSE given.other_id END
      )`;
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
    const isNoted = isWrittenAsGiven
      ? isFlawed(this.#dialect, situation)
      : `${isFlawedUnchanged(this.#dialect, situation)} OR ${isNewOrChanged(this.#dialect, situation)}`;
    const after = afterOf(this.#dialect, situation);
    const order = `ORDER BY ${table === 'shifts' ? `${after('date')}, ` : ''}given.id`;
    return `INSERT INTO ${temporary}.${table}_compared
      SELECT given.position, CASE WHEN ${isFlawed(this.#dialect, situation)} THEN true ELSE false END,
        ${accountId === undefined ? 'false' : `${this.#dialect.existing(table, 'id')} IS NOT NULL`}
      FROM ${this.#given(situation)} WHERE ${isNoted} ${writesInOrder ? order : ''}`;
  }

  findEqual(): string {
    return findEqual(this.#dialect);
  }

  countOdd(situation: Situation, usual: Usual): string {
    const conditions = oddConditions(this.#dialect, situation, usual);
    return `SELECT ${oddCounts(conditions)} FROM ${this.#written(situation)}`;
  }

  selectOdd(situation: Situation, kind: OddKind, usual: Usual, most: number): string {
    const after = this.#selected('shifts', afterOf(this.#dialect, situation), '');
    return `SELECT given.position, given.equal_position, ${after} FROM ${this.#written(situation)}
      AND ${oddConditions(this.#dialect, situation, usual)[kind]} ORDER BY given.position LIMIT ${most}`;
  }

  countUnlisted(situation: Situation, today: string): string {
    return `SELECT ${unlistedCounts(this.#dialect, situation, today)} FROM ${this.#given(situation)}`;
  }

  countCompared(table: Table): string {
    return `SELECT count(*) AS compared, count(*) FILTER (WHERE is_known) AS known,
      count(*) FILTER (WHERE is_flawed) AS flawed FROM ${this.#dialect.temporary}.${table}_compared`;
  }

  selectFlawed(situation: Situation): string {
    const after = this.#selected(situation.table, afterOf(this.#dialect, situation), 'after_');
    return `SELECT given.position, given.first_position, given.id, given.flaws,
        ${verdicts(this.#dialect, situation).join(', ')}, ${after}
      FROM ${this.#compared(situation)} AND compared.is_flawed ORDER BY given.position`;
  }

  selectChanges(situation: Situation): string {
    const { table, accountId } = situation;
    const before = this.#selected(table, (name) => this.#dialect.existing(table, name), 'before_');
    const after = this.#selected(table, afterOf(this.#dialect, situation), 'after_');
    return `SELECT ${accountId === undefined ? 'NULL AS before_id' : before}, ${after}
      FROM ${this.#written(situation)} ORDER BY given.position`;
  }

  write(situation: Situation, accountId: number): string {
    const { main, partOf } = this.#dialect;
    const { table, isWrittenAsGiven } = situation;
    const names = COLUMN_NAMES[table];
    const ifKnown = `ON CONFLICT (account_id, id) DO UPDATE SET
      ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`;
    return `INSERT INTO ${main}.${table} (account_id, ${names.join(', ')})
      SELECT ${accountId}, ${names.map(afterOf(this.#dialect, situation)).join(', ')}
      FROM ${this.#written(situation)} AND ${partOf(isWrittenAsGiven ? 'given' : 'compared')}
      ${situation.accountId === undefined ? '' : ifKnown}`;
  }

  /** Finds an id that a written shift refers to but that does not exist. */
  selectMissing(situation: Situation, accountId: number, field: string, table: Table): string {
    const id = afterOf(this.#dialect, situation)(field);
    return `SELECT ${id} AS id FROM ${this.#written(situation)} AND ${id} IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM ${this.#dialect.main}.${table} AS kept WHERE kept.account_id = ${accountId} AND kept.id = ${id}
    ) LIMIT 1`;
  }

  /**
   * Records which records of the account were not added. With `hasDays`, its parameters are the first and the last day.
   */
  findAbsent(table: Table, accountId: number, hasDays: boolean, isAdded: boolean): string {
    const { temporary, main, isAmong } = this.#dialect;
    const given = `SELECT id FROM ${temporary}.${table}_given WHERE id IS NOT NULL`;
    return `INSERT INTO ${temporary}.${table}_absent SELECT existing.id FROM ${main}.${table} AS existing
      WHERE existing.account_id = ${accountId} ${isAdded ? `AND NOT ${isAmong('existing.id', [given])}` : ''}
      ${this.#onDays(hasDays)}`;
  }

  /** Counts the records of the account, added or not. Takes the same parameters. */
  countCovered(table: Table, accountId: number, hasDays: boolean): string {
    return `SELECT count(*) AS count FROM ${this.#dialect.main}.${table} AS existing
      WHERE existing.account_id = ${accountId} ${this.#onDays(hasDays)}`;
  }

  #onDays(hasDays: boolean): string {
    const { parameter } = this.#dialect;
    return hasDays ? `AND existing.date BETWEEN ${parameter(1)} AND ${parameter(2)}` : '';
  }

  selectAbsent(table: Table, accountId: number): string {
    const { temporary } = this.#dialect;
    return this.selectRecords(table, accountId, `AND id IN (SELECT id FROM ${temporary}.${table}_absent)`);
  }

  remove(table: Table, accountId: number): string {
    const { temporary, main, partOf } = this.#dialect;
    return `DELETE FROM ${main}.${table} WHERE account_id = ${accountId}
      AND id IN (SELECT absent.id FROM ${temporary}.${table}_absent AS absent WHERE ${partOf('absent')})`;
  }

  selectRecords(table: Table, accountId: number, condition = ''): string {
    return `SELECT ${this.#selected(table, (name) => name, '')} FROM ${this.#dialect.main}.${table}
      WHERE account_id = ${accountId} ${condition} ORDER BY ${table}.id`;
  }

  selectAny(table: Table, accountId: number, firstId = 1): string {
    return `SELECT 1 FROM ${this.#dialect.main}.${table}
      WHERE account_id = ${accountId} AND id >= ${firstId} LIMIT 1`;
  }

  selectMonths(accountId: number): string {
    return `SELECT month FROM ${this.#dialect.main}.months WHERE account_id = ${accountId}`;
  }

  #selected(table: Table, expression: (name: string) => string, prefix: string): string {
    return Object.entries(COLUMNS[table])
      .map(([name, type]) => {
        const value = expression(name);
        return `${type === 'date' ? this.#dialect.asText(value) : value} AS ${prefix}${name}`;
      })
      .join(', ');
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
