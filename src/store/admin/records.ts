/** Groups, locations and people of an account: what commands need to list them, and to change or remove one of them. */

import { type Database, type Queries, type RecordRow, selectedColumns } from '../database.ts';
import { COLUMN_NAMES, REFERENCES, type RecordOf, type Table } from '../records.ts';
import { recordOf } from '../rows.ts';
import { readReplaced } from '../staging/replaced.ts';
import { forgetReplaced } from './history.ts';

export type ListedTable = Exclude<Table, 'shifts'>;
export type Listed<T extends ListedTable> = RecordOf<T> & { readonly shifts: number };

/** Fields that are left out stay unchanged. */
export type Changes<T extends ListedTable> = Partial<Omit<RecordOf<T>, 'id'>>;

export interface Removal {
  readonly isRemoved: boolean;
  /** How many shifts lost their location or person; for a group, how many shifts it has. */
  readonly shifts: number;
}

export function recordStore(database: Database) {
  const { dialect, all } = database;
  const { main } = dialect;
  return {
    /** Sorted by id, with the number of shifts of each record. */
    async list<T extends ListedTable>(table: T, accountId: number) {
      const rows = await all<RecordRow & { shifts: number }>(
        `SELECT ${selectedColumns(dialect, table)}, (SELECT count(*) FROM ${main}.shifts
          WHERE account_id = record.account_id AND ${referenceTo(table)} = record.id) AS shifts
        FROM ${main}.${table} AS record WHERE account_id = $1 ORDER BY id`,
        [accountId],
      );
      return rows.map((row): Listed<T> => ({ ...recordOf(table, row), shifts: row.shifts }));
    },

    /** Returns the changed record, or undefined when the account has none with that id. */
    change: <T extends ListedTable>(table: T, accountId: number, id: number, changes: Changes<T>) =>
      database.writing((queries) => changeRecord(queries, table, accountId, id, changes)),

    /** Gives the shifts of a record to another one, and removes it. Returns how many; undefined when one is missing. */
    merge: (table: ListedTable, accountId: number, id: number, into: number) =>
      database.writing(
        (queries) => mergeRecords(queries, table, accountId, id, into),
        (shifts) => shifts !== undefined,
      ),

    /**
     * Removes a location or a person; its shifts stay, without it. A group is removed only if it has no shifts. Returns
     * undefined when the account has no record with that id.
     */
    remove: (table: ListedTable, accountId: number, id: number) =>
      database.writing(
        (queries) => removeRecord(queries, table, accountId, id),
        (removal) => removal?.isRemoved ?? false,
      ),

    /** A record that the last import has removed or changed, as it was, if that is kept. */
    findReplaced: <T extends ListedTable>(
      table: T,
      accountId: number,
      isMeant: (record: RecordOf<T>) => boolean,
    ) => database.reading((queries) => findReplaced(queries, table, accountId, isMeant)),

    /** Forgets what imports replaced. The last one cannot be taken back after that. */
    forgetReplaced: (accountId: number) =>
      database.writing(async (queries) => {
        await lockAccount(queries, accountId);
        await forgetReplaced(queries, accountId);
      }),
  };
}

/** The column of a shift that refers to a table. */
function referenceTo(table: ListedTable): string {
  return REFERENCES.find(([, referred]) => referred === table)?.[0] as string;
}

/** Every writer locks the account first. */
async function lockAccount({ dialect: { main, locked }, all }: Queries, accountId: number): Promise<void> {
  await all(locked(`SELECT 1 FROM ${main}.accounts WHERE id = $1`, 'NO KEY UPDATE'), [accountId]);
}

async function changeRecord<T extends ListedTable>(
  queries: Queries,
  table: T,
  accountId: number,
  id: number,
  changes: Changes<T>,
): Promise<RecordOf<T> | undefined> {
  const { dialect, all } = queries;
  await lockAccount(queries, accountId);
  const values = changes as Readonly<Record<string, string | boolean | undefined>>;
  const names = COLUMN_NAMES[table].filter((name) => name !== 'id');
  const [row] = await all(
    `UPDATE ${dialect.main}.${table} SET ${names.map((name, i) => `${name} = coalesce($${i + 3}, ${name})`).join(', ')}
    WHERE account_id = $1 AND id = $2 RETURNING ${selectedColumns(dialect, table)}`,
    [accountId, id, ...names.map((name) => values[name])],
  );
  if (row === undefined) return undefined;
  await forgetReplaced(queries, accountId);
  return recordOf(table, row);
}

async function mergeRecords(
  queries: Queries,
  table: ListedTable,
  accountId: number,
  id: number,
  into: number,
): Promise<number | undefined> {
  const { dialect, all } = queries;
  await lockAccount(queries, accountId);
  const both = await all(`SELECT 1 FROM ${dialect.main}.${table} WHERE account_id = $1 AND id IN ($2, $3)`, [
    accountId,
    id,
    into,
  ]);
  if (both.length < 2) return undefined;
  const moved = await all(
    `UPDATE ${dialect.main}.shifts SET ${referenceTo(table)} = $3
    WHERE account_id = $1 AND ${referenceTo(table)} = $2 RETURNING 1`,
    [accountId, id, into],
  );
  await all(`DELETE FROM ${dialect.main}.${table} WHERE account_id = $1 AND id = $2`, [accountId, id]);
  await forgetReplaced(queries, accountId);
  return moved.length;
}

async function removeRecord(
  queries: Queries,
  table: ListedTable,
  accountId: number,
  id: number,
): Promise<Removal | undefined> {
  const {
    dialect: { main },
    all,
  } = queries;
  await lockAccount(queries, accountId);
  const key = [accountId, id];
  const isRecord = 'WHERE account_id = $1 AND id = $2';
  const [found] = await all(`SELECT 1 FROM ${main}.${table} ${isRecord}`, key);
  if (found === undefined) return undefined;
  const ofShifts = `WHERE account_id = $1 AND ${referenceTo(table)} = $2`;
  const [counted] = await all<{ shifts: number }>(
    `SELECT count(*) AS shifts FROM ${main}.shifts ${ofShifts}`,
    key,
  );
  const shifts = counted?.shifts ?? 0;
  if (table === 'groups' && shifts > 0) return { isRemoved: false, shifts };
  if (shifts > 0) await all(`UPDATE ${main}.shifts SET ${referenceTo(table)} = NULL ${ofShifts}`, key);
  await all(`DELETE FROM ${main}.${table} ${isRecord}`, key);
  await forgetReplaced(queries, accountId);
  return { isRemoved: true, shifts };
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
