/** A database to import into, and ways to look at what came of it. */

import assert from 'node:assert/strict';
import { type ChangeTeller, type ImportSummary, importParts } from '../../src/import/import.ts';
import type { SheetTask } from '../../src/import/options.ts';
import {
  describeProblem,
  type ImportProblem,
  ImportProblems,
  type ProblemTeller,
} from '../../src/import/problems.ts';
import type { Account } from '../../src/store/account.ts';
import { openStore } from '../../src/store/open.ts';
import type { DateRange, RecordOf, Table } from '../../src/store/records.ts';
import type { ImportStore } from '../../src/store/staging/stage.ts';
import { type Cleanup, type DatabaseKind, newStoreUrl } from '../support/database.ts';
import { readSheetText, readText } from './reading.ts';

/** The least that a new shift needs. */
export const BARE_SHIFT = {
  id: 1,
  date: '2026-12-01',
  start_time: '09:00',
  end_time: '17:00',
  group_id: 1,
  publish_date: '2026-11-01',
};

interface Options {
  readonly replace?: boolean;
  readonly replaceShifts?: DateRange;
  readonly replaceDays?: boolean;
  readonly refuseRemovals?: boolean;
  readonly refuseEmpty?: boolean;
  readonly dryRun?: boolean;
  readonly onChanges?: ChangeTeller;
  readonly onProblems?: ProblemTeller;
}

export async function importer(context: Cleanup, database: DatabaseKind = 'sqlite') {
  const url = await newStoreUrl(context, database);
  const store = await openStore(url, { missing: 'create' });
  context.after(() => store.close());

  const importText = async (json: string, options: Options = {}): Promise<ImportSummary> =>
    importParts(store, await readText(json), { replace: false, dryRun: false, ...options });

  const run = (document: object, options?: Options): Promise<ImportSummary> =>
    importText(JSON.stringify(document), options);

  const importSheet = async (
    text: string | Buffer,
    options: Options & Partial<SheetTask> = {},
  ): Promise<ImportSummary> =>
    importParts(store, await readSheetText(text, options), { replace: false, dryRun: false, ...options });

  /** The lines that a user is shown. */
  async function sheetProblems(
    text: string | Buffer,
    options?: Options & Partial<SheetTask>,
  ): Promise<readonly string[]> {
    try {
      await importSheet(text, options);
    } catch (error) {
      if (error instanceof ImportProblems) return error.problems.map(describeProblem);
      throw error;
    }
    return [];
  }

  /** What the database has in a table. */
  async function records<T extends Table>(table: T, slug?: string): Promise<RecordOf<T>[]> {
    const { id } = await account(slug);
    return store.stage(async (stage) => (await Array.fromAsync(stage.records(table, id))).flat());
  }

  async function problems(document: object | string, options?: Options): Promise<readonly ImportProblem[]> {
    try {
      await importText(typeof document === 'string' ? document : JSON.stringify(document), options);
    } catch (error) {
      if (error instanceof ImportProblems) return error.problems;
      throw error;
    }
    return [];
  }

  async function account(slug = 'acme'): Promise<Account> {
    const found = await store.findAccount(slug);
    assert.ok(found, `there is no account ${slug}`);
    return found;
  }

  async function record<T extends Table>(table: T, id: number): Promise<RecordOf<T>> {
    const found = await findRecord(store, table, (await account()).id, id);
    assert.ok(found, `there is no ${id} in ${table}`);
    return found;
  }

  const contents = async (slug?: string) => store.describeAccount((await account(slug)).id);

  /** The same without the time of the last import, which moves even when nothing else does. */
  async function plan(slug?: string): Promise<object> {
    const { lastImportedAtMs: _, ...others } = await contents(slug);
    return others;
  }

  return {
    url,
    store,
    run,
    importText,
    importSheet,
    sheetProblems,
    problems,
    account,
    record,
    records,
    contents,
    plan,
  };
}

/** A record as the database has it. */
export async function findRecord<T extends Table>(
  store: ImportStore,
  table: T,
  accountId: number,
  id: number,
): Promise<RecordOf<T> | undefined> {
  return store.stage(async (stage) => {
    const all = await Array.fromAsync(stage.records(table, accountId));
    return all.flat().find((record) => record.id === id);
  });
}
