import type { DatabaseSync } from 'node:sqlite';
import type { AccountStore } from '../account-store.ts';
import { TABLES } from '../records.ts';
import {
  ACCOUNT_COLUMNS,
  type AccountRow,
  accountOf,
  type ContentsRow,
  contentsOf,
  type MonthContentsRow,
} from '../rows.ts';
import { findAccount } from './account.ts';
import { reading, writing } from './connection.ts';
import { goFirst } from './right-of-way.ts';

export function accountStore(database: DatabaseSync, path: string): AccountStore {
  return {
    async accounts() {
      return database
        .prepare(`SELECT ${ACCOUNT_COLUMNS} FROM accounts ORDER BY slug`)
        .all()
        .map((row) => accountOf(row as unknown as AccountRow));
    },

    findAccount: async (slug) => findAccount(database, slug),

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

    async renameAccount(accountId, slug) {
      const update = database.prepare('UPDATE accounts SET slug = ? WHERE id = ?');
      goFirst(database, path, () => update.run(slug, accountId));
    },

    removeAccount: (accountId) =>
      writing(
        database,
        async () => {
          // Referring records go first. Everything else is deleted with the account.
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
