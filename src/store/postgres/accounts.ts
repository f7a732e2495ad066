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
import type { Connection } from './connection.ts';

export function accountStore(connection: Connection): AccountStore {
  return {
    async accounts() {
      const rows = await connection.ask<AccountRow>({
        text: `SELECT ${ACCOUNT_COLUMNS} FROM shiftfeed.accounts ORDER BY slug COLLATE "C"`,
      });
      return rows.map(accountOf);
    },

    async findAccount(slug) {
      const [row] = await connection.ask<AccountRow>({
        text: `SELECT ${ACCOUNT_COLUMNS} FROM shiftfeed.accounts WHERE slug = $1`,
        values: [slug],
      });
      return row && accountOf(row);
    },

    describeAccount: (accountId, today) =>
      connection.reading(async (ask) => {
        const [row] = await ask<ContentsRow>({ text: CONTENTS, values: [accountId] });
        const months = await ask<MonthContentsRow>({ text: MONTHS, values: [accountId, today ?? null] });
        return contentsOf(row as ContentsRow, months, today);
      }),

    async renameAccount(accountId, slug) {
      await connection.ask({
        text: 'UPDATE shiftfeed.accounts SET slug = $2 WHERE id = $1',
        values: [accountId, slug],
      });
    },

    removeAccount: (accountId) =>
      connection.writing(async (client) => {
        // Like every other writer, it locks the account first.
        await client.query('SELECT FROM shiftfeed.accounts WHERE id = $1 FOR UPDATE', [accountId]);
        // Referring records go first. Everything else is deleted with the account.
        for (const table of TABLES.toReversed())
          await client.query(`DELETE FROM shiftfeed.${table} WHERE account_id = $1`, [accountId]);
        await client.query('DELETE FROM shiftfeed.accounts WHERE id = $1', [accountId]);
        return true;
      }),
  };
}

const CONTENTS = `
  SELECT revision,
    (SELECT count(*) FROM shiftfeed.groups WHERE account_id = $1) AS groups,
    (SELECT count(*) FROM shiftfeed.groups WHERE account_id = $1 AND NOT active) AS inactive_groups,
    (SELECT count(*) FROM shiftfeed.locations WHERE account_id = $1) AS locations,
    (SELECT count(*) FROM shiftfeed.people WHERE account_id = $1) AS people,
    (SELECT count(*) FROM shiftfeed.tokens WHERE account_id = $1) AS tokens,
    (SELECT count(*) FROM shiftfeed.shifts WHERE account_id = $1) AS shifts,
    (SELECT min(date)::text FROM shiftfeed.shifts WHERE account_id = $1) AS first_date,
    (SELECT max(date)::text FROM shiftfeed.shifts WHERE account_id = $1) AS last_date,
    (SELECT succeeded_at FROM shiftfeed.imports WHERE account_id = $1) AS last_imported_at
  FROM shiftfeed.accounts WHERE id = $1`;

const MONTHS = `
  SELECT to_char(date, 'YYYY-MM') AS month, count(*) AS shifts,
    count(*) FILTER (WHERE person_id IS NULL) AS open,
    count(*) FILTER (WHERE publish_date > $2::date) AS unpublished,
    count(*) FILTER (WHERE groups.id IS NULL) AS unlisted
  FROM shiftfeed.shifts
  LEFT JOIN shiftfeed.groups ON groups.account_id = shifts.account_id AND groups.id = group_id AND groups.active
  WHERE shifts.account_id = $1 GROUP BY 1 ORDER BY 1`;
