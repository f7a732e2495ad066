/** What shifts refer to, and how a sheet refers to it by name. */

import type { ComparedRecord } from '../store/import-store.ts';
import type { RecordOf, StagedRecord, Table } from '../store/records.ts';
import type { NameBook } from './csv/names.ts';

/** A field, what it refers to, and how one of those is called. */
export const REFERENCES = [
  ['group_id', 'groups', 'group'],
  ['location_id', 'locations', 'location'],
  ['person_id', 'people', 'person'],
] as const;

/** Two people may have the same name. A shift of the one does not become a shift of the other by being imported again. */
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
