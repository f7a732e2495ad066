/** Lists what an import would change, record by record. Only names are kept in memory. */

import type { Comparisons, RecordChange, Stage } from '../store/import-store.ts';
import { type RecordOf, TABLES, type Table } from '../store/records.ts';

export type Change = { [T in Table]: ChangeOf<T> }[Table];

export interface ChangeOf<T extends Table> extends RecordChange<T> {
  readonly table: T;
}

/** May take long to resolve. Groups, locations and people come before the shifts that refer to them. */
export type ChangeTeller = (changes: readonly Change[], nameOf: NameOf) => Promise<void>;

export type NameOf = (table: Table, id: number) => string;

export async function tellChanges(
  stage: Stage,
  accountId: number | undefined,
  comparisons: Comparisons,
  tell: ChangeTeller,
): Promise<void> {
  const names = new Map<string, string>();
  const remember = (table: Table, record: RecordOf<Table> | undefined) => {
    if (record !== undefined && 'name' in record) names.set(`${table} ${record.id}`, record.name);
  };
  const nameOf: NameOf = (table, id) => names.get(`${table} ${id}`) ?? String(id);

  for (const table of TABLES) {
    if (table !== 'shifts') {
      for await (const records of stage.records(table, accountId)) {
        for (const record of records) remember(table, record);
      }
    }
    for await (const changes of comparisons[table].changes()) {
      for (const { after } of changes) remember(table, after);
      await tell(
        changes.map((change) => ({ ...change, table }) as Change),
        nameOf,
      );
    }
  }
}
