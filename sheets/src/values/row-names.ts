/** Reads the names of a row: group, location and person. */

import { memoize, newQuestions } from '@shiftfeed/common/memoize';
import { foldName } from '@shiftfeed/common/names';
import { quote } from '@shiftfeed/common/quote';
import { byOption } from '@shiftfeed/common/reason';
import { type Cell, type GridRow, isError, type TypedCell, textOf, whyError } from '../cell.ts';
import type { Columns } from '../columns.ts';
import { type Flaw, MAX_SHIFTS_IN_CELL, type Reason } from '../problem.ts';
import { type Notes, noteCell, type SheetRow } from '../report.ts';
import type { SheetFields, SheetOptions } from '../sheet-options.ts';
import type { TableColumn } from '../words/headings.ts';
import {
  isNobody,
  isNoPerson,
  NEW_LINE,
  namesIn,
  namesWithin,
  saysMoreThanName,
  separatorIn,
  toldPeople,
} from '../words/people.ts';
import { isDitto, isNothing } from '../words/words.ts';
import { EMPTY, type Refuse, type ValueColumn, valueIn } from './value-column.ts';

/** `haveCommas`: whether names are written as `Byron, Ada`. */
export function nameReader(
  columns: Columns,
  options: SheetOptions,
  haveCommas: boolean,
  report: Notes,
  { groups: { name: nameRule }, locations: { address: addressRule } }: SheetFields,
): (row: GridRow, refuse: Refuse) => Pick<SheetRow, 'group' | 'location' | 'person'> {
  const { places } = columns;
  const column = (name: TableColumn, field: string): ValueColumn<string> => ({
    name,
    place: places[name],
    fields: [field],
    read: (text, cell) =>
      isDateOrTime(cell) || isClockTime(text) || isDitto(text) ? undefined : nameRule.read(text),
    why: (text, cell) => whyNoName(text, cell) ?? `${quote(text)} is not ${nameRule.expected}`,
    whenEmpty: '',
  });
  const groups = column('group', 'group_id');
  const locations = column('location', 'location_id');
  const people = column('person', 'person_id');
  const firstNames = column('first_name', 'person_id');
  const lastNames = column('last_name', 'person_id');
  const isExport = columns.kind === 'list' && columns.isExport;
  const readPerson = personReader(options, haveCommas, isExport);
  const { group: groupOfAll, tab, tabs, sections } = options;
  const needsGroup = groups.place !== undefined || places.id === undefined;
  const ofSheet = (column: typeof tabs) => (tabs === column ? tab : undefined);
  const above = (column: typeof sections, section: string | undefined) =>
    (sections === column ? section : undefined) ?? ofSheet(column);

  return ({ cells, section }, refuse) => {
    const group =
      groups.place === undefined ? (above('group', section) ?? '') : valueIn(groups, cells, refuse);
    if (group === '' && groupOfAll === undefined && needsGroup)
      refuse('group', ['group_id'], groups.place === undefined ? NO_GROUP : EMPTY);
    const written = valueIn(locations, cells, refuse) ?? above('location', section);
    const place = !isExport && written !== undefined && isNothing(written) ? '' : written;
    const address = places.address === undefined ? undefined : textOf(cells[places.address]);
    if (address !== undefined) {
      const why = whyNoAddress(cells[places.address ?? 0] ?? '', address, place, addressRule);
      if (why !== undefined) refuse('address', ['location_id'], why);
    }
    const name =
      valueIn(people, cells, refuse) ??
      joined(valueIn(firstNames, cells, refuse), valueIn(lastNames, cells, refuse)) ??
      ofSheet('person');
    const read = name ? readPerson(name) : undefined;
    if (read?.person === null) noteCell(report.nobodies, name ?? '');
    if (read?.why !== undefined) refuse('person', [], read.why);
    return {
      group: (group === '' ? groupOfAll : group) || undefined,
      location: place === undefined ? undefined : place === '' ? null : { name: place, address },
      person: name === '' ? null : read?.person,
    };
  };
}

/** A question that may have stood in its place was not asked. */
const NO_GROUP: Reason = {
  message: 'there is none',
  advice: '; give one for all rows with --group',
  fix: [['group', '', 'gap']],
};

interface ReadPerson {
  /** null: nobody. */
  readonly person: string | null;
  /** Why it may be something else than a name. */
  readonly why?: Omit<Flaw, 'path'> | undefined;
}

/** Each question about a text is asked once: nothing is imported without an answer. */
function personReader(options: SheetOptions, haveCommas: boolean, isExport: boolean) {
  const { people = new Map(), peopleSeparators: separators = [] } = options;
  const answers = new Set([...people.values()].flat().map(foldName));
  const isNew = newQuestions();
  const whyNoName = (text: string): ReadPerson['why'] => {
    if (namesIn(text, options) !== undefined) return { message: tooManyNames(text) };
    if (isExport || answers.has(foldName(text))) return undefined;
    const separator = separatorIn(text, separators, haveCommas);
    const isMore = !separators.includes('none') && saysMoreThanName(text);
    // `en` is a word between names in one language, and a part of "en lugar de" in another.
    if (separator !== undefined && !(isMore && /^\p{L}+$/u.test(separator) && separator !== NEW_LINE))
      return { ...severalOrOne(text, separator, separators), unlessPerson: text };
    return isMore ? { ...moreThanName(text), unlessPerson: text } : undefined;
  };
  const look = memoize((text: string): ReadPerson => {
    const told = toldPeople(text, options);
    if (told !== undefined && told.length < 2) return { person: told[0] ?? null };
    if (!isExport && isNobody(text)) return { person: null };
    return { person: text, why: whyNoName(text) };
  });
  return (text: string): ReadPerson | undefined => {
    const read = look(text);
    return read?.why === undefined || isNew(text) ? read : { person: read.person };
  };
}

function severalOrOne(text: string, separator: string, told: readonly string[]): Reason {
  const all = [...told, separator].join(' ');
  const none = [...told, 'none'].join(' ');
  return {
    message: `${quote(text)} may be several people, or one name`,
    advice: `; say --people-separator ${quote(all)} for several, or --people-separator ${quote(none)} for one`,
    fix: byOption('people-separator', all, none),
  };
}

function moreThanName(text: string): Reason {
  const said = text.replaceAll(/\s+/g, ' ');
  const within = namesWithin(said);
  const several = within.length > 1 ? [within.join('; ')] : [];
  return {
    message: `${quote(text)} may be more than a name, or no name`,
    advice: `; say who is meant with --people ${quote(`${said}=NAME`)}, with nothing after = for nobody`,
    fix: [
      ['people', `${said}=`, 'gap'],
      ['people', `${said}=`],
      ...(isNoPerson(text) && !/[=,]/.test(said) ? byOption('status', `${said}=none`) : []),
      ['people-separator', 'none'],
    ],
    offers: [said, ...within.slice(0, MAX_WITHIN), ...several].map((name) => ['people', `${said}=${name}`]),
  };
}

/** More names than these in a text are hardly meant one by one. */
const MAX_WITHIN = 3;

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

/** A heading such as `Service` may stand above times. */
function isClockTime(text: string): boolean {
  return /^\d{1,2}:\d\d(?:\s?[ap]\.?m\.?)?$/i.test(text);
}

function whyNoName(text: string, cell: Cell): string | undefined {
  if (isDitto(text))
    return `${quote(text)} repeats the cell above, and here that is not clear: write the name`;
  if (isDateOrTime(cell)) return `is a ${cell.type}, ${text}, and not a name`;
  if (isClockTime(text)) return `is a time, ${text}, and not a name`;
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
