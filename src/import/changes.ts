/** Lists what an import would change, record by record. Only names are kept in memory. */

import type { Stage } from '../store/import-store.ts';
import { type RecordOf, TABLES, type Table } from '../store/records.ts';
import { completeRecord, isSameRecord } from './complete.ts';
import type { NameBook } from './csv/names.ts';
import { keepingNames } from './references.ts';

/** Without a `before`, the record would be added; without an `after`, removed. */
export type Change = { [T in Table]: ChangeOf<T> }[Table];

export interface ChangeOf<T extends Table> {
  readonly table: T;
  readonly before: RecordOf<T> | undefined;
  readonly after: RecordOf<T> | undefined;
}

/** It may be slow. Groups, locations and people come before the shifts that refer to them. */
export type ChangeTeller = (changes: readonly Change[], nameOf: NameOf) => Promise<void>;

export type NameOf = (table: Table, id: number) => string;

/** To be called after the comparison found no problems. */
export async function tellChanges(
  stage: Stage,
  names: NameBook | undefined,
  accountId: number | undefined,
  tell: ChangeTeller,
): Promise<void> {
  const known = new Map<Table, Map<number, string>>();
  const remember = (table: Table, record: { id: number; name?: string }) => {
    if (table === 'shifts' || record.name === undefined) return;
    const ofTable = known.get(table) ?? new Map<number, string>();
    known.set(table, ofTable.set(record.id, record.name));
  };
  const nameOf: NameOf = (table, id) => known.get(table)?.get(id) ?? String(id);

  for (const table of TABLES) {
    if (table !== 'shifts') {
      for await (const records of stage.records(table, accountId)) {
        for (const record of records) remember(table, record);
      }
    }
    for await (const records of stage.compare(table, accountId)) {
      const changes: Change[] = [];
      for (const compared of records) {
        const { existing: before } = compared;
        const given = keepingNames(names, table, compared);
        const { record: after } = completeRecord(table, given, before, before === undefined);
        remember(table, after);
        if (before === undefined || !isSameRecord(table, before, after)) {
          changes.push({ table, before, after } as Change);
        }
      }
      await tell(changes, nameOf);
    }
    for await (const records of stage.absent(table, accountId)) {
      await tell(
        records.map((before) => ({ table, before, after: undefined }) as Change),
        nameOf,
      );
    }
  }
}
