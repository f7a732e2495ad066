/**
 * Account → text, piece by piece, so that it need not be in memory as a whole. Everything is in the order of ids: two
 * exports of the same data are the same bytes.
 */

import { foldName } from '@shiftfeed/common/names';
import type { AccountReading } from '../store/admin/export.ts';
import { type RecordOf, SHEET_COLUMNS, type ShiftRecord, TABLES, type Table } from '../store/records.ts';

export const EXPORT_FORMATS = ['json', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Takes a sentence about what the text leaves out, or about what an import of it would refuse. */
type NoticeTeller = (sentence: string) => void;

export async function* exportAccount(
  reading: AccountReading,
  format: ExportFormat,
  tell: NoticeTeller,
): AsyncGenerator<string> {
  const references = new References();
  yield* format === 'json' ? jsonOf(reading, references) : csvOf(reading, references, tell);
  references.tell(tell);
}

/**
 * What shifts may refer to: groups, locations and people are few, and kept in memory. Finds shifts that refer to what is
 * not there: SQLite lets a program write such shifts, and an import refuses them.
 */
class References {
  readonly groups = new Map<number, RecordOf<'groups'>>();
  readonly locations = new Map<number, RecordOf<'locations'>>();
  readonly people = new Map<number, RecordOf<'people'>>();
  #loose = 0;
  #firstId: number | undefined;

  add(table: Exclude<Table, 'shifts'>, records: readonly { readonly id: number }[]): void {
    const known: Map<number, unknown> = this[table];
    for (const record of records) known.set(record.id, record);
  }

  check(shifts: readonly ShiftRecord[]): void {
    for (const { id, group_id, location_id, person_id } of shifts) {
      const isWell =
        this.groups.has(group_id) &&
        (location_id === null || this.locations.has(location_id)) &&
        (person_id === null || this.people.has(person_id));
      if (isWell) continue;
      this.#loose++;
      this.#firstId ??= id;
    }
  }

  tell(tell: NoticeTeller): void {
    if (this.#loose === 0) return;
    const [count, first] = [this.#loose, this.#firstId];
    const shifts = count === 1 ? `Shift ${first} refers` : `${count} shifts, the first is ${first}, refer`;
    tell(
      `${shifts} to a group, location or person that is not there, and an import would refuse that: ` +
        '"shiftfeed doctor" tells more.',
    );
  }
}

/** The import document of an account, with a record a line. */
async function* jsonOf({ account, records }: AccountReading, references: References): AsyncGenerator<string> {
  const { slug, name, premium, timeZone, sort } = account;
  yield `{\n"account": ${JSON.stringify({ slug, name, premium, time_zone: timeZone, sort })}`;
  for (const table of TABLES) {
    yield `,\n"${table}": [`;
    let separator = '\n';
    for await (const some of records(table)) {
      if (table === 'shifts') references.check(some as readonly ShiftRecord[]);
      else references.add(table, some);
      yield separator + some.map((record) => JSON.stringify(record)).join(',\n');
      separator = ',\n';
    }
    yield separator === '\n' ? ']' : '\n]';
  }
  yield '\n}\n';
}

/** The shifts of an account, one a line, with names in the place of ids. */
async function* csvOf(
  { records }: AccountReading,
  references: References,
  tell: NoticeTeller,
): AsyncGenerator<string> {
  for (const table of ['groups', 'locations', 'people'] as const) {
    for await (const some of records(table)) references.add(table, some);
    tellNamesakes(table, references[table].values(), tell);
  }
  const { groups } = references;
  const lost = { inactive: 0, private: 0 };
  let firstFormula: number | undefined;
  yield `${SHEET_COLUMNS.join(',')}\n`;
  for await (const shifts of records('shifts')) {
    references.check(shifts);
    for (const { group_id } of shifts) {
      const group = groups.get(group_id);
      if (group?.active === false) lost.inactive++;
      if (group?.private) lost.private++;
    }
    yield shifts
      .map((shift) => {
        const cells = cellsOf(shift, references);
        if (firstFormula === undefined && Object.values(cells).some(isFormula)) firstFormula = shift.id;
        return `${SHEET_COLUMNS.map((column) => quotedIfNeeded(cells[column])).join(',')}\n`;
      })
      .join('');
  }
  for (const [kind, does] of [
    ['inactive', 'lists them'],
    ['private', 'makes it public'],
  ] as const) {
    const shifts = lost[kind] === 1 ? 'One shift is' : `${lost[kind]} shifts are`;
    if (lost[kind] > 0)
      tell(
        `${shifts} of ${kind} groups, which a CSV cannot say: where such a group is new, an import ${does}.`,
      );
  }
  if (firstFormula !== undefined)
    tell(
      `Some cells begin with =, +, -, @ or a tab, or go on with one after a semicolon or a line break (the first are of the shift ${firstFormula}): a spreadsheet takes that for a formula, so open the file in one only if you trust whoever wrote them.`,
    );
}

type Cells = Readonly<Record<(typeof SHEET_COLUMNS)[number], string | number | boolean>>;

function cellsOf(shift: ShiftRecord, { groups, locations, people }: References): Cells {
  const location = shift.location_id === null ? undefined : locations.get(shift.location_id);
  return {
    ...shift,
    group: groups.get(shift.group_id)?.name ?? '',
    location: location?.name ?? '',
    address: location?.address ?? '',
    person: (shift.person_id === null ? undefined : people.get(shift.person_id)?.name) ?? '',
  };
}

/** Reports, by their ids, the records that an import of a CSV takes for the same. */
function tellNamesakes(
  table: Table,
  records: Iterable<{ readonly id: number; readonly name: string; readonly address?: string }>,
  tell: NoticeTeller,
): void {
  const alike = Map.groupBy(records, ({ name, address }) => foldName(`${name}\0${address}`)).values();
  const [first, second] = alike.find((some) => some.length > 1) ?? [];
  if (first === undefined || second === undefined) return;
  tell(
    `Some ${table} have the same name (such as ${first.id} and ${second.id}): a CSV cannot tell them apart, and an import makes one of them.`,
  );
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
