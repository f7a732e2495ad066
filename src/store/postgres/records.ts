import type { PoolClient } from 'pg';
import {
  type Changes,
  type Listed,
  type ListedTable,
  type RecordStore,
  type Removal,
  referenceTo,
  valuesByColumn,
} from '../record-store.ts';
import { recordOf } from '../rows.ts';
import { selectedColumns } from './columns.ts';
import type { Connection } from './connection.ts';

export function recordStore(connection: Connection): RecordStore {
  return {
    async list<T extends ListedTable>(table: T, accountId: number) {
      const rows = await connection.ask<Record<string, unknown>>({
        text: `SELECT ${selectedColumns(table, 'record')},
            (SELECT count(*) FROM shiftfeed.shifts WHERE account_id = record.account_id AND ${referenceTo(table)} = record.id) AS shifts
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
  const ofShifts = `WHERE account_id = $1 AND ${referenceTo(table)} = $2`;
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
      : await rowsOf(`UPDATE shiftfeed.shifts SET ${referenceTo(table)} = NULL ${ofShifts}`);
  await rowsOf(`DELETE FROM shiftfeed.${table} ${isRecord}`);
  return { isRemoved: true, shifts };
}
