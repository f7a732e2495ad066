/**
 * Writes an import in one transaction. A large one is written in parts: between two parts, another writer may ask to go
 * first (see right-of-way.ts). The import then rolls back, lets the other one write, and starts over.
 */

import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { StoreFailure } from '../failure.ts';
import type { AccountTransaction } from '../import-store.ts';
import { accountTransaction } from './account.ts';
import { writing } from './connection.ts';
import { beginLongWrite, type LongWrite } from './right-of-way.ts';

/** How many rows are written at a time. */
const WRITTEN_AT_ONCE = 5_000;
/** Giving way throws away what was written so far, so the pauses in between grow each time. */
const MAX_TIMES_GIVEN_WAY = 20;
const PAUSE_STEP_MS = 250;

type Work = (transaction: AccountTransaction) => Promise<void>;

export class MergeInParts {
  readonly #database: DatabaseSync;
  readonly #path: string;
  #longWrite: LongWrite | undefined;
  #hasBegun = false;

  constructor(database: DatabaseSync, path: string) {
    this.#database = database;
    this.#path = path;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  async merge(work: Work, rows: number): Promise<void> {
    this.#hasBegun = true;
    const isLong = rows > WRITTEN_AT_ONCE;
    for (let times = 0; times < MAX_TIMES_GIVEN_WAY; times++) {
      if (times > 0) await delay(times * PAUSE_STEP_MS);
      if (await this.#tryToMerge(work, isLong)) return;
    }
    throw new StoreFailure(
      'busy',
      `The database ${this.#path} was wanted by other commands all the time: nothing was imported, try again later.`,
    );
  }

  /** Call it before each statement of the merge that may take long. */
  giveWayIfAsked(): void {
    if (this.#longWrite?.isAskedForWay()) throw new GaveWay();
  }

  runInParts(statement: string, lastRow: number, onProgress?: (done: number) => void): void {
    const prepared = this.#database.prepare(statement);
    let done = 0;
    for (let first = 0; first <= lastRow; first += WRITTEN_AT_ONCE) {
      this.giveWayIfAsked();
      done += Number(prepared.run(first, first + WRITTEN_AT_ONCE - 1).changes);
      onProgress?.(done);
    }
  }

  /** Returns whether the merge was completed. */
  async #tryToMerge(work: Work, isLong: boolean): Promise<boolean> {
    let hasGivenWay = false;
    try {
      await writing(this.#database, async () => {
        if (isLong) this.#longWrite = beginLongWrite(this.#path);
        try {
          await work(accountTransaction(this.#database));
        } catch (error) {
          hasGivenWay = error instanceof GaveWay;
          throw error;
        } finally {
          if (!hasGivenWay) this.#longWrite?.end();
        }
        return true;
      });
      return true;
    } catch (error) {
      if (!hasGivenWay) throw error;
      this.#longWrite?.letPass();
      return false;
    } finally {
      this.#longWrite = undefined;
    }
  }
}

/** Another writer asked to go first. */
class GaveWay extends Error {}
