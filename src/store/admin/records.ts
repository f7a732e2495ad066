/** Groups, locations and people of an account: what commands need to list them, and to change or remove one of them. */

import { setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Database, type Queries, type RecordRow, selectedColumns } from '../database.ts';
import { COLUMN_NAMES, REFERENCES, type RecordOf, type Table } from '../records.ts';
import { recordOf } from '../rows.ts';
import { readReplaced } from '../staging/replaced.ts';
import { forgetAnswers } from './desk.ts';
import { forgetReplaced } from './history.ts';

export type ListedTable = Exclude<Table, 'shifts'>;
export type Listed<T extends ListedTable> = RecordOf<T> & { readonly shifts: number };

/** Fields that are left out stay unchanged. */
export type Changes<T extends ListedTable> = Partial<Omit<RecordOf<T>, 'id'>>;

export interface Named {
  readonly id: number;
  readonly name: string;
}

interface Removal {
  readonly isRemoved: boolean;
  /** How many shifts lost their location or person; for a group, how many shifts it has. */
  readonly shifts: number;
}

/** How many records are in a slice, and how many shifts of each are counted there. */
const RECORDS_IN_A_SLICE = 1_000;
const COUNTED_IN_A_SLICE = 1_000;

export function recordStore(database: Database) {
  return { ...recordLists(database), ...recordChanges(database) };
}

function recordLists(database: Database) {
  return {
    /** Sorted by id, with the number of shifts of each record. */
    list: <T extends ListedTable>(table: T, accountId: number) => list(database, table, accountId),

    /**
     * Those after an id, few enough for a process that serves others meanwhile. Of many shifts only some are counted. `next`
     * is where to go on if there may be more.
     */
    async slice<T extends ListedTable>(table: T, accountId: number, after: number) {
      const records = await list(database, table, accountId, after);
      const next = records.length < RECORDS_IN_A_SLICE ? undefined : records.at(-1)?.id;
      return { records, next };
    },

    /** All names of a table with their ids, some at a time. */
    names: (table: ListedTable, accountId: number) => namesOf(database, table, accountId),

    /** A record that the last import has removed or changed, as it was, if that is kept. */
    findReplaced: <T extends ListedTable>(
      table: T,
      accountId: number,
      isMeant: (record: RecordOf<T>) => boolean,
    ) => database.reading((queries) => findReplaced(queries, table, accountId, isMeant)),

    /** Forgets what imports replaced, and a person of this name. The last import cannot be taken back after that. */
    forgetReplaced: (accountId: number, name: string) =>
      database.writing(async (queries) => {
        await lockAccount(queries, accountId);
        await forgetNamed(queries, 'people', accountId, name);
      }),
  };
}

function recordChanges(database: Database) {
  const { main } = database.dialect;
  /** Finds a record under the lock of its account. `forget` forgets what else has its old name. */
  const withRecord = <T extends ListedTable, R>(
    table: T,
    accountId: number,
    id: number,
    work: (queries: Queries, forget: () => Promise<void>, found: RecordOf<T>) => Promise<R | undefined>,
  ) =>
    database.writing(async (queries) => {
      await lockAccount(queries, accountId);
      const found = await findRecord(queries, table, accountId, id);
      return found && work(queries, () => forgetNamed(queries, table, accountId, found.name), found);
    });

  return {
    /**
     * Returns the changed record, or undefined when the account has none with that id. `check` gets all names, under the
     * lock of the account; if it throws, nothing is changed.
     */
    change: <T extends ListedTable>(
      table: T,
      accountId: number,
      id: number,
      changes: Changes<T>,
      check?: (names: AsyncIterable<readonly Named[]>) => Promise<void>,
    ) =>
      withRecord(table, accountId, id, async (queries, forget, before) => {
        await check?.(namesOf(queries, table, accountId));
        const { dialect, all } = queries;
        const values = changes as Readonly<Record<string, string | boolean | undefined>>;
        const names = COLUMN_NAMES[table].filter((name) => name !== 'id');
        const [row] = await all(
          `UPDATE ${main}.${table} SET ${names.map((name, i) => `${name} = coalesce($${i + 3}, ${name})`).join(', ')}
          WHERE account_id = $1 AND id = $2 RETURNING ${selectedColumns(dialect, table)}`,
          [accountId, id, ...names.map((name) => values[name])],
        );
        const record = row && recordOf(table, row);
        if (!isDeepStrictEqual(record, before)) await forget();
        return record;
      }),

    /** Gives the shifts of a record to another one, and removes it. Returns how many; undefined when one is missing. */
    merge: (table: ListedTable, accountId: number, id: number, into: number) =>
      withRecord(table, accountId, id, async (queries, forget) => {
        const other = await findRecord(queries, table, accountId, into);
        if (other === undefined || id === into) return undefined;
        const moved = await queries.all(
          `UPDATE ${main}.shifts SET ${referenceTo(table)} = $3
          WHERE account_id = $1 AND ${referenceTo(table)} = $2 RETURNING 1`,
          [accountId, id, into],
        );
        await removeAlone(queries, table, accountId, id);
        await forget();
        return moved.length;
      }),

    /**
     * Removes a location or a person; its shifts stay, without it. A group is removed only if it has no shifts. Returns
     * undefined when the account has no record with that id.
     *
     * Shifts lose it some at a time, and it goes with the last of them. So whoever finds it gone finds it nowhere, and if
     * this is interrupted, it is still there and can be removed again.
     */
    async remove(table: ListedTable, accountId: number, id: number): Promise<Removal | undefined> {
      for (let before = 0; ; await turn()) {
        const removal = await withRecord(table, accountId, id, async (queries, forget) => {
          const removal = await freeRecord(queries, table, accountId, id);
          if (!removal.isRemoved) return removal;
          await removeAlone(queries, table, accountId, id);
          await forget();
          return removal;
        });
        if (removal === undefined) return before === 0 ? undefined : { isRemoved: true, shifts: before };
        before += removal.shifts;
        if (removal.isRemoved || table === 'groups') return { ...removal, shifts: before };
      }
    },
  };
}

async function list<T extends ListedTable>(
  { dialect, all }: Queries,
  table: T,
  accountId: number,
  after?: number,
) {
  const { main } = dialect;
  const [counted, limit] =
    after === undefined ? ['', ''] : [COUNTED_IN_A_SLICE, RECORDS_IN_A_SLICE].map((n) => `LIMIT ${n}`);
  const rows = await all<RecordRow & { shifts: number }>(
    `SELECT ${selectedColumns(dialect, table)}, (SELECT count(*) FROM (SELECT 1 FROM ${main}.shifts
      WHERE account_id = record.account_id AND ${referenceTo(table)} = record.id ${counted}) AS own) AS shifts
    FROM ${main}.${table} AS record WHERE account_id = $1 AND id > $2 ORDER BY id ${limit}`,
    [accountId, after ?? 0],
  );
  return rows.map((row): Listed<T> => ({ ...recordOf(table, row), shifts: row.shifts }));
}

async function* namesOf({ dialect: { main }, all }: Queries, table: ListedTable, accountId: number) {
  const query = `SELECT id, name FROM ${main}.${table} WHERE account_id = $1 AND id > $2
    ORDER BY id LIMIT ${RECORDS_IN_A_SLICE}`;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const some: readonly Named[] = await all<Named>(query, [accountId, after]);
    yield some;
    after = some.at(-1)?.id;
    // There may be many, and the desk serves others meanwhile.
    await turn();
  }
}

/** The column of a shift that refers to a table. */
function referenceTo(table: ListedTable): string {
  return REFERENCES.find(([, referred]) => referred === table)?.[0] as string;
}

/** Every writer locks the account first. */
async function lockAccount({ dialect: { main, locked }, all }: Queries, accountId: number): Promise<void> {
  await all(locked(`SELECT 1 FROM ${main}.accounts WHERE id = $1`, 'NO KEY UPDATE'), [accountId]);
}

/** Forgets what else has the old name of a record. */
async function forgetNamed(queries: Queries, table: ListedTable, accountId: number, name: string) {
  if (table === 'people') await forgetAnswers(queries, accountId, name);
  await forgetReplaced(queries, accountId);
}

async function findRecord<T extends ListedTable>(
  { dialect, all }: Queries,
  table: T,
  accountId: number,
  id: number,
): Promise<RecordOf<T> | undefined> {
  const columns = selectedColumns(dialect, table);
  const query = `SELECT ${columns} FROM ${dialect.main}.${table} WHERE account_id = $1 AND id = $2`;
  const [row] = await all(query, [accountId, id]);
  return row && recordOf(table, row);
}

async function removeAlone({ dialect, all }: Queries, table: ListedTable, accountId: number, id: number) {
  await all(`DELETE FROM ${dialect.main}.${table} WHERE account_id = $1 AND id = $2`, [accountId, id]);
}

/** How many shifts lose their location or person in one transaction. */
const REMOVED_AT_ONCE = 200;

/** Takes a record from its shifts. Unless none is left that has it, `isRemoved` is false. */
async function freeRecord(
  { dialect: { main }, all }: Queries,
  table: ListedTable,
  accountId: number,
  id: number,
): Promise<Removal> {
  const ofShifts = `FROM ${main}.shifts WHERE account_id = $1 AND ${referenceTo(table)} = $2`;
  if (table === 'groups') {
    const [counted] = await all<{ shifts: number }>(`SELECT count(*) AS shifts ${ofShifts}`, [accountId, id]);
    const shifts = counted?.shifts ?? 0;
    return { isRemoved: shifts === 0, shifts };
  }
  // By date and id, because SQLite would look for ids alone among all shifts.
  const { length: shifts } = await all(
    `UPDATE ${main}.shifts SET ${referenceTo(table)} = NULL WHERE account_id = $1
    AND (date, id) IN (SELECT date, id ${ofShifts} LIMIT ${REMOVED_AT_ONCE}) RETURNING 1`,
    [accountId, id],
  );
  return { isRemoved: shifts < REMOVED_AT_ONCE, shifts };
}

async function findReplaced<T extends ListedTable>(
  queries: Queries,
  table: T,
  accountId: number,
  isMeant: (record: RecordOf<T>) => boolean,
): Promise<RecordOf<T> | undefined> {
  const { main } = queries.dialect;
  const entries = await queries.all<{ id: number }>(
    `SELECT id FROM ${main}.import_history WHERE account_id = $1
    AND EXISTS (SELECT 1 FROM ${main}.replaced_records WHERE entry_id = import_history.id)`,
    [accountId],
  );
  for (const { id } of entries) {
    for await (const replaced of readReplaced(queries, id)) {
      if (!('records' in replaced) || replaced.table !== table) continue;
      const found = (replaced.records as RecordOf<T>[]).find(isMeant);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
