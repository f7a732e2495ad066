/**
 * The stage of an import: temporary tables of its connection, which lie in a file of their own and take no lock on the
 * database. Of each table there are three: what the document has, what is to be written, and the ids to be removed.
 */

import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { StoreFailure } from '../failure.ts';
import type { MergeTransaction, Stage } from '../import-store.ts';
import { COLUMN_NAMES, COLUMNS, type RecordOf, type StagedRecord, TABLES, type Table } from '../records.ts';
import { accountTransaction, findAccountVersion } from './account.ts';
import { writing } from './connection.ts';
import { giveBackLog } from './log.ts';
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

  // A connection keeps them for the next import, because making and dropping them takes longer than a small import.
  for (const table of TABLES) {
    database.exec(`
      CREATE TEMP TABLE IF NOT EXISTS ${table}_given (
        position INTEGER PRIMARY KEY, id INTEGER, record TEXT NOT NULL, first_position INTEGER
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
      if (count === 0) return;
      const isLarge = table === 'shifts' && count > WRITTEN_AT_ONCE;
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
    async add(table, records) {
      const insert = database.prepare(`INSERT INTO temp.${table}_given (id, record) VALUES (?, ?)`);
      together(database, () => {
        for (const record of records) insert.run(record.id ?? null, JSON.stringify(record));
      });
      rows += records.length;
    },

    async findRepeated(table) {
      database.exec(`
        UPDATE temp.${table}_given AS given SET first_position = first_one.position
        FROM (SELECT id, min(position) AS position FROM temp.${table}_given GROUP BY id HAVING count(*) > 1) AS first_one
        WHERE given.id = first_one.id AND given.position > first_one.position`);
    },

    findAccount: async (slug) => findAccountVersion(database, slug),

    async *compare(table, accountId = 0) {
      const select = database.prepare(`
        SELECT given.position, given.first_position, given.record, ${COLUMN_NAMES[table].map((name) => `existing.${name}`)}
        FROM temp.${table}_given AS given
        LEFT JOIN main.${table} AS existing ON existing.account_id = ? AND existing.id = given.id
        WHERE given.position > ? ORDER BY given.position LIMIT ${COMPARED_AT_ONCE}`);
      select.setReturnArrays(true);
      for (let last = 0; ; ) {
        giveWayIfAsked();
        const rows = select.all(accountId, last) as unknown as SQLOutputValue[][];
        if (rows.length === 0) return;
        yield rows.map((row) => ({
          position: Number(row[0]) - 1,
          firstPosition: row[1] === null ? undefined : Number(row[1]) - 1,
          given: JSON.parse(String(row[2])) as StagedRecord<typeof table>,
          existing: row[3] === null ? undefined : recordOf(table, row, 3),
        }));
        last += COMPARED_AT_ONCE;
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

    async forget(table) {
      database.exec(`DELETE FROM temp.${table}_to_write; DELETE FROM temp.${table}_to_remove`);
      if (table === 'shifts') touchedMonths.clear();
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

    async keepAbsent(table, accountId = 0) {
      const { changes } = database
        .prepare(
          `INSERT INTO temp.${table}_to_remove SELECT id FROM main.${table}
          WHERE account_id = ? AND id NOT IN (SELECT id FROM temp.${table}_given)`,
        )
        .run(accountId);
      rows += Number(changes);
      return Number(changes);
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
  const select = database.prepare("SELECT sql FROM main.sqlite_master WHERE type = 'trigger' AND name = ?");
  const statements = STAMPING_TRIGGERS.map((name) => String(select.get(name)?.sql));
  for (const name of STAMPING_TRIGGERS) database.exec(`DROP TRIGGER main.${name}`);
  return () => {
    for (const statement of statements) database.exec(statement);
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

function valuesOf<T extends Table>(table: T, record: RecordOf<T>): SQLInputValue[] {
  return COLUMN_NAMES[table].map((name) => {
    const value = record[name];
    return (typeof value === 'boolean' ? Number(value) : value) as SQLInputValue;
  });
}

/** From the values that begin there. */
function recordOf<T extends Table>(table: T, values: readonly SQLOutputValue[], start: number): RecordOf<T> {
  const types: Readonly<Record<string, string>> = COLUMNS[table];
  const record: Record<string, unknown> = {};
  COLUMN_NAMES[table].forEach((name, i) => {
    const value = values[start + i];
    record[name] = types[name] === 'boolean' ? value === 1 : value;
  });
  return record as unknown as RecordOf<T>;
}
