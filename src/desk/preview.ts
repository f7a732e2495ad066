/**
 * Everything that an import would change, as a table in a SQLite file beside the upload: written by a reader, and read by
 * the desk in slices, because there may be a million changes.
 */

import { access, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Difference, differences, headOf } from '../import/describe.ts';
import type { Change, ChangeTeller, FindNamed } from '../import/import.ts';
import { ReadingFailed } from '../import/read.ts';
import type { ChangesFile, DayOfChanges } from '../import/upload.ts';
import type { DeskShift } from '../store/admin/desk.ts';
import type { RecordOf, ShiftRecord, Table } from '../store/records.ts';
import { DISK_FULL } from './folder.ts';

export interface ShownChange {
  readonly kind: 'added' | 'changed' | 'removed';
  readonly table: Table;
  readonly id: number;
  /** null: it is a group, location or person. */
  readonly day: string | null;
  readonly title: string;
  /** Of a shift; the beginning, if they are long. */
  readonly remarks?: string;
  readonly fields: readonly Difference[];
}

const FILE = 'preview.db';

/**
 * `day` and `start` are empty for groups, locations and people. `shift` is an id, and `after` what that shift will be, if it
 * stays. `named` has the groups, locations and people that will be other than they are.
 */
const TABLES = `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
  CREATE TABLE changes (found INTEGER PRIMARY KEY, day TEXT, start TEXT, shift INTEGER, after TEXT, shown TEXT) STRICT;
  CREATE TABLE numbers (number INTEGER PRIMARY KEY, found INTEGER) STRICT;
  CREATE TABLE named (of TEXT, id INTEGER, after TEXT, PRIMARY KEY (of, id)) STRICT;
  BEGIN`;

/** Changes are numbered in the order of days and times, from 0 on. */
const ORDER = `CREATE INDEX by_day ON changes (day, start);
  INSERT INTO numbers SELECT row_number() OVER (ORDER BY day, start, found) - 1, found FROM changes;
  CREATE INDEX by_shift ON changes (shift) WHERE shift IS NOT NULL;
  CREATE INDEX after_by_day ON changes (day) WHERE after IS NOT NULL;
  COMMIT`;

/** Starts the preview of the upload in this folder. */
export async function writeChanges(folder: string): Promise<ChangesFile> {
  const unfinished = join(folder, `${FILE}.new`);
  // Fails if the folder is gone: SQLite would only say that it cannot open the file.
  await access(folder);
  await rm(unfinished, { force: true });
  const database = new DatabaseSync(unfinished);
  onDisk(() => database.exec(TABLES));
  const insert = database.prepare(
    'INSERT INTO changes (day, start, shift, after, shown) VALUES (?, ?, ?, ?, ?)',
  );
  const insertNamed = database.prepare('INSERT INTO named (of, id, after) VALUES (?, ?, ?)');
  return {
    add: async (changes, nameOf, find) =>
      onDisk(() => {
        for (const change of changes) {
          const shown = shownChange(change, nameOf);
          const shift = (change.table === 'shifts' ? (change.after ?? change.before) : undefined) as
            | ShiftRecord
            | undefined;
          const after = shift && change.after ? JSON.stringify(shownShift(shift, find)) : null;
          const when = [shown.day ?? '', shift?.start_time ?? ''];
          insert.run(...when, shift?.id ?? null, after, JSON.stringify(shown));
          if (change.table !== 'shifts' && change.before && change.after)
            insertNamed.run(change.table, shown.id, JSON.stringify(change.after));
        }
      }),
    async end() {
      const days = onDisk(() => {
        database.exec(ORDER);
        return database.prepare('SELECT day, count(*) AS count FROM changes GROUP BY day').all();
      }) as { day: string; count: number }[];
      database.close();
      await rename(unfinished, join(folder, FILE));
      let changes = 0;
      const counted = days.map(({ day, count }): DayOfChanges => {
        changes += count;
        return { day: day === '' ? null : day, first: changes - count, count };
      });
      return { changes, days: counted };
    },
    async close() {
      if (database.isOpen) database.close();
    },
  };
}

const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;

/** It is not the database of the account that has no room. */
function onDisk<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw (error as { errcode?: number }).errcode === SQLITE_FULL ? new ReadingFailed(DISK_FULL) : error;
  }
}

function shownChange(change: Change, nameOf: Parameters<ChangeTeller>[1]): ShownChange {
  const { table, before, after } = change;
  const record = (after ?? before) as RecordOf<Table>;
  return {
    kind: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
    table,
    id: record.id,
    day: 'date' in record ? record.date : null,
    title: headOf(change, record, nameOf),
    ...('remarks' in record && record.remarks !== '' && { remarks: beginningOf(record.remarks) }),
    fields: before && after ? differences(change, nameOf) : [],
  };
}

const MAX_REMARKS_CHARACTERS = 1_000;

function beginningOf(remarks: string): string {
  const beginning = remarks.slice(0, MAX_REMARKS_CHARACTERS);
  return beginning === remarks ? remarks : `${beginning}…`;
}

function shownShift(record: ShiftRecord, find: FindNamed): DeskShift {
  const { group_id, location_id, person_id, ...shift } = record;
  const group = find('groups', group_id);
  return {
    ...shift,
    group: { id: group_id, name: group?.name ?? '' },
    location: (location_id && find('locations', location_id)) || null,
    person: (person_id && find('people', person_id)) || null,
    active: group?.active ?? true,
  };
}

/** In one answer, as JSON. */
const MAX_WRITTEN_CHARACTERS = 1_500_000;

/** Opens the preview in this folder; undefined if it is not there any more. */
export function openPreview(folder: string) {
  const database = openedIn(folder);
  if (database === undefined) return undefined;
  const named = database.prepare('SELECT after FROM named WHERE of = ? AND id = ?');
  const find: FindNamed = (table, id) => {
    const after = named.get(table, id)?.after;
    return after === undefined ? undefined : JSON.parse(String(after));
  };
  const renamed = ({ group, location, person, active, ...shift }: DeskShift): DeskShift => {
    const written = find('groups', group.id);
    return {
      ...shift,
      group: { id: group.id, name: written?.name ?? group.name },
      location: location && (find('locations', location.id) ?? location),
      person: person && (find('people', person.id) ?? person),
      active: written?.active ?? active,
    };
  };
  return {
    /** Changes in the order of days: those of groups, locations and people first. */
    changes: (offset: number, limit: number) =>
      database
        .prepare(
          'SELECT shown FROM numbers JOIN changes USING (found) WHERE number >= ? ORDER BY number LIMIT ?',
        )
        .all(offset, limit)
        .map(({ shown }): ShownChange => JSON.parse(String(shown))),

    /** Those of the shifts of now that the import does not write, with the names that it writes. */
    kept(shifts: readonly DeskShift[]): readonly DeskShift[] {
      const ids = JSON.stringify(shifts.map(({ id }) => id));
      const query = 'SELECT shift FROM changes WHERE shift IN (SELECT value FROM json_each(?))';
      const touched = new Set(
        database
          .prepare(query)
          .all(ids)
          .map(({ shift }) => shift),
      );
      return shifts.filter(({ id }) => !touched.has(id)).map(renamed);
    },

    /** Some of the shifts of these days as they will be, as far as the import writes them, and whether there are more. */
    written(from: string, to: string, limit: number) {
      const query =
        'SELECT after FROM changes WHERE after IS NOT NULL AND day BETWEEN ? AND ? ORDER BY day LIMIT ?';
      const shifts: DeskShift[] = [];
      let characters = 0;
      for (const { after } of database.prepare(query).iterate(from, to, limit + 1)) {
        characters += String(after).length;
        if (shifts.length === limit || characters > MAX_WRITTEN_CHARACTERS) return { shifts, more: true };
        shifts.push(JSON.parse(String(after)));
      }
      return { shifts, more: false };
    },

    [Symbol.dispose]: () => database.close(),
  };
}

function openedIn(folder: string): DatabaseSync | undefined {
  try {
    return new DatabaseSync(join(folder, FILE), { readOnly: true });
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_CANTOPEN) return undefined;
    throw error;
  }
}
