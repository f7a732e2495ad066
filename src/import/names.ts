/**
 * Turns the names in a sheet into ids of an account. A name that the account has is found even if case, spaces or
 * Unicode form differ; a new name gets the next free id. All names are in memory, so their number is limited; the
 * number of rows is not.
 */

import { foldName } from '@shiftfeed/common/names';
import { StoreFailure } from '../store/failure.ts';
import type { RecordOf, StagedRecord, Table } from '../store/records.ts';
import type { Stage } from '../store/staging/stage.ts';
import { derivedId } from './identity.ts';
import { findNear, type NearName } from './near-names.ts';
import type { SheetRow } from './sheet/report.ts';

/** The limit for each kind. A name takes a few hundred bytes. */
export const MAX_NAMES = 1_000_000;

export type NamedTable = Exclude<Table, 'shifts'>;

export interface Settled {
  /** Groups, locations and people that are new. */
  readonly made: { readonly [T in NamedTable]: readonly RecordOf<T>[] };
  readonly shifts: readonly StagedRecord<'shifts'>[];
}

export interface NameBook {
  /** Replaces the names in rows by ids, and gives an id to each row that has none. */
  settle(rows: readonly SheetRow[]): Settled;
  /** Locations are identified by name, or by name and address. Groups and people only have names. */
  readonly namedBy: 'name' | 'name and address';
  /** New names that are nearly the same as others. */
  near(): readonly NearName[];
  /** Fails when names were added, changed or removed since the book was opened: the ids might then be wrong. */
  confirm(stage: Stage, accountId: number | undefined): Promise<void>;
}

/** If a sheet has addresses, they distinguish locations of the same name. */
export async function openNameBook(
  stage: Stage,
  accountId: number | undefined,
  hasAddresses: boolean,
): Promise<NameBook> {
  const keyOfPlace = ({ name, address }: RecordOf<'locations'>) =>
    hasAddresses ? placeKey(name, address) : name;
  const groups = await openNames(stage, 'groups', accountId, ({ name }) => name);
  const locations = await openNames(stage, 'locations', accountId, keyOfPlace);
  const people = await openNames(stage, 'people', accountId, ({ name }) => name);
  const names = { groups, locations, people };

  function settle({ shift, group, location, person }: SheetRow): StagedRecord<'shifts'> {
    const settled: { -readonly [Field in keyof StagedRecord<'shifts'>]: StagedRecord<'shifts'>[Field] } =
      shift;
    if (group !== undefined) {
      settled.group_id = groups.idOf(group, (id) => ({ id, name: group, active: true, private: false }));
    }
    if (location === null) {
      settled.location_id = null;
    } else if (location !== undefined) {
      const { name, address = '' } = location;
      const key = hasAddresses ? placeKey(name, address) : name;
      settled.location_id = locations.idOf(key, (id) => ({ id, name, address }));
    }
    if (person !== undefined) {
      settled.person_id = person === null ? null : people.idOf(person, (id) => ({ id, name: person }));
    }
    const { date, start_time, group_id } = settled;
    if (settled.id === undefined && date && start_time && group_id && !shift.flawed) {
      const locationId = settled.location_id ?? null;
      settled.id = derivedId({ date, startTime: start_time, groupId: group_id, locationId });
      settled.isDerived = true;
    }
    return settled;
  }

  return {
    settle(rows) {
      const shifts = rows.map(settle);
      return {
        shifts,
        made: { groups: groups.takeMade(), locations: locations.takeMade(), people: people.takeMade() },
      };
    },
    namedBy: hasAddresses ? 'name and address' : 'name',
    near: () => [...groups.near(), ...locations.near(), ...people.near()],
    async confirm(staged, id) {
      for (const one of Object.values(names)) await one.confirm(staged, id);
    },
  };
}

interface Names<T extends NamedTable> {
  idOf(key: string, make: (id: number) => RecordOf<T>): number;
  takeMade(): readonly RecordOf<T>[];
  near(): readonly NearName[];
  confirm(stage: Stage, accountId: number | undefined): Promise<void>;
}

async function openNames<T extends NamedTable>(
  stage: Stage,
  table: T,
  accountId: number | undefined,
  keyOf: (record: RecordOf<T>) => string,
): Promise<Names<T>> {
  const names = new NameIds(table);
  const used = new Set<string>();
  const madeIds = new Set<number>();
  const made: RecordOf<T>[] = [];
  const newNames: string[] = [];
  const inactive = new Set<string>();
  let lastId = 0;
  for await (const records of stage.records(table, accountId)) {
    for (const record of records) {
      lastId = Math.max(lastId, record.id);
      names.add(keyOf(record), record.id);
      if ('active' in record && !record.active) inactive.add(record.name);
    }
  }

  return {
    idOf(key, make) {
      used.add(key);
      const known = names.find(key);
      if (known !== undefined) return known;
      const record = make(++lastId);
      names.add(key, record.id);
      madeIds.add(record.id);
      made.push(record);
      newNames.push(record.name);
      return record.id;
    },
    takeMade: () => made.splice(0),
    near: () =>
      findNear(newNames, names.all(), table).map(([name, near]) => ({
        table,
        name,
        near,
        isNearInactive: inactive.has(near),
      })),
    async confirm(staged, id) {
      const now = new NameIds(table);
      let isMadeTaken = false;
      for await (const records of staged.records(table, id)) {
        for (const record of records) {
          isMadeTaken ||= madeIds.has(record.id);
          now.add(keyOf(record), record.id);
        }
      }
      const isSame = used.values().every((key) => {
        const then = names.find(key) as number;
        return now.find(key) === (madeIds.has(then) ? undefined : then);
      });
      if (!isSame || isMadeTaken) throw changedMeanwhile(table);
    },
  };
}

/** The ids of names. If several records share a name, it stands for the first of them. */
class NameIds {
  readonly #table: NamedTable;
  readonly #asWritten = new Map<string, number>();
  readonly #folded = new Map<string, number>();

  constructor(table: NamedTable) {
    this.#table = table;
  }

  add(name: string, id: number): void {
    if (this.#asWritten.has(name)) return;
    if (this.#asWritten.size >= MAX_NAMES) throw tooMany(this.#table);
    this.#asWritten.set(name, id);
    const folded = foldName(name);
    if (!this.#folded.has(folded)) this.#folded.set(folded, id);
  }

  /** Without addresses. */
  all(): Iterable<string> {
    return this.#asWritten.keys().map((key) => key.split('\0')[0] as string);
  }

  /** Prefers the name with exactly this spelling. */
  find(name: string): number | undefined {
    return this.#asWritten.get(name) ?? this.#folded.get(foldName(name));
  }
}

function changedMeanwhile(table: Table): StoreFailure {
  return new StoreFailure(
    'busy',
    `The ${table} of the account were changed by somebody else at the same moment: nothing was imported, try again.`,
  );
}

/** NUL is a safe separator, because no name contains it. */
function placeKey(name: string, address: string): string {
  return `${name}\0${address}`;
}

function tooMany(table: Table): StoreFailure {
  return new StoreFailure(
    'refused',
    `Nothing was imported: an import by names takes at most ${MAX_NAMES.toLocaleString('en')} ${table}.`,
  );
}
