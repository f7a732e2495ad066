/**
 * Imports into SQLite. The stage is temporary tables of the connection, in a separate file that takes no lock on the
 * database. A connection keeps them for the next import, because creating and dropping them takes longer than a small
 * import.
 *
 * The merge is one transaction. A large one is written in parts: between two parts, another writer may ask to go first
 * (see right-of-way.ts). The import then rolls back, lets the other one write, and starts over.
 */

import { statSync, truncateSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { accountTransaction } from '../admin/accounts.ts';
import type { Transaction } from '../database.ts';
import { StoreFailure } from '../failure.ts';
import type { StageDatabase } from '../staging/comparison.ts';
import { type ImportStore, Stage } from '../staging/stage.ts';
import { BUSY_TIMEOUT_MS, KEPT_LOG_BYTES, writing } from './connection.ts';
import { bound, prepare, transactionOn } from './database.ts';
import { beginLongWrite, type LongWrite } from './right-of-way.ts';

/** SQLite's code for a row that breaks a foreign key. */
const FOREIGN_KEY_BROKEN = 787;

export function importStore(database: DatabaseSync, path: string): ImportStore {
  return {
    async stage(work) {
      const transaction = transactionOn(database);
      const merging = mergeInParts(database, path, transaction);
      let stagedRows = 0;
      const tables: StageDatabase = {
        ...transaction,
        async make(name, columns) {
          database.exec(`CREATE TEMP TABLE IF NOT EXISTS ${name} (${columns}); DELETE FROM temp.${name}`);
        },
        async insert(table, columns, rows) {
          const insert = database.prepare(
            `INSERT INTO temp.${table}_given (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
          );
          together(database, () => {
            for (const row of rows) insert.run(...row);
          });
          stagedRows += rows.length;
        },
        async indexIds(table) {
          database.exec(`CREATE INDEX IF NOT EXISTS temp.${table}_given_by_id ON ${table}_given (id)`);
        },
        // Not needed: the statements leave SQLite's planner no choice.
        analyze: async () => undefined,
        async run(statement, values) {
          merging.giveWayIfAsked();
          return Number(prepare(database, statement).run(...bound(values)).changes);
        },
        runInParts: async (statement, lastRow) => merging.runInParts(statement, lastRow),
        async insertInParts(statement, { table, accountId }, lastRow, onProgress) {
          const count = database.prepare(`SELECT count(*) AS rows FROM main.${table} WHERE account_id = ?`);
          const rows = () => Number(count.get(accountId)?.rows);
          // Nobody else writes meanwhile.
          const before = rows();
          const written = merging.runInParts(statement, lastRow, onProgress);
          const added = rows() - before;
          return { added, changed: written - added };
        },
        isReferenceMissing: (error) => (error as { errcode?: number }).errcode === FOREIGN_KEY_BROKEN,
        merge: merging.merge,
      };
      let isDone = false;
      try {
        const result = await work(new Stage(tables));
        isDone = true;
        return result;
      } finally {
        emptyTables(database, stagedRows);
        if (merging.hasBegun()) giveBackLog(database, path, isDone);
      }
    },
  };
}

/** With more rows, dropping a temporary table is faster than emptying it, and frees its space. */
const FEW_ROWS = 5_000;

function emptyTables(database: DatabaseSync, stagedRows: number): void {
  const tables = database.prepare("SELECT name FROM temp.sqlite_schema WHERE type = 'table'").all();
  const empty = stagedRows > FEW_ROWS ? 'DROP TABLE' : 'DELETE FROM';
  together(database, () => {
    for (const { name } of tables) database.exec(`${empty} temp.${name}`);
  });
}

/**
 * Runs `work` in one transaction, unless there is one already. One transaction per row would take longer than the row
 * itself.
 */
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

/** How many rows are written at a time. */
const WRITTEN_AT_ONCE = 5_000;
/** Giving way throws away what was written so far, so the pauses in between grow each time. */
const MAX_TIMES_GIVEN_WAY = 20;
const PAUSE_STEP_MS = 250;

function mergeInParts(database: DatabaseSync, path: string, transaction: Transaction) {
  let longWrite: LongWrite | undefined;
  let hasBegun = false;

  /** Call it before each statement of the merge that may take long. */
  function giveWayIfAsked(): void {
    if (longWrite?.isAskedForWay()) throw new GaveWay();
  }

  /** Returns whether the merge was completed. */
  async function tryToMerge(work: Parameters<StageDatabase['merge']>[0], isLong: boolean): Promise<boolean> {
    try {
      await writing(database, async () => {
        if (isLong) longWrite = beginLongWrite(path);
        try {
          await work(accountTransaction(transaction));
        } catch (error) {
          if (!(error instanceof GaveWay)) longWrite?.end();
          throw error;
        }
        longWrite?.end();
      });
      return true;
    } catch (error) {
      if (!(error instanceof GaveWay)) throw error;
      longWrite?.letPass();
      return false;
    } finally {
      longWrite = undefined;
    }
  }

  return {
    giveWayIfAsked,
    hasBegun: () => hasBegun,
    runInParts(statement: string, lastRow: number, onProgress?: (done: number) => void): number {
      const prepared = prepare(database, statement);
      let done = 0;
      for (let first = 0; first <= lastRow; first += WRITTEN_AT_ONCE) {
        giveWayIfAsked();
        done += Number(prepared.run(first, first + WRITTEN_AT_ONCE - 1).changes);
        onProgress?.(done);
      }
      return done;
    },
    merge: (async (work, rows) => {
      hasBegun = true;
      for (let times = 0; times < MAX_TIMES_GIVEN_WAY; times++) {
        if (times > 0) await delay(times * PAUSE_STEP_MS);
        if (await tryToMerge(work, rows > WRITTEN_AT_ONCE)) return;
      }
      const sentence = `The database ${path} was wanted by other commands all the time: nothing was imported, try again later.`;
      throw new StoreFailure('busy', sentence);
    }) satisfies StageDatabase['merge'],
  };
}

/** Another writer asked to go first. */
class GaveWay extends Error {}

/** While SQLite waits for readers in order to empty the log, nobody can write, so each wait is short. */
const LOG_WAIT_MS = 50;
const LOG_TRIES = 20;

/**
 * Shrinks the write-ahead log after a large write, even one that was rolled back. SQLite does not shrink it while
 * anybody has the database open.
 */
function giveBackLog(database: DatabaseSync, path: string, isDone: boolean): void {
  const log = `${path}-wal`;
  const bytes = () => statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  database.exec(`PRAGMA busy_timeout = ${LOG_WAIT_MS}`);
  try {
    if (!isDone) cutLog(database, path, log, bytes());
    if (bytes() <= KEPT_LOG_BYTES) return;
    // Copies most of the log without blocking writers.
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    const empty = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
    for (let tries = 0; tries < LOG_TRIES; tries++) if (empty.get()?.busy === 0) return;
  } catch {
    // The data is safe in the log, even when others write to it, or the disk is too full to copy it.
  } finally {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * Cuts off what a merge that was rolled back has left behind the last commit. SQLite would cut it only after copying all
 * before it, for which there is no room on a disk that the merge has filled.
 */
function cutLog(database: DatabaseSync, path: string, log: string, bytes: number): void {
  // Nobody may append to it meanwhile.
  database.exec('BEGIN IMMEDIATE');
  try {
    using other = new DatabaseSync(path);
    const frames = Number(other.prepare('PRAGMA wal_checkpoint(NOOP)').get()?.log);
    const pageBytes = Number(other.prepare('PRAGMA page_size').get()?.page_size);
    const used = LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + pageBytes);
    if (frames >= 0 && used < bytes) truncateSync(log, used);
  } finally {
    database.exec('ROLLBACK');
  }
}
