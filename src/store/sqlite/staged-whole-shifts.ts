/**
 * The whole shifts of a stage (see ../whole-shifts.ts). Those that are to be written are marked by their positions, in
 * the order of the table: SQLite is several times faster when rows come in that order. If all are to be written and
 * came in that order, there is nothing to mark.
 */

import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { WholeShiftCounts } from '../import-store.ts';
import { COLUMN_NAMES, COLUMNS, type RecordOf, type StagedRecord } from '../records.ts';
import { AS_IT_WILL_BE, bitOf, IS_CHANGED, References } from '../whole-shifts.ts';

/** The columns of a whole shift besides its id. */
export const WHOLE_COLUMNS = COLUMN_NAMES.shifts.filter((name) => name !== 'id');

export type WholeShift = RecordOf<'shifts'> & { readonly isDerived?: true; readonly kept: number };

export interface StagedWholeShifts {
  /** Returns what adds one. Without a position, it follows the one before. */
  adding(): (position: number | null, shift: WholeShift) => void;
  readonly references: References;
  /** Marks those that are new or changed. */
  compare(accountId: number): WholeShiftCounts;
  marked(): Marked;
  /** Unmarks them. */
  forget(): void;
  /** Writes those that are marked. */
  write(accountId: number, inChunks: InChunks, onWritten: (count: number) => void): void;
}

interface Marked {
  readonly toWrite: number;
  /** How many of them are new. */
  readonly toAdd: number;
  /** The months in which they are, and in which they were before. */
  readonly months: ReadonlySet<string>;
}

/** Runs `work` for the rows from 1 to `count`, some at a time. */
type InChunks = (count: number, work: (first: number, last: number) => void) => void;

const NONE: Marked = { toWrite: 0, toAdd: 0, months: new Set() };

export function stagedWholeShifts(database: DatabaseSync): StagedWholeShifts {
  database.exec(
    'CREATE TEMP TABLE IF NOT EXISTS whole_to_write (position INTEGER, date TEXT, date_before TEXT)',
  );
  const references = new References();
  const months = new Set<string>();
  let count = 0;
  let isInOrder = true;
  let [lastDate, lastMonth, lastId] = ['', '', 0];
  let marked = NONE;

  function note(shift: WholeShift): void {
    const { id, date } = shift;
    count++;
    references.addThoseOf(shift, shift.kept);
    if (date < lastDate || (date === lastDate && id < lastId)) isInOrder = false;
    lastDate = date;
    lastId = id;
    const month = date.slice(0, 7);
    if (month !== lastMonth) months.add(month);
    lastMonth = month;
  }

  function compareWithNone(): Marked {
    if (!isInOrder) database.exec(MARK_ALL);
    return { toWrite: count, toAdd: count, months };
  }

  function compareWithExisting(accountId: number): Marked {
    database.prepare(MARK_NEW_OR_CHANGED).run(accountId);
    const row = database.prepare(COUNT_MARKED).get();
    const [toWrite, known] = [Number(row?.marked), Number(row?.known)];
    const touched = database.prepare(MONTHS_OF_MARKED).all();
    return { toWrite, toAdd: toWrite - known, months: new Set(touched.map(({ month }) => String(month))) };
  }

  return {
    references,

    adding() {
      const insert = database.prepare(STAGE);
      return (position, shift) => {
        note(shift);
        // Written out, because a loop over the columns takes a third longer.
        insert.run(
          position,
          shift.id,
          shift.isDerived ? 1 : null,
          shift.kept,
          shift.date,
          shift.start_time,
          shift.end_time,
          shift.end_date,
          shift.group_id,
          shift.location_id,
          shift.person_id,
          shift.publish_date,
          shift.remarks,
          shift.starred ? 1 : 0,
          shift.cancelled ? 1 : 0,
          shift.noshow ? 1 : 0,
        );
      };
    },

    compare(accountId) {
      const hasShifts = database
        .prepare('SELECT 1 FROM main.shifts WHERE account_id = ? LIMIT 1')
        .get(accountId);
      marked = hasShifts === undefined ? compareWithNone() : compareWithExisting(accountId);
      const { toWrite, toAdd } = marked;
      return { added: toAdd, changed: toWrite - toAdd, unchanged: count - toWrite };
    },

    marked: () => marked,

    forget() {
      marked = NONE;
      database.exec('DELETE FROM temp.whole_to_write');
    },

    write(accountId, inChunks, onWritten) {
      if (marked.toWrite === 0) return;
      const marks = Number(
        database.prepare('SELECT max(rowid) AS last FROM temp.whole_to_write').get()?.last,
      );
      const positions = Number(
        database.prepare('SELECT max(position) AS last FROM temp.shifts_given').get()?.last,
      );
      const { toWrite, toAdd } = marked;
      const insert = database.prepare(
        marks === 0 ? INSERT_ALL : toAdd === toWrite ? INSERT_NEW : INSERT_OR_UPDATE,
      );
      inChunks(marks === 0 ? positions : marks, (first, last) =>
        onWritten(Number(insert.run(accountId, first, last).changes)),
      );
    },
  };
}

const STAGE = `INSERT INTO temp.shifts_given (position, id, is_derived, kept, date, start_time, end_time, end_date,
    group_id, location_id, person_id, publish_date, remarks, starred, cancelled, noshow)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const MARK_ALL = `
  INSERT INTO temp.whole_to_write (position) SELECT position FROM temp.shifts_given
  WHERE record IS NULL ORDER BY date, id`;

/**
 * Most shifts stay on their date, where one look into the table finds them; finding them by id takes two. One that is
 * not there is new, or moved and so changed.
 */
const MARK_NEW_OR_CHANGED = `
  INSERT INTO temp.whole_to_write
  SELECT given.position, given.date, (SELECT date FROM main.shifts WHERE account_id = ?1 AND id = given.id)
  FROM temp.shifts_given AS given LEFT JOIN main.shifts AS existing
    ON existing.account_id = ?1 AND existing.date = given.date AND existing.id = given.id
  WHERE given.record IS NULL AND (existing.id IS NULL OR ${IS_CHANGED})
  ORDER BY given.date, given.id`;

const COUNT_MARKED = 'SELECT count(*) AS marked, count(date_before) AS known FROM temp.whole_to_write';

const MONTHS_OF_MARKED = `
  SELECT substr(date, 1, 7) AS month FROM temp.whole_to_write
  UNION SELECT substr(date_before, 1, 7) FROM temp.whole_to_write WHERE date_before IS NOT NULL`;

const INTO_SHIFTS = `INSERT INTO main.shifts (account_id, ${COLUMN_NAMES.shifts.join(', ')})`;
const AS_GIVEN = COLUMN_NAMES.shifts.map((name) => `given.${name}`).join(', ');
/** CROSS JOIN keeps the order of the marks. */
const MARKED =
  'temp.whole_to_write AS marked CROSS JOIN temp.shifts_given AS given ON given.position = marked.position';

const INSERT_ALL = `
  ${INTO_SHIFTS} SELECT ?1, ${AS_GIVEN} FROM temp.shifts_given AS given
  WHERE given.position BETWEEN ?2 AND ?3 AND given.record IS NULL`;

const INSERT_NEW = `
  ${INTO_SHIFTS} SELECT ?1, ${AS_GIVEN} FROM ${MARKED} WHERE marked.rowid BETWEEN ?2 AND ?3`;

const INSERT_OR_UPDATE = `
  ${INTO_SHIFTS} SELECT ?1, ${AS_IT_WILL_BE.join(', ')} FROM ${MARKED}
  LEFT JOIN main.shifts AS existing
    ON existing.account_id = ?1 AND existing.date = marked.date_before AND existing.id = given.id
  WHERE marked.rowid BETWEEN ?2 AND ?3
  ON CONFLICT (account_id, id) DO UPDATE SET ${COLUMN_NAMES.shifts.map((name) => `${name} = excluded.${name}`).join(', ')}`;

/** From the values of a row that begin with `kept`: a whole shift as it was given, without what it left out. */
export function wholeOf(
  id: SQLOutputValue | undefined,
  row: readonly SQLOutputValue[],
  start: number,
): StagedRecord<'shifts'> {
  const kept = Number(row[start]);
  const shift: Record<string, unknown> = { id };
  WHOLE_COLUMNS.forEach((name, i) => {
    const value = row[start + 1 + i];
    if ((kept & bitOf(name)) !== 0) return;
    shift[name] = COLUMNS.shifts[name] === 'boolean' ? value === 1 : value;
  });
  return shift as StagedRecord<'shifts'>;
}
