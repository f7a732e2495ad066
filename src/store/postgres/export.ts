import type { ExportStore } from '../export-store.ts';
import type { COLUMNS, RecordOf, Table } from '../records.ts';
import { ACCOUNT_COLUMNS, type AccountRow, accountOf, recordOf } from '../rows.ts';
import { selectedColumns } from './columns.ts';
import type { Ask, Connection } from './connection.ts';

const READ_AT_ONCE = 5_000;

export function exportStore(connection: Connection): ExportStore {
  return {
    readAccount: (slug, work) =>
      connection.reading(async (ask) => {
        const [row] = await ask<AccountRow>({
          text: `SELECT ${ACCOUNT_COLUMNS} FROM shiftfeed.accounts WHERE slug = $1`,
          values: [slug],
        });
        if (row === undefined) return undefined;
        const account = accountOf(row);
        return work({ account, records: (table) => records(ask, table, account.id) });
      }),
  };
}

async function* records<T extends Table>(
  ask: Ask,
  table: T,
  accountId: number,
): AsyncGenerator<readonly RecordOf<T>[]> {
  const cursor = `exported_${table}`;
  await ask({
    text: `DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT ${selectedColumns(table)} FROM shiftfeed.${table}
      WHERE account_id = ${accountId} ORDER BY id`,
  });
  for (;;) {
    const rows = await ask<Record<keyof (typeof COLUMNS)[T], unknown>>({
      text: `FETCH ${READ_AT_ONCE} FROM ${cursor}`,
    });
    if (rows.length === 0) break;
    yield rows.map((row) => recordOf(table, row));
  }
  await ask({ text: `CLOSE ${cursor}` });
}
