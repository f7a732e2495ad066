/**
 * Turns the names in a sheet into ids of an account. A name that the account has is found even if case, spaces or
 * Unicode form differ; a new name gets the next free id. All names are in memory, so their number is limited; the
 * number of rows is not.
 */

import { isDeepStrictEqual } from 'node:util';
import { FIRST_DAY, parseDate } from '@shiftfeed/common/days';
import { foldName } from '@shiftfeed/common/names';
import { inFull } from '@shiftfeed/common/quote';
import type { SheetRow } from '@shiftfeed/sheets';
import { StoreFailure } from '../store/failure.ts';
import { DERIVED_IDS, type RecordOf, type StagedRecord } from '../store/records.ts';
import type { Stage } from '../store/staging/stage.ts';
import { findLonger, findNear, type NamedTable, type NearName } from './near-names.ts';
import { findUnlike } from './unlike-names.ts';

/** The limit for each kind. A name takes a few hundred bytes. */
const MAX_NAMES = 1_000_000;

export type NameBook = Awaited<ReturnType<typeof openNameBook>>;

/** If a sheet has addresses, they distinguish locations of the same name. */
export async function openNameBook(stage: Stage, accountId: number | undefined, hasAddresses: boolean) {
  // NUL is a safe separator, because no name contains it.
  const placeKey = (name: string, address: string) => (hasAddresses ? `${name}\0${address}` : name);
  const groups = await openNames(stage, 'groups', accountId, ({ name }) => name);
  const locations = await openNames(stage, 'locations', accountId, (place) =>
    placeKey(place.name, place.address),
  );
  const people = await openNames(stage, 'people', accountId, ({ name }) => name);
  const all = [groups, locations, people];
  /** Whether all shifts of a person in the file are short, by id. */
  const areShort = new Map<number, boolean>();

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
      settled.location_id = locations.idOf(placeKey(name, address), (id) => ({ id, name, address }));
    }
    if (person !== undefined) {
      settled.person_id = person === null ? null : people.idOf(person, (id) => ({ id, name: person }));
    }
    const { date, start_time, group_id, person_id } = settled;
    if (person_id && areShort.get(person_id) !== false) areShort.set(person_id, isShort(settled));
    if (settled.id === undefined && date && start_time && group_id && !shift.flawed) {
      settled.id = derivedId(date, start_time, group_id, settled.location_id ?? null);
      settled.isDerived = true;
    }
    return settled;
  }

  return {
    /** Puts rows on the stage, with ids for their names and for themselves, after the records of new names. */
    async stageRows(rows: readonly SheetRow[]): Promise<void> {
      const shifts = rows.map(settle);
      for (const names of all) await names.stageMade();
      await stage.add(
        'shifts',
        shifts,
        rows.map(({ position }) => position),
      );
    },
    /** The ids of those groups that the account has. */
    groupIds: (names: Iterable<string>): readonly number[] =>
      [...names].flatMap((name) => groups.find(name) ?? []),
    /** New names that are nearly the same as others, and those of people who are unlike the others. */
    near(): readonly NearName[] {
      return all.flatMap((names) => names.near(names === people ? areShort : undefined));
    },
    /** Fails when names were added, changed or removed since the book was opened: the ids might then be wrong. */
    async confirm(id: number | undefined): Promise<void> {
      for (const names of all) await names.confirm(id);
    },
  };
}

/** The names of a table. */
async function openNames<T extends NamedTable>(
  stage: Stage,
  table: T,
  accountId: number | undefined,
  keyOf: (record: RecordOf<T>) => string,
) {
  const names = new NameIds(table);
  const used = new Set<string>();
  const madeIds = new Set<number>();
  let made: RecordOf<T>[] = [];
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
  await stage.tellNamesakes(table, names.namesakes);

  return {
    find(key: string): number | undefined {
      used.add(key);
      return names.find(key);
    },
    idOf(key: string, make: (id: number) => RecordOf<T>): number {
      used.add(key);
      const known = names.find(key);
      if (known !== undefined) return known;
      if (lastId === Number.MAX_SAFE_INTEGER) throw noHigherId(table);
      const record = make(++lastId);
      names.add(key, record.id);
      madeIds.add(record.id);
      made.push(record);
      newNames.push(record.name);
      return record.id;
    },
    async stageMade(): Promise<void> {
      if (made.length > 0) await stage.add(table, made as readonly StagedRecord<T>[]);
      made = [];
    },
    near(areShort?: ReadonlyMap<number, boolean>): readonly NearName[] {
      if (areShort === undefined) return findNear(newNames, names.all(), table, inactive);
      const longer = findLonger(newNames, (name) => names.find(name) !== undefined);
      const found = new Set(longer.map(({ name }) => name));
      const isShortOf = (name: string) => areShort.get(names.find(name) ?? 0);
      const unlike = findUnlike(newNames, [...names.all()], isShortOf).difference(found);
      const others = newNames.filter((name) => !found.has(name) && !unlike.has(name));
      return [
        ...longer,
        ...[...unlike].map((name) => ({ table, name, isLikely: true as const })),
        ...findNear(others, names.all(), table, inactive),
      ];
    },
    async confirm(id: number | undefined): Promise<void> {
      const now = new NameIds(table);
      let isMadeTaken = false;
      for await (const records of stage.records(table, id)) {
        for (const record of records) {
          isMadeTaken ||= madeIds.has(record.id);
          now.add(keyOf(record), record.id);
        }
      }
      const isSame = used.values().every((key) => {
        const then = names.find(key);
        return now.find(key) === (then !== undefined && madeIds.has(then) ? undefined : then);
      });
      if (isSame && !isMadeTaken && isDeepStrictEqual(now.namesakes, names.namesakes)) return;
      throw new StoreFailure(
        'busy',
        `The ${table} of the account were changed by somebody else at the same moment: nothing was imported, try again.`,
      );
    },
  };
}

function noHigherId(table: NamedTable): StoreFailure {
  return new StoreFailure(
    'refused',
    `Nothing was imported: new ${table} get the ids after the highest one of the account, which is ${Number.MAX_SAFE_INTEGER}, and there is no higher one. Add them as JSON first, with ids of your choice.`,
  );
}

/** The ids of names. If several records share a name, it stands for the first of them. */
class NameIds {
  readonly #table: NamedTable;
  readonly #asWritten = new Map<string, number>();
  readonly #folded = new Map<string, number>();
  /** The ids of records that share a name, with the first of them. */
  readonly namesakes = new Map<number, number>();

  constructor(table: NamedTable) {
    this.#table = table;
  }

  add(name: string, id: number): void {
    if (Math.max(this.#asWritten.size, this.namesakes.size) >= MAX_NAMES)
      throw new StoreFailure(
        'refused',
        `Nothing was imported: an import by names takes at most ${inFull(MAX_NAMES)} ${this.#table}.`,
      );
    const first = this.#folded.getOrInsert(foldName(name), id);
    if (first !== id) this.namesakes.set(first, first).set(id, first);
    if (!this.#asWritten.has(name)) this.#asWritten.set(name, id);
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

/** Nobody comes for so long alone, but a break, a meeting or a delivery may be as short. */
const MAX_SHORT_MINUTES = 60;

function isShort({ date, start_time, end_time, end_date }: StagedRecord<'shifts'>): boolean {
  if (end_date && end_date !== date) return false;
  const minutes = minuteOf(end_time ?? '') - minuteOf(start_time ?? '');
  return minutes > 0 && minutes <= MAX_SHORT_MINUTES;
}

function minuteOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
}

/**
 * The id of a shift that has none in its sheet, so that the same row is the same shift in the next import. Rows that
 * agree in all of this get the same id here; the stage then tells them apart, by person and order. The date is already
 * checked.
 */
function derivedId(date: string, startTime: string, groupId: number, locationId: number | null): number {
  const { first, days, hashes } = DERIVED_IDS;
  // Days count from 1970 on, so the ids of an account nearly always grow with the date.
  const day = (parseDate(date) ?? FIRST_DAY) & (days - 1);
  return first + day * hashes + (hashOf(`${date} ${startTime} ${groupId} ${locationId ?? ''}`) % hashes);
}

/** FNV-1a with a final mixing step. It need not be secure, but it must never change. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
