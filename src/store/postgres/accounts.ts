import type { PoolClient } from 'pg';
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
import { type ContentsRow, contentsOf, type MonthContentsRow } from '../rows.ts';
import type { Connection } from './connection.ts';
import { recordOf, selectedColumns } from './record.ts';

export function accountStore(connection: Connection): AccountStore {
  return {
    describeAccount: (accountId, today) =>
      connection.reading(async (ask) => {
        const [row] = await ask<ContentsRow>({ text: CONTENTS, values: [accountId] });
        const months = await ask<MonthContentsRow>({ text: MONTHS, values: [accountId, today ?? null] });
        return contentsOf(row as ContentsRow, months, today);
      }),

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
      let removal: Removal | undefined;
      await connection.writing(async (client) => {
        // Like every other writer, it locks the account first.
        await client.query('SELECT FROM shiftfeed.accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
        removal = await removeRecord(client, table, [accountId, id]);
        return removal?.isRemoved ?? false;
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

async function removeRecord(
  client: PoolClient,
  table: ListedTable,
  key: readonly [accountId: number, id: number],
): Promise<Removal | undefined> {
  const rowsOf = async (statement: string) => (await client.query(statement, [...key])).rowCount ?? 0;
  const isRecord = 'WHERE account_id = $1 AND id = $2';
  if ((await rowsOf(`SELECT FROM shiftfeed.${table} ${isRecord}`)) === 0) return undefined;
  const ofShifts = `WHERE account_id = $1 AND ${REFERENCES[table]} = $2`;
  if (table === 'groups') {
    const { rows } = await client.query(`SELECT count(*) AS shifts FROM shiftfeed.shifts ${ofShifts}`, [
      ...key,
    ]);
    const shifts = Number(rows[0].shifts);
    if (shifts > 0) return { isRemoved: false, shifts };
  }
  const shifts =
    table === 'groups'
      ? 0
      : await rowsOf(`UPDATE shiftfeed.shifts SET ${REFERENCES[table]} = NULL ${ofShifts}`);
  await rowsOf(`DELETE FROM shiftfeed.${table} ${isRecord}`);
  return { isRemoved: true, shifts };
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
