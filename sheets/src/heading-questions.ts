/**
 * What is asked about the columns of a sheet: about their headings before any row is read, and about those that were left
 * out after all were.
 */

import { quote } from '@shiftfeed/common/quote';
import { byOption, type Fix } from '@shiftfeed/common/reason';
import { type Cell, type GridRow, isError, textOf, whyError } from './cell.ts';
import { type Ledger, MAX_TEXTS, type Unread } from './ledger.ts';
import { inWords, naming, placeInSheet, type SheetPlace, type SheetProblem } from './problem.ts';
import type { SheetReport } from './report.ts';
import {
  type ColumnPlaces,
  columnsNamed,
  folded,
  type UnreadHeading,
  unreadHeadings,
} from './shape/heading-row.ts';
import type { SheetOptions } from './sheet-options.ts';
import { isWeekday, ORDERS, readWrittenDate, whyNoDate } from './words/date.ts';
import {
  columnOf,
  isBreakWord,
  isOtherThing,
  nearlyColumn,
  numberedTime,
  type TableColumn,
} from './words/headings.ts';
import { plainWord } from './words/languages.ts';
import { isNobody, shapeOfName } from './words/people.ts';
import { changesRow, isZoneHeading, namesZone, saysHowRowCounts, statusHeading } from './words/status.ts';
import {
  cutDateAndTime,
  HALF_OF_DAY,
  hasZone,
  readTime,
  readTimes,
  severalTimes,
  withoutMidnight,
} from './words/time.ts';
import { isWeekLabel } from './words/title.ts';
import { isTotalWord, readFlag } from './words/words.ts';

/** Which column of a sheet holds what, and what is wrong with that. */
export interface Headings
  extends Pick<SheetReport, 'taken'>,
    Omit<ReturnType<typeof columnsNamed>, 'seconds'> {
  /** If there are any, no row can be read. */
  readonly problems: readonly SheetProblem[];
  /** The columns that the sheet lacks and that a row without an id would need. */
  readonly lacking: readonly TableColumn[];
}

/** `sample` are some rows below them. */
export function askAboutHeadings(
  headings: readonly string[],
  row: SheetPlace,
  options: SheetOptions,
  sample: readonly GridRow[] = [],
  mayHaveSections = false,
): Headings {
  const named = columnsNamed(headings, options);
  const { places, hours } = named;
  const told = toldOtherwise(places, sample, options, mayHaveSections);
  const lacking = NEEDED_WITHOUT_ID.filter((column) => !isThere(places, column) && !told.has(column));
  const ignored = new Set(options.ignoredColumns.map(folded));
  const unread = unreadHeadings(headings, places, options.ignoredColumns);
  const found = { ...named, headings, unread, options, ignored, lacking, sample };
  const asked = { ...found, misspelt: misspeltIn(found, told) };
  const problems = QUESTIONS.flatMap((ask) => [...ask(asked)]).map(({ heading, ...problem }) => ({
    place: placeInSheet(row, heading),
    ...problem,
  }));
  return { places, hours, problems, lacking, taken: takenFrom(headings, places) };
}

/** A row without an id is identified by these, and has to be a complete shift. */
const NEEDED_WITHOUT_ID: readonly TableColumn[] = ['date', 'start_time', 'end_time', 'group', 'publish_date'];

interface FoundHeadings extends ReturnType<typeof columnsNamed> {
  readonly headings: readonly string[];
  readonly unread: readonly UnreadHeading[];
  readonly options: SheetOptions;
  /** The columns of --ignore-columns. */
  readonly ignored: ReadonlySet<string>;
  readonly lacking: readonly TableColumn[];
  readonly sample: readonly GridRow[];
  /** Headings that look like misspelt names of missing columns. */
  readonly misspelt: readonly { readonly heading: string; readonly column: TableColumn }[];
}

/** A problem with the column of a heading, or with the headings as a whole. */
interface HeadingProblem extends Omit<SheetProblem, 'place' | 'id'> {
  readonly heading?: string;
}

/** What is asked about the headings of a sheet. */
const QUESTIONS: readonly ((found: FoundHeadings) => Iterable<HeadingProblem>)[] = [
  whichOfTwo,
  whatIsMisspelt,
  whatOptionsName,
  whereAddressIs,
  whoseClock,
  whetherBreaksCount,
  whoIsWhere,
  whatIsLacking,
];

/** Whether the sheet has the column, or another one that says the same. */
function isThere(places: ColumnPlaces, column: TableColumn): boolean {
  if (places[column] !== undefined) return true;
  if (column === 'start_time') return places.times !== undefined;
  return column === 'end_time' && (places.times !== undefined || places.hours !== undefined);
}

/** Whether the column would add nothing to what others say. */
function isTold(places: ColumnPlaces, column: TableColumn): boolean {
  if (column === 'times' || column === 'hours')
    return isThere(places, 'start_time') && isThere(places, 'end_time');
  if (column === 'first_name' || column === 'last_name') return places.person !== undefined;
  if (column === 'person') return (places.person ?? places.first_name ?? places.last_name) !== undefined;
  return isThere(places, column);
}

/**
 * Columns that may be missing, because an option gives their value, or the cells of another column do: a start may come
 * with its date or its end, and a date with the start.
 */
function toldOtherwise(
  places: ColumnPlaces,
  sample: readonly GridRow[],
  { publishedFrom, group, tab, tabs, sections }: SheetOptions,
  mayHaveSections: boolean,
): ReadonlySet<TableColumn> {
  const holds = (column: TableColumn, test: (cell: Cell) => boolean) =>
    sample.some(({ cells }) => {
      const cell = cells[places[column] ?? -1];
      return cell !== undefined && test(cell);
    });
  const told = new Set<TableColumn>();
  if (publishedFrom !== undefined) told.add('publish_date');
  // Whether it is one of these is asked elsewhere.
  const isTab = tab !== undefined && [undefined, 'group'].includes(tabs);
  if (group !== undefined || isTab || sections === 'group') told.add('group');
  if (sections === undefined && mayHaveSections) told.add('group');
  if (holds('start_time', hasDateAndTime)) told.add('date');
  if (holds('date', hasDateAndTime)) told.add('start_time');
  if (holds('start_time', (cell) => typeof cell === 'string' && readTimes(cell) !== undefined))
    told.add('end_time');
  return told;
}

function hasDateAndTime(cell: Cell): boolean {
  if (typeof cell !== 'string') return cell.type === 'date and time';
  if (hasZone(cell)) return /^\d{4}-/.test(cell) && withoutMidnight(cell) === cell;
  const [date] = cutDateAndTime(cell) ?? [];
  return date !== undefined && /\d\D{1,30}\d|\d\s{0,5}\p{L}/u.test(date);
}

function* whichOfTwo({ seconds, headings, sample }: FoundHeadings): Generator<HeadingProblem> {
  for (const { column, first, second: heading } of seconds) {
    const place = headings.lastIndexOf(heading);
    // If there are any further down, that is asked when all were read.
    if (TIMES.has(column) && sample.length > 0 && sample.every(({ cells }) => !cells[place])) continue;
    const isTime = numberedTime(`${heading} 2`)?.column === column;
    const more = isTime ? `; if it is of a second shift, call it ${quote(`${heading} 2`)}` : '';
    if (folded(first) === folded(heading))
      yield { heading, ...naming((nameOf) => `there are two columns for ${nameOf(column)}${more}`) };
    else
      yield {
        heading,
        ...naming((nameOf) => `there are two columns for ${nameOf(column)}, ${quote(first)} and this one`),
        advice: `; say which it is, such as --columns ${pair(column, first)}`,
        fix: byOption('columns', `${column}=${first}`, `${column}=${heading}`),
      };
  }
}

function misspeltIn(
  { unread, places, options: { columnNames }, sample }: Omit<FoundHeadings, 'misspelt'>,
  told: ReadonlySet<TableColumn>,
): FoundHeadings['misspelt'] {
  const named = new Set([...columnNames.values()].map(folded));
  return unread.flatMap(({ heading, place }) => {
    const column = named.has(folded(heading)) ? undefined : nearlyColumn(heading);
    if (column === undefined || isTold(places, column) || told.has(column) || columnNames.has(column))
      return [];
    if (!TIMES.has(column) && holdsTimes(sample, place)) return [];
    return { heading, column };
  });
}

function* whatIsMisspelt({ misspelt }: FoundHeadings): Generator<HeadingProblem> {
  const people = misspelt.filter(({ column }) => column === 'person').map(({ heading }) => heading);
  if (people.length > 1) {
    const all = people.map((heading) => quote(heading)).join(' and ');
    yield {
      heading: people[0] ?? '',
      message: `there are several columns that may be of people, ${all}; if a shift is of all of them, write a row for each`,
      advice: `; else say which one it is, such as --columns ${pair('person', people[0] ?? '')}, and leave the others out with --ignore-columns`,
      offers: columnsFrom('person', people),
    };
    return;
  }
  for (const { heading, column } of misspelt) {
    yield {
      heading,
      message: `there is no such column; did you mean "${column}"?`,
      onPage: `is this the ${inWords(column)}?`,
      advice: ` Then say --columns ${pair(column, heading)}, else --ignore-columns ${shown(heading)}`,
      offers: [['ignore-columns', heading]],
      fix: byOption('columns', `${column}=${heading}`),
    };
  }
}

const TIMES: ReadonlySet<TableColumn> = new Set(['start_time', 'end_time', 'times']);

const NAMED_TWICE = {
  message: 'both --columns and --ignore-columns name this column',
  onPage: 'this column is to be read, and to be left out',
};

/** Checks that the columns named by --columns and --ignore-columns exist. */
function* whatOptionsName({ headings, options, ignored }: FoundHeadings): Generator<HeadingProblem> {
  const known = new Set(headings.map(folded));
  const named = new Map<string, TableColumn>();
  for (const [column, heading] of options.columnNames) {
    const other = named.get(folded(heading));
    named.set(folded(heading), column);
    if (!known.has(folded(heading)))
      yield {
        message: `there is no column ${quote(heading)}, which --columns names for ${column}`,
        onPage: `there is no column ${quote(heading)}, which was the one of the ${inWords(column)}`,
        stale: ['columns', `${column}=${heading}`],
      };
    else if (ignored.has(folded(heading)))
      yield { heading, ...NAMED_TWICE, stale: ['ignore-columns', heading] };
    else if (other !== undefined)
      yield {
        heading,
        message: `--columns names this column for ${other} and for ${column}, but it can be only one`,
        onPage: `this column was the one of the ${inWords(other)} and of the ${inWords(column)}, but it can be only one`,
      };
  }
  for (const heading of options.ignoredColumns) {
    if (known.has(folded(heading))) continue;
    yield {
      message: `there is no column ${quote(heading)}, which --ignore-columns names`,
      onPage: `there is no column ${quote(heading)}, which was to be left out`,
      stale: ['ignore-columns', heading],
    };
  }
}

function* whereAddressIs({ headings, places }: FoundHeadings): Generator<HeadingProblem> {
  if (places.address === undefined || places.location !== undefined) return;
  const heading = headings[places.address] ?? '';
  yield {
    heading,
    message: `an address belongs to a location, and there is no column "location"`,
    advice: `; if it tells the place, say --columns ${pair('location', heading)}`,
    fix: byOption('columns', `location=${heading}`),
  };
}

/** Times are those that clocks show where the shift is. Whoever names the column with --columns says that they are. */
function* whoseClock({ headings, places, options }: FoundHeadings): Generator<HeadingProblem> {
  for (const column of ['date', 'start_time', 'end_time', 'times'] as const) {
    const heading = headings[places[column] ?? -1] ?? '';
    if (!namesZone(heading) || options.columnNames.has(column)) continue;
    yield {
      heading,
      message: `the heading names a time zone, and times must be those that clocks show where the shift is: write them so`,
      advice: `; if they are, say --columns ${pair(column, heading)}`,
      offers: columnsFrom(column, [heading]),
    };
  }
}

/** Without a column of people, one that holds names under an unknown heading is hardly anything else. */
function* whoIsWhere(found: FoundHeadings): Generator<HeadingProblem> {
  const { places, options, lacking, misspelt } = found;
  if (misspelt.some(({ column }) => column === 'person')) return;
  const [heading, ...others] = headingsOfNames(found);
  // Without a group, such columns may also be groups, which is told then.
  if (heading === undefined || isTold(places, 'person') || options.columnNames.has('person')) return;
  if (places.id !== undefined || lacking.includes('group')) return;
  const all = [heading, ...others];
  if (all.some((one) => /[,=]/.test(one))) {
    const message = 'there is no column for people, and this one holds names';
    const advice = '; a recipe can say which column it is, or leave it out';
    yield {
      heading,
      message,
      onPage: `${message}: give it a heading without a comma or an equals sign`,
      advice,
    };
    return;
  }
  yield {
    heading,
    message: `there is no column for people, and this one holds names`,
    advice: `; say --columns ${pair('person', heading)}, or --ignore-columns ${shown(all.join(','))}`,
    fix: [...columnsFrom('person', all), ['ignore-columns', all.join(',')]],
  };
}

/** Unknown columns whose cells may be names. */
function headingsOfNames({ unread, sample }: FoundHeadings): readonly string[] {
  return unread.flatMap(({ heading, place }) => {
    if (isBreakWord(heading) || isZoneHeading(heading) || statusHeading(heading) !== undefined) return [];
    if (columnOf(heading) !== undefined) return [];
    const texts = sample.map(({ cells }) => textOf(cells[place])).filter((text) => text !== '');
    return texts.length * 2 > sample.length && texts.every(mayBeName) ? heading : [];
  });
}

function mayBeName(text: string): boolean {
  if (!/^\p{L}[\p{L}\p{M} .,'’;/&+-]{1,59}$/u.test(text)) return false;
  return !isWeekday(text) && !HALF_OF_DAY.test(text) && readFlag(text) === undefined;
}

/** With breaks, a length is ambiguous: it may be that of the work or that of the shift. */
function* whetherBreaksCount({ headings, places, ignored }: FoundHeadings): Generator<HeadingProblem> {
  const heading = headings.find((one) => isBreakWord(one) && !ignored.has(folded(one)));
  if (places.hours === undefined || heading === undefined) return;
  yield {
    heading,
    message: `there is no column for the end, and the hours may be with the breaks or without; give the end`,
    advice: `, or, if the hours are with the breaks, say --ignore-columns ${shown(heading)}`,
    offers: [['ignore-columns', heading]],
  };
}

function* whatIsLacking(found: FoundHeadings): Generator<HeadingProblem> {
  const { places, options, lacking, misspelt, sample } = found;
  const unread = found.unread.map(({ heading }) => heading);
  const meant = new Set(misspelt.map(({ column }) => column));
  const timed = unread.filter((_, i) => holdsTimes(sample, found.unread[i]?.place ?? -1));
  if (places.id !== undefined || meant.has('id')) return;
  for (const column of lacking) {
    if (meant.has(column) || options.columnNames.has(column)) continue;
    const heading = (timed.length === 2 && timed[START_AND_END.indexOf(column)]) || undefined;
    const way =
      WAYS_TO_GIVE[column] ??
      (heading === undefined
        ? { advice: '; --columns tells what a sheet calls it' }
        : {
            advice: `; ${quote(heading)} holds times: if it is this column, say --columns ${pair(column, heading)}`,
            fix: columnsFrom(column, [heading]),
          });
    const names = column === 'group' && !isTold(places, 'person') ? headingsOfNames(found) : [];
    const groups = names.map((heading) => quote(heading)).join(', ');
    if (names.length === 0)
      yield {
        message: `there is no column "${column}"`,
        onPage: `there is no column for the ${inWords(column)}`,
        ...way,
        offers: columnsFrom(
          column,
          unread.filter((one) => one !== heading),
        ),
      };
    else
      yield {
        message: `there is no column "group" or "person", and there are names under ${groups}`,
        advice:
          '; say with --columns which it is; if these are groups, write a row for each shift, with columns for its group and its person',
        offers: [...columnsFrom('group', names), ...columnsFrom('person', names)],
      };
  }
}

const START_AND_END: readonly TableColumn[] = ['start_time', 'end_time'];

/** Whether most cells of a column hold one time. */
function holdsTimes(sample: readonly GridRow[], place: number): boolean {
  const filled = sample.flatMap(({ cells }) => cells[place] || []);
  const isOne = (cell: Cell) => isTime(textOf(cell), cell) && readTimes(textOf(cell)) === undefined;
  return filled.filter(isOne).length * 2 > filled.length;
}

/** A column that was left out is a question if its cells look like what is read elsewhere. */
export function* askAboutUnread(ledger: Ledger, { ignoredColumns }: SheetOptions): Generator<SheetProblem> {
  const ignored = new Set(ignoredColumns.map(folded));
  // Beside names, crosses in one column are hardly more than a note.
  const crosses = ledger.unread().filter(holdsCrosses);
  const areAsked = crosses.length > 1 || ledger.names.size === 0;
  for (const column of ledger.unread()) {
    const { heading, place } = column;
    if (ignored.has(folded(heading)) || isLengthHeading(heading)) continue;
    const [, { cell } = {}] = [...column.texts].find(([text]) => text.startsWith('=')) ?? [];
    // Under a heading, such words are asked about where they stand.
    const isStatus = heading === '' && column.isOfList;
    const look = column.texts
      .keys()
      .some((text) => changesRow(heading, text) || (isStatus && saysHowRowCounts(text)))
      ? { what: 'what may change a shift', columns: [] }
      : (LOOKS.find(({ isOf }) => isOf(column, ledger)) ??
        (areAsked && crosses.includes(column) ? CROSSES : undefined));
    if (cell === undefined && look === undefined) continue;
    const values = column
      .report()
      .values.map((value) => quote(value))
      .join(', ');
    const message =
      cell && isError(cell) ? whyError(cell) : `holds ${look?.what}, and is not read: ${values}`;
    const sign =
      look === CROSSES && ledger.names.size === 0
        ? column.texts.keys().find((text) => readFlag(text) === true)
        : undefined;
    // Neither can be named by an option.
    if (heading === '' || /[,=]/.test(heading))
      yield { place: placeInSheet(place, heading || undefined), message: `${message}; ${NAME_IT}` };
    else
      yield {
        place: placeInSheet({ ...place, column: undefined }, heading),
        message,
        advice: `${sign === undefined ? '' : `; if so, say --status ${shown(`${sign}=shift`)}`}; if it changes nothing, leave it out with --ignore-columns ${shown(heading)}${look?.columns.length ? `, or say what it is with --columns` : ''}`,
        fix: [
          ...(sign === undefined ? [] : byOption('status', `${sign}=shift`)),
          ...byOption('ignore-columns', heading),
        ],
        offers: (look?.columns ?? []).flatMap((one) => columnsFrom(one, [heading])),
      };
  }
}

const NAME_IT = 'give the column a heading without commas, or empty it';

/** What the cells of a column may look like, and what it may then be. */
const LOOKS: readonly {
  readonly what: string;
  readonly columns: readonly TableColumn[];
  isOf(column: Unread, ledger: Ledger): boolean;
}[] = [
  {
    what: 'names of people',
    columns: ['person'],
    // Beside `Carer`, `Name` may be the one who is cared for.
    isOf: (column, ledger) =>
      column.isOf(mayBeName) &&
      (isOfPeople(column.heading) ||
        column.texts.keys().some((text) => holdsName(text, ledger.names)) ||
        looksLikePeople(column, ledger)),
  },
  { what: 'dates', columns: ['date', 'end_date'], isOf: (column) => column.isOf(isDate) },
  {
    what: 'times',
    columns: ['start_time', 'end_time'],
    isOf: (column) =>
      column.isOfList && (column.isOf(isTime) || TIMES.has(columnOf(column.heading, 'first') ?? 'id')),
  },
  {
    what: 'weekdays',
    columns: [],
    isOf: (column) => column.isOf((text) => text.split(/[-–—/,;+&\s]+/).every(isWeekday)),
  },
  { what: 'small numbers, which may say how often a shift is there', columns: [], isOf: holdsCounts },
  { what: 'yes and no, which may say whether a shift counts', columns: [], isOf: holdsYesAndNo },
];

/** `Name`, which another heading stood for, and `2nd person`, but not `Approved by staff?`. */
function isOfPeople(heading: string): boolean {
  const words = heading.split(/\s+/);
  return (
    columnOf(heading, 'second') === 'person' ||
    (words.length === 2 && columnOf(words[1] ?? '', 'first') === 'person')
  );
}

/** `names` are those of people, and the words in them. */
function holdsName(text: string, names: ReadonlySet<string>): boolean {
  return text.split(/[,;/&+|\n]/).some((one) => {
    const name = one.trim();
    return names.has(name.toLowerCase()) && !isNobody(name);
  });
}

/** Of words such as `Early` and `Late`, there are fewer than of people. */
const MOST_PEOPLE_FOR_EACH = 4;

/** Names that stand nowhere else: in most rows, and written as the names of people are. */
function looksLikePeople(column: Unread, { rows, shapes }: Ledger): boolean {
  const { cells, texts, heading } = column;
  if (cells * 2 <= rows || texts.size < 2) return false;
  const isKnown = columnOf(heading) ?? statusHeading(heading);
  if (isKnown !== undefined || texts.keys().some(saysHowRowCounts)) return false;
  const people = shapes.values().reduce((sum, count) => sum + count, 0);
  const isUsual = (shape: string) => (shapes.get(shape) ?? 0) * MOST_PEOPLE_FOR_EACH >= people;
  return (
    column.isOf((text) => shapeOfName(text) !== '' && isUsual(shapeOfName(text))) &&
    (texts.size * MOST_PEOPLE_FOR_EACH >= people ||
      texts.size === MAX_TEXTS ||
      column.isOf((text) => shapeOfName(text).includes(' ')))
  );
}

const CROSSES = {
  what: 'crosses, which may say whose a shift is',
  columns: [],
};

/** Crosses, or yes and no, also of somebody who is not sure, and nothing else. Numbers and letters may be anything. */
function holdsCrosses({ texts, isOfList }: Unread): boolean {
  const flags = [...texts.keys()].map((text) => text.replaceAll(/[()[\]?]/g, ''));
  const isFlag = (text: string) => readFlag(text) !== undefined && !/^(?![xyjn])\p{L}$/iu.test(text);
  return (
    isOfList &&
    flags.every((text) => text === '' || isFlag(text)) &&
    flags.some((text) => text !== '1' && readFlag(text) === true)
  );
}

/** In words, and in most rows: somebody decided about each shift. */
function holdsYesAndNo({ texts, cells, isOfList }: Unread, { rows, names }: Ledger): boolean {
  const flags = [...texts.keys()].map((text) => (/^\p{L}{2}/u.test(text) ? readFlag(text) : undefined));
  const areBoth = flags.includes(true) && flags.includes(false) && !flags.includes(undefined);
  return isOfList && names.size > 0 && cells * 2 > rows && areBoth;
}

function isDate(text: string, cell: Cell): boolean {
  if (typeof cell !== 'string') return cell.type === 'date' || cell.type === 'date and time';
  if (/^\d{1,4}$/.test(text)) return false;
  const [date = text] = cutDateAndTime(text) ?? [];
  return (
    ORDERS.some((order) => readWrittenDate(date, order) !== undefined) ||
    (/\p{L}/u.test(date) && whyNoDate(date) === 'no year')
  );
}

/** A number may be anything else. */
function isTime(text: string, cell: Cell): boolean {
  if (typeof cell !== 'string') return cell.type === 'time';
  if (readTimes(text) ?? severalTimes(text)) return true;
  return /:|\d\s?[ap]\.?m/i.test(text) && readTime(text) !== undefined;
}

function holdsCounts({ heading, texts, isOfList, areCounted }: Unread): boolean {
  if (!isOfList || isOtherThing(heading) || isWeekLabel(`${heading} 9`)) return false;
  const numbers = [...texts.keys()];
  if (areCounted && numbers.length > 1) return false;
  return numbers.every((text) => /^\d$/.test(text)) && numbers.some((text) => text > '1');
}

/** Lengths and sums look like times. */
function isLengthHeading(heading: string): boolean {
  return isBreakWord(heading) || isTotalWord(heading) || columnOf(heading, 'first') === 'hours';
}

function columnsFrom(column: TableColumn, headings: readonly string[]): Fix {
  return byOption('columns', ...headings.map((heading) => `${column}=${heading}`));
}

const WAYS_TO_GIVE: Partial<Record<TableColumn, Pick<HeadingProblem, 'advice' | 'fix'>>> = {
  publish_date: {
    advice: '; give the column, or one date for all with --published-from',
    fix: byOption('published-from', 'today'),
  },
  group: {
    advice: '; --columns tells what a sheet calls it, and --group gives one for all rows',
    fix: [['group', '', 'gap']],
  },
};

function pair(column: string, heading: string): string {
  return shown(`${column}=${heading}`);
}

/** Quoted so that it can be typed into a shell. */
export function shown(argument: string): string {
  return /^[\w=./-]+$/.test(argument) ? argument : quote(argument);
}

/** The headings that differ from the name of their column. */
function takenFrom(headings: readonly string[], places: ColumnPlaces): SheetReport['taken'] {
  const named = Object.entries(places).toSorted(([, one], [, other]) => one - other) as [
    TableColumn,
    number,
  ][];
  return named.flatMap(([column, place]) => {
    const heading = headings[place] ?? '';
    const isOurs = column === 'id' ? heading === 'id' : plainWord(heading) === plainWord(column);
    return isOurs ? [] : { heading, column };
  });
}
