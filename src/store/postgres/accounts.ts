import {
  type AccountStore,
  type Changes,
  type Listed,
  type ListedTable,
  REFERENCES,
  type Removal,
  valuesByColumn,
} from '../account-store.ts';
import { TABLES } from '../records.ts';
import type { Connection } from './connection.ts';
import { recordOf, selectedColumns } from './record.ts';

export function accountStore(connection: Connection): AccountStore {
  return {
    describeAccount(accountId, today) {
      return connection.reading(async (ask) => {
        const [row] = await ask<ContentsRow>({ text: CONTENTS, values: [accountId] });
        const months = await ask<MonthRow>({ text: MONTHS, values: [accountId, today ?? null] });
        const {
          revision,
          groups,
          inactive_groups,
          locations,
          people,
          tokens,
          shifts,
          first_date,
          last_date,
          last_imported_at,
        } = row as ContentsRow;
        return {
          revision: Number(revision),
          groups: Number(groups),
          inactiveGroups: Number(inactive_groups),
          locations: Number(locations),
          people: Number(people),
          tokens: Number(tokens),
          shifts: Number(shifts),
          firstDate: first_date,
          lastDate: last_date,
          lastImportedAtMs: last_imported_at === null ? null : Number(last_imported_at),
          months: months.map(({ month, shifts, open, unpublished, unlisted }) => ({
            month,
            shifts: Number(shifts),
            open: Number(open),
            unpublished: today === undefined ? null : Number(unpublished),
            unlisted: Number(unlisted),
          })),
        };
      });
    },

    async list<T extends ListedTable>(table: T, accountId: number) {
      const rows = await connection.ask<Record<string, unknown>>({
        text: `SELECT ${selectedColumns(table, 'record')},
            (SELECT count(*) FROM shiftfeed.shifts WHERE account_id = record.account_id AND ${REFERENCES[table]} = record.id) AS shifts
          FROM shiftfeed.${table} AS record WHERE account_id = $1 ORDER BY id`,
        values: [accountId],
      });
      return rows.map((row): Listed<T> => ({ ...recordOf(table, row), shifts: Number(row.shifts) }));
    },

    async change<T extends ListedTable>(table: T, accountId: number, id: number, changes: Changes<T>) {
      const columns = valuesByColumn(table, changes);
      const [row] = await connection.ask<Record<string, unknown>>({
        text: `UPDATE shiftfeed.${table}
          SET ${columns.map(([name], i) => `${name} = coalesce($${i + 3}, ${name})`).join(', ')}
          WHERE account_id = $1 AND id = $2 RETURNING ${selectedColumns(table)}`,
        values: [accountId, id, ...columns.map(([, value]) => value)],
      });
      return row && recordOf(table, row);
    },

    async remove(table, accountId, id) {
      const reference = REFERENCES[table];
      let removal: Removal | undefined;
      await connection.writing(async (client) => {
        const key = [accountId, id];
        // Like every other writer, it locks the account first.
        await client.query('SELECT FROM shiftfeed.accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
        const found = await client.query(
          `SELECT FROM shiftfeed.${table} WHERE account_id = $1 AND id = $2`,
          key,
        );
        if (found.rowCount === 0) return false;
        const ofShifts = `WHERE account_id = $1 AND ${reference} = $2`;
        if (table === 'groups') {
          const { rows } = await client.query(
            `SELECT count(*) AS shifts FROM shiftfeed.shifts ${ofShifts}`,
            key,
          );
          const shifts = Number(rows[0].shifts);
          removal = { isRemoved: shifts === 0, shifts };
          if (shifts > 0) return false;
        } else {
          const { rowCount } = await client.query(
            `UPDATE shiftfeed.shifts SET ${reference} = NULL ${ofShifts}`,
            key,
          );
          removal = { isRemoved: true, shifts: rowCount ?? 0 };
        }
        await client.query(`DELETE FROM shiftfeed.${table} WHERE account_id = $1 AND id = $2`, key);
        return true;
      });
      return removal;
    },

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
        // What refers to others goes first. The rest goes with the account.
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

interface ContentsRow {
  readonly revision: string;
  readonly groups: string;
  readonly inactive_groups: string;
  readonly locations: string;
  readonly people: string;
  readonly tokens: string;
  readonly shifts: string;
  readonly first_date: string | null;
  readonly last_date: string | null;
  readonly last_imported_at: string | null;
}

interface MonthRow {
  readonly month: string;
  readonly shifts: string;
  readonly open: string;
  readonly unpublished: string;
  readonly unlisted: string;
}
