import type { AccountReading } from '../store/admin/export.ts';
import {
  type GroupRecord,
  type LocationRecord,
  type PersonRecord,
  SHEET_COLUMNS,
  type ShiftRecord,
  type Table,
} from '../store/records.ts';
import { makeReferences, type NoticeTeller } from './references.ts';

/**
 * The shifts of an account, one a line, with names in the place of ids. Groups, locations and people are few, and kept
 * in memory.
 */
export async function* csvOf({ records }: AccountReading, tell: NoticeTeller): AsyncGenerator<string> {
  const references = makeReferences(tell);
  const byId = async <R extends { readonly id: number }>(
    table: Exclude<Table, 'shifts'>,
    batches: AsyncIterable<readonly R[]>,
  ): Promise<Map<number, R>> => {
    const found = new Map<number, R>();
    for await (const some of batches) {
      references.add(table, some);
      for (const record of some) found.set(record.id, record);
    }
    return found;
  };
  const named = {
    groups: await byId('groups', records('groups')),
    locations: await byId('locations', records('locations')),
    people: await byId('people', records('people')),
  };
  tellNamesakes('groups', named.groups.values(), ({ name }) => name, tell);
  tellNamesakes('locations', named.locations.values(), ({ name, address }) => `${name}\0${address}`, tell);
  tellNamesakes('people', named.people.values(), ({ name }) => name, tell);

  let unlisted = 0;
  let firstFormula: number | undefined;
  yield `${SHEET_COLUMNS.join(',')}\n`;
  for await (const shifts of records('shifts')) {
    references.check(shifts);
    for (const { group_id } of shifts) if (named.groups.get(group_id)?.active === false) unlisted++;
    yield shifts
      .map((shift) => {
        const cells = cellsOf(shift, named);
        if (firstFormula === undefined && Object.values(cells).some(isFormula)) firstFormula = shift.id;
        return `${SHEET_COLUMNS.map((column) => quotedIfNeeded(cells[column])).join(',')}\n`;
      })
      .join('');
  }
  if (unlisted > 0)
    tell(
      `${countOf(unlisted)} of inactive groups, which a CSV cannot say: where such a group is new, an import lists them.`,
    );
  if (firstFormula !== undefined)
    tell(
      `Some cells begin with =, +, -, @ or a tab, or go on with one after a semicolon or a line break (the first are of the shift ${firstFormula}): a spreadsheet takes that for a formula, so open the file in one only if you trust whoever wrote them.`,
    );
  references.end();
}

function countOf(shifts: number): string {
  return shifts === 1 ? 'One shift is' : `${shifts} shifts are`;
}

interface Named {
  readonly groups: ReadonlyMap<number, GroupRecord>;
  readonly locations: ReadonlyMap<number, LocationRecord>;
  readonly people: ReadonlyMap<number, PersonRecord>;
}

type Cells = Readonly<Record<(typeof SHEET_COLUMNS)[number], string | number | boolean>>;

function cellsOf(shift: ShiftRecord, { groups, locations, people }: Named): Cells {
  const location = shift.location_id === null ? undefined : locations.get(shift.location_id);
  return {
    ...shift,
    group: groups.get(shift.group_id)?.name ?? '',
    location: location?.name ?? '',
    address: location?.address ?? '',
    person: (shift.person_id === null ? undefined : people.get(shift.person_id)?.name) ?? '',
  };
}

/**
 * Whether a spreadsheet may take a cell, or a piece of it, for a formula. Where semicolons separate cells, quotes within
 * a line do not count, so that a semicolon or a line break within a cell begins another one. Such cells are written all
 * the same, because an import of the file has to give the same shifts.
 */
export function isFormula(value: unknown): boolean {
  return typeof value === 'string' && /^[\t\r\n]|(^|[;\t\r\n])[\s"]*[=+@\-＝＋＠－]/.test(value);
}

/**
 * Quoted also where only some readers need it: semicolons and tabs separate cells elsewhere, and spaces at the ends are
 * cut off.
 */
export function quotedIfNeeded(value: string | number | boolean): string {
  const text = String(value);
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Reports, by their ids, the records that look the same in a CSV. */
function tellNamesakes<R extends { readonly id: number }>(
  table: Table,
  records: Iterable<R>,
  shownAs: (record: R) => string,
  tell: NoticeTeller,
): void {
  const ids = Map.groupBy(records, shownAs)
    .values()
    .map((some) => some.map(({ id }) => id))
    .find((some) => some.length > 1);
  if (ids === undefined) return;
  const [first, second] = ids;
  tell(
    `Some ${table} have the same name (such as ${first} and ${second}): a CSV cannot tell them apart, and an import makes one of them.`,
  );
}
