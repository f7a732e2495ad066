/** Describes what would change, one line each, for --dry-run --show. */

import type { Change, ChangeOf, NameOf } from '../../import/changes.ts';
import { quote } from '../../quote.ts';
import { COLUMN_NAMES, type RecordOf, type Table } from '../../store/records.ts';

/** `+` is added, `~` changed and `-` removed. */
export function describeChange(change: Change, nameOf: NameOf): string {
  const { table, before, after } = change;
  if (before !== undefined && after !== undefined) {
    return `~ ${NOUNS[table]} ${before.id}  ${headOf(change, before, nameOf)}: ${differences(change, nameOf)}`;
  }
  const record = (after ?? before) as RecordOf<Table>;
  return `${after === undefined ? '-' : '+'} ${NOUNS[table]} ${record.id}  ${headOf(change, record, nameOf)}`;
}

const NOUNS: Readonly<Record<Table, string>> = {
  groups: 'group',
  locations: 'location',
  people: 'person',
  shifts: 'shift',
};

/** What identifies the record: its name, or when and where the shift is. */
function headOf({ table }: Change, record: RecordOf<Table>, nameOf: NameOf): string {
  if (table !== 'shifts') return shown((record as RecordOf<'groups'>).name);
  const { date, start_time, end_time, end_date, group_id, location_id, person_id } =
    record as RecordOf<'shifts'>;
  const end = end_date === date ? end_time : `${end_date} ${end_time}`;
  const names = [
    nameOf('groups', group_id),
    ...(location_id === null ? [] : [nameOf('locations', location_id)]),
    ...(person_id === null ? [] : [nameOf('people', person_id)]),
  ];
  return `${date} ${start_time} to ${end}, ${names.map(shown).join(', ')}`;
}

const REFERENCED: Readonly<Record<string, Table>> = {
  group_id: 'groups',
  location_id: 'locations',
  person_id: 'people',
};

function differences({ table, before, after }: ChangeOf<Table>, nameOf: NameOf): string {
  const fields = COLUMN_NAMES[table] as readonly string[];
  const value = (record: object | undefined, field: string): string => {
    const content: unknown = record && (record as Readonly<Record<string, unknown>>)[field];
    if (content === null) return 'none';
    const of = REFERENCED[field];
    if (of !== undefined) return shown(nameOf(of, Number(content)));
    return typeof content === 'string' && !/^[\d:-]+$/.test(content) ? quote(content) : String(content);
  };
  return fields
    .filter((field) => value(before, field) !== value(after, field) || isOther(before, after, field))
    .map((field) => `${field.replace(/_id$/, '')} ${value(before, field)} → ${value(after, field)}`)
    .join(', ');
}

function isOther(before: object | undefined, after: object | undefined, field: string): boolean {
  const of = (record: object | undefined) => record && (record as Readonly<Record<string, unknown>>)[field];
  return of(before) !== of(after);
}

/** A name as it is, unless it could break the line or is long. */
export function shown(name: string): string {
  const quoted = quote(name);
  return quoted === `"${name}"` ? name : quoted;
}
