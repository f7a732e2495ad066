/** What shifts refer to, and how a sheet refers to it by name. */

import type { ComparedRecord } from '../store/import-store.ts';
import type { RecordOf, StagedRecord, Table } from '../store/records.ts';
import type { NameBook } from './csv/names.ts';

/** A field, the table that it refers to, and the word for one of its records. */
export const REFERENCES = [
  ['group_id', 'groups', 'group'],
  ['location_id', 'locations', 'location'],
  ['person_id', 'people', 'person'],
] as const;

/** Two people may have the same name. Importing a shift again does not move it from one to the other. */
export function keepingNames<T extends Table>(
  names: NameBook | undefined,
  table: T,
  { given, existing }: ComparedRecord<T>,
): StagedRecord<T> {
  if (names === undefined || table !== 'shifts' || existing === undefined) return given;
  const kept: Record<string, unknown> = { ...given };
  for (const [field, of] of REFERENCES) {
    const before = (existing as unknown as RecordOf<'shifts'>)[field];
    const now = (given as StagedRecord<'shifts'>)[field];
    if (now && before && now !== before && names.isSameName(of, now, before)) kept[field] = before;
  }
  return kept as StagedRecord<T>;
}
