import type { DatabaseSync } from 'node:sqlite';
import {
  type AccountStore,
  type Changes,
  type ListedTable,
  REFERENCES,
  type Removal,
  valuesByColumn,
} from '../account-store.ts';
import { TABLES } from '../records.ts';
import { type ContentsRow, contentsOf, type MonthContentsRow } from '../rows.ts';
import { reading, writing } from './connection.ts';
import { recordOf } from './record.ts';
import { goFirst } from './right-of-way.ts';

export function accountStore(database: DatabaseSync, path: string): AccountStore {
  return {
    describeAccount: async (accountId, today) =>
      reading(database, () => {
        const row = database.prepare(CONTENTS).get({ account: accountId });
        const months = database.prepare(MONTHS).all({ account: accountId, today: today ?? null });
        return contentsOf(
          row as unknown as ContentsRow,
          months as unknown as readonly MonthContentsRow[],
          today,
        );
      }),

    async list(table, accountId) {
      const select = database.prepare(`
        SELECT *, (SELECT count(*) FROM shifts WHERE account_id = record.account_id AND ${REFERENCES[table]} = record.id) AS shifts
        FROM ${table} AS record WHERE account_id = ? ORDER BY id`);
      return select.all(accountId).map((row) => ({ ...recordOf(table, row), shifts: Number(row.shifts) }));
    },

    async change<T extends ListedTable>(table: T, accountId: number, id: number, changes: Changes<T>) {
      const columns = valuesByColumn(table, changes);
      const update = database.prepare(`
        UPDATE ${table} SET ${columns.map(([name]) => `${name} = coalesce(?, ${name})`).join(', ')}
        WHERE account_id = ? AND id = ? RETURNING *`);
      const values = columns.map(([, value]) =>
        typeof value === 'boolean' ? Number(value) : (value ?? null),
      );
      const row = goFirst(database, path, () => update.get(...values, accountId, id));
      return row && recordOf(table, row);
    },

    async remove(table, accountId, id) {
      let removal: Removal | undefined;
      await writing(
        database,
        async () => {
          removal = removeRecord(database, table, [accountId, id]);
          return removal?.isRemoved ?? false;
        },
        () => goFirst(database, path, () => database.exec('BEGIN IMMEDIATE')),
      );
      return removal;
    },

    async renameAccount(accountId, slug) {
      const update = database.prepare('UPDATE accounts SET slug = ? WHERE id = ?');
      goFirst(database, path, () => update.run(slug, accountId));
    },

    removeAccount: (accountId) =>
      writing(
        database,
        async () => {
          // What refers to others goes first. The rest goes with the account.
          for (const table of TABLES.toReversed())
            database.prepare(`DELETE FROM ${table} WHERE account_id = ?`).run(accountId);
          database.prepare('DELETE FROM accounts WHERE id = ?').run(accountId);
          return true;
        },
        () => goFirst(database, path, () => database.exec('BEGIN IMMEDIATE')),
      ),
  };
}

function removeRecord(
  database: DatabaseSync,
  table: ListedTable,
  key: readonly [accountId: number, id: number],
): Removal | undefined {
  const isRecord = 'WHERE account_id = ? AND id = ?';
  if (database.prepare(`SELECT 1 FROM ${table} ${isRecord}`).get(...key) === undefined) return undefined;
  const ofShifts = `WHERE account_id = ? AND ${REFERENCES[table]} = ?`;
  if (table === 'groups') {
    const row = database.prepare(`SELECT count(*) AS shifts FROM shifts ${ofShifts}`).get(...key);
    if (Number(row?.shifts) > 0) return { isRemoved: false, shifts: Number(row?.shifts) };
  }
  const shifts =
    table === 'groups'
      ? 0
      : database.prepare(`UPDATE shifts SET ${REFERENCES[table]} = NULL ${ofShifts}`).run(...key).changes;
  database.prepare(`DELETE FROM ${table} ${isRecord}`).run(...key);
  return { isRemoved: true, shifts: Number(shifts) };
}

const CONTENTS = `
  SELECT revision,
    (SELECT count(*) FROM groups WHERE account_id = :account) AS groups,
    (SELECT count(*) FROM groups WHERE account_id = :account AND NOT active) AS inactive_groups,
    (SELECT count(*) FROM locations WHERE account_id = :account) AS locations,
    (SELECT count(*) FROM people WHERE account_id = :account) AS people,
    (SELECT count(*) FROM tokens WHERE account_id = :account) AS tokens,
    (SELECT count(*) FROM shifts WHERE account_id = :account) AS shifts,
    (SELECT min(date) FROM shifts WHERE account_id = :account) AS first_date,
    (SELECT max(date) FROM shifts WHERE account_id = :account) AS last_date,
    (SELECT succeeded_at FROM imports WHERE account_id = :account) AS last_imported_at
  FROM accounts WHERE id = :account`;

const MONTHS = `
  SELECT substr(date, 1, 7) AS month, count(*) AS shifts,
    count(*) FILTER (WHERE person_id IS NULL) AS open,
    count(*) FILTER (WHERE publish_date > :today) AS unpublished,
    count(*) FILTER (WHERE group_id NOT IN (SELECT id FROM groups WHERE account_id = :account AND active)) AS unlisted
  FROM shifts WHERE account_id = :account GROUP BY 1 ORDER BY 1`;
