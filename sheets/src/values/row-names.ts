/** Reads the names of a row: group, location and person. */

import { quote } from '@shiftfeed/common/quote';
import { newQuestions, remembered } from '@shiftfeed/common/remembered';
import { type Cell, type GridRow, isError, type TypedCell, textOf, whyError } from '../cell.ts';
import type { Columns } from '../columns.ts';
import { MAX_SHIFTS_IN_CELL } from '../place.ts';
import type { Reason } from '../problem.ts';
import { noteCell, type SheetReport, type SheetRow } from '../report.ts';
import type { SheetFields, SheetOptions } from '../sheet-options.ts';
import type { TableColumn } from '../words/headings.ts';
import { isNobody, isOpeningHours, namesIn, saysMoreThanName, separatorIn } from '../words/people.ts';
import { isDitto, isNothing } from '../words/words.ts';
import { EMPTY, type Refuse, type ValueColumn, valueIn } from './value-column.ts';

/** `haveCommas`: whether names are written as `Byron, Ada`. */
export function nameReader(
  { places, isExport }: Columns,
  { group: groupOfAll, peopleSeparators }: SheetOptions,
  haveCommas: boolean,
  report: SheetReport,
  { groups: { name: nameRule }, locations: { address: addressRule } }: SheetFields,
): (cells: readonly Cell[], refuse: Refuse) => Pick<SheetRow, 'group' | 'location' | 'person'> {
  const column = (name: TableColumn, field: string): ValueColumn<string> => ({
    name,
    place: places[name],
    fields: [field],
    read: (text, cell) =>
      isError(cell) || isDateOrTime(cell) || isDitto(text) ? undefined : nameRule.read(text),
    why: (text, cell) => whyNoName(text, cell) ?? `${quote(text)} is not ${nameRule.expected}`,
    whenEmpty: '',
  });
  const groups = column('group', 'group_id');
  const locations = column('location', 'location_id');
  const people = column('person', 'person_id');
  const firstNames = column('first_name', 'person_id');
  const lastNames = column('last_name', 'person_id');
  const readPerson = personReader(peopleSeparators, haveCommas);

  return (cells, refuse) => {
    const group = groups.place === undefined ? groupOfAll : valueIn(groups, cells, refuse);
    if (group === '' && groupOfAll === undefined) refuse('group', ['group_id'], EMPTY);
    const written = valueIn(locations, cells, refuse);
    const place = written !== undefined && isNothing(written) ? '' : written;
    const address = places.address === undefined ? undefined : textOf(cells[places.address]);
    if (address !== undefined) {
      const why = whyNoAddress(cells[places.address ?? 0] ?? '', address, place, addressRule);
      if (why !== undefined) refuse('address', ['location_id'], why);
    }
    const name =
      valueIn(people, cells, refuse) ??
      joined(valueIn(firstNames, cells, refuse), valueIn(lastNames, cells, refuse));
    const person = name && !isExport ? readPerson(name) : undefined;
    if (person === NOBODY) noteCell(report.nobodies, name ?? '');
    else if (person !== undefined) refuse('person', ['person_id'], person);
    return {
      group: (group === '' ? groupOfAll : group) || undefined,
      location: place === undefined ? undefined : place === '' ? null : { name: place, address },
      person: name === '' || person === NOBODY ? null : name,
    };
  };
}

const NOBODY = Symbol('nobody');
const ONE_PERSON = Symbol('one person');

/** Says whether a text is no name. Each question is asked once: nothing is imported without an answer. */
function personReader(separators: readonly string[] = [], haveCommas: boolean) {
  const isNew = newQuestions();
  const look = remembered((text: string): typeof NOBODY | typeof ONE_PERSON | Reason => {
    if (isNobody(text)) return NOBODY;
    if (isOpeningHours(text))
      return { message: `${quote(text)} is no person: take such rows out of the sheet` };
    if (namesIn(text, separators) !== undefined) return { message: tooManyNames(text) };
    const separator = separatorIn(text, separators, haveCommas);
    if (separator !== undefined) return severalOrOne(text, separator, separators);
    return separators.includes('none') || !saysMoreThanName(text) ? ONE_PERSON : moreThanName(text);
  });
  return (text: string): typeof NOBODY | Reason | undefined => {
    const person = look(text);
    if (person === undefined || person === ONE_PERSON || person === NOBODY)
      return person === NOBODY ? person : undefined;
    return isNew(String(person.fix?.[1] ?? text)) ? person : undefined;
  };
}

function severalOrOne(text: string, separator: string, told: readonly string[]): Reason {
  const all = [...told, separator].join(' ');
  const none = [...told, 'none'].join(' ');
  return {
    message: `${quote(text)} may be several people, or one name`,
    advice: `; say --people-separator ${quote(all)} for several, or --people-separator ${quote(none)} for one`,
    fix: ['--people-separator', all, none],
  };
}

function moreThanName(text: string): Reason {
  return {
    message: `${quote(text)} says more than a name: leave only the name, and write what it says of the shift where it belongs`,
    advice: '; if all of it is a name, say --people-separator none',
    offers: [['people-separator', 'none']],
  };
}

function tooManyNames(text: string): string {
  return `${quote(text)} cannot be made into shifts of one person each: a row with an id is one shift, and a cell of a roster may hold names on lines of their own; of a row, at most ${MAX_SHIFTS_IN_CELL} shifts are made`;
}

/** More different names than this, all with a comma, are hardly people in pairs. */
const MIN_NAMES_WITH_COMMA = 4;
const MAX_NAMES_LOOKED_AT = 5_000;

/** Are names written as `Byron, Ada`? Then all have one comma, and nobody's first name is the last name of another. */
export function commaQuestion(place = -1) {
  const texts = new Set<string>();
  let areOthers = false;
  return {
    look({ cells }: GridRow): void {
      const text = textOf(cells[place]);
      if (text === '' || areOthers || texts.size >= MAX_NAMES_LOOKED_AT || isNobody(text)) return;
      texts.add(text);
      const parts = text.split(',');
      if (parts.length !== 2 || parts.some((part) => part.trim() === '')) areOthers = true;
    },
    isSettled: () => true,
    problems: () => [],
    reader(): boolean {
      const names = [...texts].map((text) => text.split(',').map((part) => part.trim()));
      const lasts = new Set(names.map(([last]) => last));
      return !areOthers && texts.size >= MIN_NAMES_WITH_COMMA && !names.some(([, first]) => lasts.has(first));
    },
  };
}

/** undefined: neither column is there. */
function joined(first: string | undefined, last: string | undefined): string | undefined {
  return first === undefined || last === undefined ? (first ?? last) : `${first} ${last}`.trim();
}

/** Spreadsheets turn text that looks like a date into a date. */
function isDateOrTime(cell: Cell): cell is TypedCell {
  return typeof cell !== 'string' && ['date', 'time', 'date and time'].includes(cell.type);
}

function whyNoName(text: string, cell: Cell): string | undefined {
  if (isError(cell)) return whyError(cell);
  if (isDitto(text))
    return `${quote(text)} repeats the cell above, and here that is not clear: write the name`;
  if (isDateOrTime(cell)) return `is a ${cell.type}, ${text}, and not a name`;
  return undefined;
}

function whyNoAddress(
  cell: Cell,
  address: string,
  place: string | undefined,
  rule: SheetFields['locations']['address'],
): string | undefined {
  if (isError(cell)) return whyError(cell);
  if (rule.read(address) === undefined) return `${quote(address)} is not ${rule.expected}`;
  return place === '' && address ? 'an address belongs to a location, and there is none' : undefined;
}
