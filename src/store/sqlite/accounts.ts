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
import { reading, writing } from './connection.ts';
import { recordOf } from './record.ts';
import { goFirst } from './right-of-way.ts';

export function accountStore(database: DatabaseSync, path: string): AccountStore {
  return {
    async describeAccount(accountId, today) {
      return reading(database, () => {
        const row = database.prepare(CONTENTS).get({ account: accountId });
        const months = database.prepare(MONTHS).all({ account: accountId, today: today ?? null });
        return {
          revision: Number(row?.revision),
          groups: Number(row?.groups),
          inactiveGroups: Number(row?.inactive_groups),
          locations: Number(row?.locations),
          people: Number(row?.people),
          tokens: Number(row?.tokens),
          shifts: Number(row?.shifts),
          firstDate: row?.first_date as string | null,
          lastDate: row?.last_date as string | null,
          lastImportedAtMs: row?.last_imported_at as number | null,
          months: months.map(({ month, shifts, open, unpublished, unlisted }) => ({
            month: String(month),
            shifts: Number(shifts),
            open: Number(open),
            unpublished: today === undefined ? null : Number(unpublished),
            unlisted: Number(unlisted),
          })),
        };
      });
    },

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
      const reference = REFERENCES[table];
      let removal: Removal | undefined;
      await writing(
        database,
        async () => {
          const key = [accountId, id];
          if (!database.prepare(`SELECT 1 FROM ${table} WHERE account_id = ? AND id = ?`).get(...key))
            return false;
          const ofShifts = `WHERE account_id = ? AND ${reference} = ?`;
          if (table === 'groups') {
            const row = database.prepare(`SELECT count(*) AS shifts FROM shifts ${ofShifts}`).get(...key);
            const shifts = Number(row?.shifts);
            removal = { isRemoved: shifts === 0, shifts };
            if (shifts > 0) return false;
          } else {
            const { changes } = database
              .prepare(`UPDATE shifts SET ${reference} = NULL ${ofShifts}`)
              .run(...key);
            removal = { isRemoved: true, shifts: Number(changes) };
          }
          database.prepare(`DELETE FROM ${table} WHERE account_id = ? AND id = ?`).run(...key);
          return true;
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
