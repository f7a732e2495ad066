/**
 * The stage of an import: temporary tables of its connection, which lie in a file of their own and take no lock on the
 * database. Of each table there are three: what the document has, what is to be written, and the ids to be removed.
 */

import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { DERIVED_ID_BITS, DERIVED_ID_STEP, FIRST_DERIVED_ID } from '../derived-ids.ts';
import { StoreFailure } from '../failure.ts';
import { FIRST_DATE, LAST_DATE, type MergeTransaction, type Stage } from '../import-store.ts';
import { COLUMN_NAMES, type RecordOf, type StagedRecord, TABLES, type Table } from '../records.ts';
import { accountTransaction, findAccountVersion } from './account.ts';
import {
  areForeignKeysOurs,
  dropIndexes,
  dropTriggers,
  isFasterWithoutIndexes,
  withoutForeignKeys,
} from './bulk-write.ts';
import { writing } from './connection.ts';
import { giveBackLog } from './log.ts';
import { recordFrom, recordsById } from './record.ts';
import { beginLongWrite, type LongWrite } from './right-of-way.ts';
import { checkReferences } from './staged-references.ts';
import { stagedWholeShifts, WHOLE_COLUMNS, type WholeShift, wholeOf } from './staged-whole-shifts.ts';

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
  /** The months of the shifts to be written one by one, before and after, and how many of them are new. */
  const touchedMonths = new Set<string>();
  let shiftsToAdd = 0;
  /** The account that something was written to or removed from. */
  let mergedAccountId: number | undefined;
  /** Whether there are shifts that are not whole. */
  let hasPartialShifts = false;
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

  const wholeShifts = stagedWholeShifts(database);
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

  function writeMany(accountId: number, toWrite: number, write: () => void): void {
    const { toAdd, months } = wholeShifts.marked();
    const restoreTriggers = dropTriggers(database);
    const isFaster = isFasterWithoutIndexes(database, { toWrite, toAdd: toAdd + shiftsToAdd });
    const restoreIndexes = isFaster ? dropIndexes(database) : undefined;
    write();
    restoreIndexes?.(giveWayIfAsked);
    const stamp = database.prepare('INSERT INTO changes VALUES (?, ?)');
    for (const month of touchedMonths.union(months)) stamp.run(accountId, month);
    restoreTriggers();
  }

  const transaction: MergeTransaction = {
    lockAccount,
    saveAccount,

    async save(table, accountId, onProgress) {
      mergedAccountId = accountId;
      const count = countOf(`${table}_to_write`);
      const whole = table === 'shifts' ? wholeShifts.marked().toWrite : 0;
      if (count + whole === 0) return;
      let done = 0;
      const onWritten = (written: number) => {
        done += written;
        onProgress?.(done);
      };
      const columns = COLUMN_NAMES[table];
      const insert = database.prepare(`
        INSERT INTO ${table} (account_id, ${columns.join(', ')})
        SELECT ?, * FROM temp.${table}_to_write WHERE rowid BETWEEN ? AND ?
        ORDER BY ${table === 'shifts' ? 'date, id' : 'id'}
        ON CONFLICT (account_id, id) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`);
      const write = () => {
        inChunks(count, (first, last) => onWritten(Number(insert.run(accountId, first, last).changes)));
        if (whole > 0) wholeShifts.write(accountId, inChunks, onWritten);
      };
      if (table === 'shifts' && count + whole > WRITTEN_AT_ONCE) writeMany(accountId, count + whole, write);
      else write();
    },

    async remove(table, accountId) {
      mergedAccountId = accountId;
      const remove = database.prepare(`
        DELETE FROM ${table} WHERE account_id = ?
        AND id IN (SELECT id FROM temp.${table}_to_remove WHERE rowid BETWEEN ? AND ?)`);
      inChunks(countOf(`${table}_to_remove`), (first, last) => remove.run(accountId, first, last));
    },

    async noteImport(accountId) {
      database.prepare(NOTE_IMPORT).run(accountId);
    },
  };

  /** Returns whether it came to its end. */
  async function tryToMerge(work: (transaction: MergeTransaction) => Promise<void>): Promise<boolean> {
    let hasGivenWay = false;
    const isLong = rows > WRITTEN_AT_ONCE;
    const checksReferences = isLong && areForeignKeysOurs(database);
    mergedAccountId = undefined;
    const write = () =>
      writing(database, async () => {
        if (isLong) longWrite = beginLongWrite(path);
        try {
          // Only now can nobody add a table any more.
          if (checksReferences && !areForeignKeysOurs(database)) throw new GaveWay();
          await work(transaction);
          if (checksReferences && mergedAccountId !== undefined) {
            const isWritten = wholeShifts.marked().toWrite > 0;
            checkReferences(database, mergedAccountId, isWritten ? wholeShifts.references : undefined);
          }
        } catch (error) {
          hasGivenWay = error instanceof GaveWay;
          throw error;
        } finally {
          if (!hasGivenWay) longWrite?.end();
        }
        return true;
      });
    try {
      await (checksReferences ? withoutForeignKeys(database, write) : write());
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
    references: wholeShifts.references,

    async add(table, records, positions) {
      const insert = database.prepare(
        `INSERT INTO temp.${table}_given (position, id, is_derived, record) VALUES (?, ?, ?, ?)`,
      );
      const addWhole = table === 'shifts' ? wholeShifts.adding() : undefined;
      let lastId = lastIds.get(table) ?? 0;
      together(database, () => {
        records.forEach((record, i) => {
          // SQLite counts up by itself, from 1 on.
          const position = positions === undefined ? null : (positions[i] as number) + 1;
          const { id = null } = record;
          lastId = id === null || id <= lastId ? Number.POSITIVE_INFINITY : id;
          if (addWhole === undefined || record.kept === undefined) {
            if (table === 'shifts') hasPartialShifts = true;
            insert.run(position, id, record.isDerived ? 1 : null, JSON.stringify(record));
          } else {
            addWhole(position, record as unknown as WholeShift);
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
      if (withoutWholeShifts && !hasPartialShifts) return;
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
              ? (wholeOf(row[3], row, 4 + COLUMN_NAMES[table].length) as StagedRecord<typeof table>)
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

    compareWholeShifts: async (accountId = 0) => wholeShifts.compare(accountId),

    async forget(table) {
      database.exec(`DELETE FROM temp.${table}_to_write; DELETE FROM temp.${table}_to_remove`);
      if (table !== 'shifts') return;
      touchedMonths.clear();
      shiftsToAdd = 0;
      wholeShifts.forget();
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
        if (table === 'shifts' && before === undefined) shiftsToAdd++;
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
      const empty = rows > WRITTEN_AT_ONCE ? 'DROP TABLE' : 'DELETE FROM';
      together(database, () => {
        for (const table of TABLES) {
          for (const kind of ['given', 'to_write', 'to_remove'])
            database.exec(`${empty} temp.${table}_${kind}`);
        }
        database.exec(`${empty} temp.whole_to_write`);
      });
      if (hasMerged) giveBackLog(database, path);
    },
  };
}

const NOTE_IMPORT = `
  INSERT INTO main.imports (account_id, succeeded_at) VALUES (?, CAST(round(unixepoch('subsec') * 1000) AS INTEGER))
  ON CONFLICT (account_id) DO UPDATE SET succeeded_at = excluded.succeeded_at`;

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
