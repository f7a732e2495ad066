/**
 * The stage of an import: temporary tables of its connection, which lie in a file of their own and take no lock on the
 * database. Of each table there are three: what the document has, what is to be written, and the ids to be removed.
 */

import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { DERIVED_ID_BITS, DERIVED_ID_STEP, FIRST_DERIVED_ID } from '../derived-ids.ts';
import { StoreFailure } from '../failure.ts';
import { FIRST_DATE, LAST_DATE, type MergeTransaction, type Stage } from '../import-store.ts';
import { COLUMN_NAMES, COLUMNS, type RecordOf, type StagedRecord, TABLES, type Table } from '../records.ts';
import { AS_IT_WILL_BE, bitOf, IS_CHANGED } from '../whole-shifts.ts';
import { accountTransaction, findAccountVersion } from './account.ts';
import { writing } from './connection.ts';
import { giveBackLog } from './log.ts';
import { recordFrom, recordsById } from './record.ts';
import { beginLongWrite, type LongWrite } from './right-of-way.ts';

/** How many records are compared at a time. */
const COMPARED_AT_ONCE = 2_000;
/** How many records are written at a time. Between two chunks, others may ask to go first. */
const WRITTEN_AT_ONCE = 5_000;
/** Giving way costs what was written so far, so the pauses between grow each time. */
const MAX_TIMES_GIVEN_WAY = 20;
const PAUSE_STEP_MS = 250;

export function openStage(database: DatabaseSync, path: string): Stage & { close(): void } {
  let longWrite: LongWrite | undefined;
  let hasMerged = false;
  /** How many rows there may be to write and to remove. */
  let rows = 0;
  /** The months of the shifts to be written, before and after. */
  const touchedMonths = new Set<string>();
  /** How many whole shifts are to be written. */
  let wholeShiftsToWrite = 0;
  /** The last id of each table, as long as ids only grow: then none is there twice. */
  const lastIds = new Map<Table, number>();

  // A connection keeps them for the next import, because making and dropping them takes longer than a small import.
  for (const table of TABLES) {
    database.exec(`
      CREATE TEMP TABLE IF NOT EXISTS ${table}_given (
        position INTEGER PRIMARY KEY, id INTEGER, is_derived INTEGER, record TEXT, first_position INTEGER
        ${table === 'shifts' ? `, kept INTEGER, ${WHOLE_COLUMNS.join(', ')}` : ''}
      );
      CREATE TEMP TABLE IF NOT EXISTS ${table}_to_write (${COLUMN_NAMES[table].join(', ')});
      CREATE TEMP TABLE IF NOT EXISTS ${table}_to_remove (id INTEGER NOT NULL)`);
    // There are many shifts, and they are never looked up by id.
    if (table !== 'shifts') {
      database.exec(`CREATE INDEX IF NOT EXISTS temp.${table}_given_by_id ON ${table}_given (id)`);
    }
  }

  const { lockAccount, saveAccount } = accountTransaction(database);

  function giveWayIfAsked(): void {
    if (longWrite?.isAskedForWay()) throw new GaveWay();
  }

  /** Rows are numbered from 1 on. */
  const countOf = (stagedTable: string) =>
    Number(database.prepare(`SELECT max(rowid) AS count FROM temp.${stagedTable}`).get()?.count);

  function inChunks(count: number, work: (first: number, last: number) => void): void {
    for (let first = 1; first <= count; first += WRITTEN_AT_ONCE) {
      giveWayIfAsked();
      work(first, first + WRITTEN_AT_ONCE - 1);
    }
  }

  const transaction: MergeTransaction = {
    lockAccount,
    saveAccount,

    async save(table, accountId, onProgress) {
      const count = countOf(`${table}_to_write`);
      const whole = table === 'shifts' ? wholeShiftsToWrite : 0;
      if (count + whole === 0) return;
      const isLarge = table === 'shifts' && count + whole > WRITTEN_AT_ONCE;
      const restoreTriggers = isLarge ? dropTriggers(database) : undefined;
      const columns = COLUMN_NAMES[table];
      const insert = database.prepare(`
        INSERT INTO ${table} (account_id, ${columns.join(', ')})
        SELECT ?, * FROM temp.${table}_to_write WHERE rowid BETWEEN ? AND ?
        ORDER BY ${table === 'shifts' ? 'date, id' : 'id'}
        ON CONFLICT (account_id, id) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`);
      let done = 0;
      inChunks(count, (first, last) => {
        done += Number(insert.run(accountId, first, last).changes);
        onProgress?.(done);
      });
      if (whole > 0) {
        const insertWhole = database.prepare(INSERT_WHOLE);
        inChunks(countOf('shifts_given'), (first, last) => {
          done += Number(insertWhole.run(accountId, accountId, first, last).changes);
          onProgress?.(done);
        });
      }
      if (restoreTriggers === undefined) return;
      const stamp = database.prepare('INSERT INTO changes VALUES (?, ?)');
      for (const month of touchedMonths) stamp.run(accountId, month);
      restoreTriggers();
    },

    async remove(table, accountId) {
      const remove = database.prepare(`
        DELETE FROM ${table} WHERE account_id = ?
        AND id IN (SELECT id FROM temp.${table}_to_remove WHERE rowid BETWEEN ? AND ?)`);
      inChunks(countOf(`${table}_to_remove`), (first, last) => remove.run(accountId, first, last));
    },
  };

  /** Returns whether it came to its end. */
  async function tryToMerge(work: (transaction: MergeTransaction) => Promise<void>): Promise<boolean> {
    let hasGivenWay = false;
    try {
      await writing(database, async () => {
        if (rows > WRITTEN_AT_ONCE) longWrite = beginLongWrite(path);
        try {
          await work(transaction);
        } catch (error) {
          hasGivenWay = error instanceof GaveWay;
          throw error;
        } finally {
          if (!hasGivenWay) longWrite?.end();
        }
        return true;
      });
      return true;
    } catch (error) {
      if (!hasGivenWay) throw error;
      longWrite?.letPass();
      return false;
    } finally {
      longWrite = undefined;
    }
  }

  return {
    async add(table, records, positions) {
      const insert = database.prepare(
        `INSERT INTO temp.${table}_given (position, id, is_derived, record) VALUES (?, ?, ?, ?)`,
      );
      const insertWhole = table === 'shifts' ? database.prepare(STAGE_WHOLE) : undefined;
      let lastId = lastIds.get(table) ?? 0;
      together(database, () => {
        records.forEach((record, i) => {
          // SQLite counts up by itself, from 1 on.
          const position = positions === undefined ? null : (positions[i] as number) + 1;
          const { id = null } = record;
          const isDerived = record.isDerived ? 1 : null;
          lastId = id === null || id <= lastId ? Number.POSITIVE_INFINITY : id;
          if (insertWhole === undefined || record.kept === undefined) {
            insert.run(position, id, isDerived, JSON.stringify(record));
          } else {
            const values = wholeValues(record as unknown as RecordOf<'shifts'>);
            insertWhole.run(position, id, isDerived, record.kept, ...values);
          }
        });
      });
      lastIds.set(table, lastId);
      rows += records.length;
    },

    async separate() {
      database.exec('CREATE INDEX IF NOT EXISTS temp.shifts_given_by_id ON shifts_given (id)');
      const separate = database.prepare(SEPARATE_DERIVED);
      while (Number(separate.run().changes) > 0);
    },

    async findRepeated(table) {
      if (Number.isFinite(lastIds.get(table) ?? 0)) return false;
      const update = database.prepare(`
        UPDATE temp.${table}_given AS given SET first_position = first_one.position
        FROM (SELECT id, min(position) AS position FROM temp.${table}_given GROUP BY id HAVING count(*) > 1) AS first_one
        WHERE given.id = first_one.id AND given.position > first_one.position`);
      return Number(update.run().changes) > 0;
    },

    findAccount: async (slug) => findAccountVersion(database, slug),

    async *records(table, accountId = 0) {
      yield* recordsById(database, table, accountId);
    },

    async *compare(table, accountId = 0, withoutWholeShifts = false) {
      const ofGiven = table === 'shifts' ? ['kept', ...WHOLE_COLUMNS].map((name) => `given.${name}`) : [];
      const select = database.prepare(`
        SELECT given.position, given.first_position, given.record, given.id,
          ${[...COLUMN_NAMES[table].map((name) => `existing.${name}`), ...ofGiven]}
        FROM temp.${table}_given AS given
        LEFT JOIN main.${table} AS existing ON existing.account_id = ? AND existing.id = given.id
        WHERE given.position > ? ${withoutWholeShifts ? 'AND given.record IS NOT NULL' : ''}
        ORDER BY given.position LIMIT ${COMPARED_AT_ONCE}`);
      select.setReturnArrays(true);
      for (let last = 0; ; ) {
        giveWayIfAsked();
        const rows = select.all(accountId, last) as unknown as SQLOutputValue[][];
        if (rows.length === 0) return;
        yield rows.map((row) => ({
          position: Number(row[0]) - 1,
          firstPosition: row[1] === null ? undefined : Number(row[1]) - 1,
          given:
            row[2] === null
              ? (wholeOf(row, 4 + COLUMN_NAMES[table].length) as StagedRecord<typeof table>)
              : stagedOf<typeof table>(String(row[2]), row[3]),
          existing: row[4] === null ? undefined : recordFrom(table, row, 4),
        }));
        last = Number(rows.at(-1)?.[0]);
      }
    },

    async lookUp(table, accountId = 0, ids) {
      const rows = database
        .prepare(
          `SELECT value AS id,
            EXISTS (SELECT 1 FROM temp.${table}_given WHERE id = value) AS added,
            EXISTS (SELECT 1 FROM main.${table} WHERE account_id = ? AND id = value) AS in_database
          FROM json_each(?)`,
        )
        .all(accountId, JSON.stringify(ids));
      const idsWith = (column: string) =>
        new Set(rows.filter((row) => row[column] === 1).map((row) => Number(row.id)));
      return { added: idsWith('added'), inDatabase: idsWith('in_database') };
    },

    async compareWholeShifts(accountId = 0) {
      const counts = database.prepare(COUNT_WHOLE).get(accountId);
      const [all, known, changed] = [counts?.all, counts?.known, counts?.changed].map(Number) as [
        number,
        number,
        number,
      ];
      wholeShiftsToWrite = all - known + changed;
      if (wholeShiftsToWrite > 0) {
        for (const { month } of database.prepare(MONTHS_OF_WHOLE).all(accountId, accountId)) {
          touchedMonths.add(String(month));
        }
      }
      return { added: all - known, changed, unchanged: known - changed };
    },

    async referencesOfWholeShifts(field) {
      return database
        .prepare(`SELECT DISTINCT ${field} AS id FROM temp.shifts_given WHERE ${field} IS NOT NULL`)
        .all()
        .map(({ id }) => Number(id));
    },

    async forget(table) {
      database.exec(`DELETE FROM temp.${table}_to_write; DELETE FROM temp.${table}_to_remove`);
      if (table !== 'shifts') return;
      touchedMonths.clear();
      wholeShiftsToWrite = 0;
    },

    async keep(table, changes) {
      const columns = COLUMN_NAMES[table];
      const insert = database.prepare(
        `INSERT INTO temp.${table}_to_write VALUES (${columns.map(() => '?').join(', ')})`,
      );
      together(database, () => {
        for (const { after } of changes) insert.run(...valuesOf(table, after));
      });
      for (const { before, after } of changes) {
        if (before !== undefined && 'date' in before) touchedMonths.add(before.date.slice(0, 7));
        if ('date' in after) touchedMonths.add(after.date.slice(0, 7));
      }
    },

    async keepAbsent(table, accountId = 0, days) {
      const { from = FIRST_DATE, to = LAST_DATE } = days ?? {};
      const { changes } = database
        .prepare(
          `INSERT INTO temp.${table}_to_remove SELECT id FROM main.${table}
          WHERE account_id = ? ${days === undefined ? '' : 'AND date BETWEEN ? AND ?'}
          AND id NOT IN (SELECT id FROM temp.${table}_given WHERE id IS NOT NULL)`,
        )
        .run(accountId, ...(days === undefined ? [] : [from, to]));
      rows += Number(changes);
      return Number(changes);
    },

    async *absent(table, accountId = 0) {
      yield* recordsById(database, table, accountId, `AND id IN (SELECT id FROM temp.${table}_to_remove)`);
    },

    async merge(work) {
      hasMerged = true;
      for (let times = 0; times < MAX_TIMES_GIVEN_WAY; times++) {
        if (times > 0) await delay(times * PAUSE_STEP_MS);
        if (await tryToMerge(work)) return;
      }
      throw new StoreFailure(
        'busy',
        `The database ${path} was wanted by other commands all the time: nothing was imported, try again later.`,
      );
    },

    close() {
      const isLarge = rows > WRITTEN_AT_ONCE;
      together(database, () => {
        for (const table of TABLES) {
          for (const kind of ['given', 'to_write', 'to_remove']) {
            database.exec(`${isLarge ? 'DROP TABLE' : 'DELETE FROM'} temp.${table}_${kind}`);
          }
        }
      });
      if (hasMerged) giveBackLog(database, path);
    },
  };
}

/** Moves the later ones of those that have the same id. Ids that were given stay, and come first. */
const SEPARATE_DERIVED = `
  UPDATE temp.shifts_given SET id = id - id % ${2 ** DERIVED_ID_BITS}
    + (id % ${2 ** DERIVED_ID_BITS} + turns.turn * ${DERIVED_ID_STEP}) % ${2 ** DERIVED_ID_BITS}
  FROM (
    SELECT position, row_number() OVER (PARTITION BY id ORDER BY is_derived NULLS FIRST, position) - 1 AS turn
    FROM temp.shifts_given WHERE id IN (
      SELECT id FROM temp.shifts_given WHERE id >= ${FIRST_DERIVED_ID} GROUP BY id HAVING count(*) > 1
    )
  ) AS turns
  WHERE turns.position = shifts_given.position AND turns.turn > 0 AND is_derived = 1`;

/** The columns of a whole shift besides its id. */
const WHOLE_COLUMNS = COLUMN_NAMES.shifts.filter((name) => name !== 'id');

const STAGE_WHOLE = `INSERT INTO temp.shifts_given (position, id, is_derived, kept, ${WHOLE_COLUMNS.join(', ')})
  VALUES (?, ?, ?, ?, ${WHOLE_COLUMNS.map(() => '?').join(', ')})`;

const WHOLE_BESIDE_EXISTING = `temp.shifts_given AS given
  LEFT JOIN main.shifts AS existing ON existing.account_id = ? AND existing.id = given.id
  WHERE given.record IS NULL`;

const COUNT_WHOLE = `
  SELECT count(*) AS "all", count(existing.id) AS known,
    coalesce(sum(existing.id IS NOT NULL AND (${IS_CHANGED})), 0) AS changed
  FROM ${WHOLE_BESIDE_EXISTING}`;

const MONTHS_OF_WHOLE = `
  SELECT DISTINCT substr(given.date, 1, 7) AS month FROM ${WHOLE_BESIDE_EXISTING} AND (existing.id IS NULL OR ${IS_CHANGED})
  UNION
  SELECT DISTINCT substr(existing.date, 1, 7) FROM ${WHOLE_BESIDE_EXISTING} AND existing.id IS NOT NULL AND (${IS_CHANGED})`;

const INSERT_WHOLE = `
  INSERT INTO shifts (account_id, ${COLUMN_NAMES.shifts.join(', ')})
  SELECT ?, ${AS_IT_WILL_BE.join(', ')} FROM ${WHOLE_BESIDE_EXISTING}
    AND given.position BETWEEN ? AND ? AND (existing.id IS NULL OR ${IS_CHANGED})
  ORDER BY given.date, given.id
  ON CONFLICT (account_id, id) DO UPDATE SET ${COLUMN_NAMES.shifts.map((name) => `${name} = excluded.${name}`).join(', ')}`;

function wholeValues(shift: RecordOf<'shifts'>): SQLInputValue[] {
  return WHOLE_COLUMNS.map((name) => {
    const value = shift[name];
    return typeof value === 'boolean' ? Number(value) : value;
  });
}

/** A whole shift as it was given: without what it left out. */
function wholeOf(row: readonly SQLOutputValue[], start: number): StagedRecord<'shifts'> {
  const kept = Number(row[start]);
  const shift: Record<string, unknown> = { id: row[3] };
  WHOLE_COLUMNS.forEach((name, i) => {
    const value = row[start + 1 + i];
    if ((kept & bitOf(name)) !== 0) return;
    shift[name] = COLUMNS.shifts[name] === 'boolean' ? value === 1 : value;
  });
  return shift as StagedRecord<'shifts'>;
}

/** The triggers that stamp the month of each written shift. */
const STAMPING_TRIGGERS = [
  'shifts_inserted',
  'shifts_updated',
  'shifts_before_insert',
  'shifts_before_update',
  'shifts_replaced_by_insert',
  'shifts_replaced_by_update',
];

/**
 * They take almost as long as the writing itself, and a large import knows which months it touches. Nobody else is ever
 * without them: it is all in one transaction. Returns what puts them back.
 */
function dropTriggers(database: DatabaseSync): () => void {
  const triggers = database
    .prepare(
      `SELECT name, sql FROM main.sqlite_master
      WHERE type = 'trigger' AND name IN (${STAMPING_TRIGGERS.map(() => '?').join(', ')})`,
    )
    .all(...STAMPING_TRIGGERS);
  for (const { name } of triggers) database.exec(`DROP TRIGGER main.${name}`);
  return () => {
    for (const { sql } of triggers) database.exec(String(sql));
  };
}

/** Somebody asked to go first. */
class GaveWay extends Error {}

/** Runs in one transaction, unless there is one already: a transaction for each row would take longer than the row. */
function together(database: DatabaseSync, work: () => void): void {
  const isWithin = database.isTransaction;
  if (!isWithin) database.exec('BEGIN');
  try {
    work();
    if (!isWithin) database.exec('COMMIT');
  } finally {
    if (!isWithin && database.isTransaction) database.exec('ROLLBACK');
  }
}

/** A record as it was staged. A derived id may be another one since. */
function stagedOf<T extends Table>(text: string, id: SQLOutputValue | undefined): StagedRecord<T> {
  const record = JSON.parse(text) as StagedRecord<T>;
  return record.isDerived ? { ...record, id: Number(id) } : record;
}

function valuesOf<T extends Table>(table: T, record: RecordOf<T>): SQLInputValue[] {
  return COLUMN_NAMES[table].map((name) => {
    const value = record[name];
    return (typeof value === 'boolean' ? Number(value) : value) as SQLInputValue;
  });
}
