/** Finds out from the headings of a table which cell holds what, or what is wrong with the headings. */

import { quote } from '../../../quote.ts';
import { placeInSheet } from '../../place.ts';
import type { ImportProblem } from '../../problems.ts';
import type { Cell, GridRow } from '../cell.ts';
import type { SheetReport } from '../report.ts';
import { hasDateAndTime } from '../values/date-and-time.ts';
import { readTimes } from '../values/time.ts';
import { isBreakWord } from '../words/breaks.ts';
import { columnOf, nearlyColumn } from '../words/column-of.ts';
import type { TableColumn } from '../words/headings.ts';
import { plainWord } from '../words/plain.ts';
import { folded, pair, shown } from './heading-text.ts';

/** Where the cells of each column are in a row; undefined for columns that the sheet does not have. */
export type ColumnPlaces = { readonly [C in TableColumn]?: number };

export interface Header extends Pick<SheetReport, 'taken' | 'leftOut'> {
  readonly places: ColumnPlaces;
  /** If there are any, no row can be read. */
  readonly problems: readonly ImportProblem[];
  /** How many cells a row has. */
  readonly width: number;
  /** The cells without a heading. */
  readonly unnamed: readonly number[];
  /** A column of weekdays, which must agree with the dates. */
  readonly weekday?: number | undefined;
  /** Whether a row with more cells than headings is a problem: in a text file, its cells may be shifted by a column. */
  readonly isStrict: boolean;
  /** The columns that the sheet lacks and that a row without an id would need. */
  readonly lacking: readonly TableColumn[];
}

export interface HeaderOptions {
  readonly columnNames: ReadonlyMap<TableColumn, string>;
  readonly ignoredColumns: readonly string[];
  /** Whether the sheet is text. */
  readonly isText: boolean;
  /** Columns that may be missing, because an option gives their value. */
  readonly given: ReadonlySet<TableColumn>;
}

/** A row without an id is identified by these, and has to be a complete shift. */
const NEEDED_WITHOUT_ID: readonly TableColumn[] = ['date', 'start_time', 'end_time', 'group', 'publish_date'];

export function readHeader(
  headings: readonly string[],
  line: number,
  options: HeaderOptions,
  sample: readonly GridRow[] = [],
): Header {
  const problems: ImportProblem[] = [];
  const tell: Tell = (heading, message, fix) =>
    problems.push({ place: placeInSheet(line, heading), message, ...(fix && { fix }) });
  const places = findColumns(headings, options, tell);
  const given = new Set([...options.given, ...toldByOthers(places, sample)]);
  const meant = tellMisspelt(headings, places, { ...options, given }, tell);
  checkOptions(headings, options, tell);
  if (places.address !== undefined && places.location === undefined) {
    const heading = headings[places.address] ?? '';
    tell(
      heading,
      `an address belongs to a location, and there is no column "location"; if it tells the place, say --columns ${pair('location', heading)}`,
      ['--columns', `location=${heading}`],
    );
  }
  checkBreaks(headings, places, options, tell);
  const lacking = NEEDED_WITHOUT_ID.filter((column) => !isThere(places, column) && !given.has(column));
  if (places.id === undefined && !meant.has('id')) {
    for (const column of lacking) {
      if (!meant.has(column) && !options.columnNames.has(column)) tellLacking(column, tell);
    }
  }
  return {
    places,
    problems,
    width: headings.length,
    unnamed: headings.flatMap((heading, i) => (heading === '' ? i : [])),
    isStrict: options.isText,
    lacking,
    ...reported(headings, places),
  };
}

/** How many headings of a row are understood. */
export function countKnown(headings: readonly string[], options: HeaderOptions): number {
  const named = new Set([...options.columnNames.values(), ...options.ignoredColumns].map(folded));
  const columns = new Set<string>();
  for (const heading of headings) {
    if (heading === '') continue;
    const column = named.has(folded(heading))
      ? folded(heading)
      : (columnOf(heading, 'first') ?? columnOf(heading, 'second'));
    if (column !== undefined) columns.add(column);
  }
  return columns.size;
}

/**
 * Whether some heading stands for a time. A date is not enough, because a list of people may have one. One time is
 * enough, so that a sheet with a misspelt heading is refused rather than taken for one without shifts.
 */
export function tellsWhen(headings: readonly string[], options: HeaderOptions): boolean {
  const { start_time, end_time, times } = findColumns(headings, options, () => undefined);
  return (start_time ?? end_time ?? times) !== undefined;
}

/** Reports a problem with the column of a heading, or with the headings as a whole. */
type Tell = (heading: string | undefined, message: string, fix?: ImportProblem['fix']) => void;

function findColumns(headings: readonly string[], options: HeaderOptions, tell: Tell): ColumnPlaces {
  const places: { [C in TableColumn]?: number } = {};
  const named = new Map([...options.columnNames].map(([column, heading]) => [folded(heading), column]));
  const ignored = new Set(options.ignoredColumns.map(folded));
  const isFree = (column: TableColumn) => !options.columnNames.has(column);
  const byRank = { first: new Set<TableColumn>(), second: new Set<TableColumn>() };
  for (const rank of ['first', 'second'] as const) {
    const isFirst = rank === 'first';
    for (const [i, heading] of headings.entries()) {
      if (heading === '' || ignored.has(folded(heading))) continue;
      const byOption = named.get(folded(heading));
      const byWord = byOption === undefined ? columnOf(heading, rank) : undefined;
      const column = isFirst ? (byOption ?? byWord) : byWord;
      if (column === undefined || (byOption === undefined && !isFree(column))) continue;
      if (places[column] === undefined) {
        places[column] = i;
        byRank[rank].add(column);
      } else if (isFirst || (WEIGHTY.has(column) && byRank.second.has(column))) {
        tellTwo(column, headings[places[column] ?? 0] ?? '', heading, tell);
      }
    }
  }
  return withoutSpare(withNameParts(places, byRank.second.has('person')));
}

/**
 * If two second-rank headings stand for one of these columns, that is a problem. For other columns, the first one wins.
 */
const WEIGHTY: ReadonlySet<TableColumn> = new Set(['group', 'person']);

/** Beside `Prénom`, `Nom` is the last name; beside `Apellidos`, `Nombre` is the first name. */
function withNameParts(places: ColumnPlaces, isPersonVague: boolean): ColumnPlaces {
  const { person, first_name, last_name, ...others } = places;
  if (first_name === undefined && last_name === undefined) return places;
  if (person !== undefined && !isPersonVague) return { ...others, person };
  return {
    ...others,
    ...((first_name ?? person) !== undefined && { first_name: first_name ?? person }),
    ...((last_name ?? person) !== undefined && { last_name: last_name ?? person }),
  };
}

/** A column with both times, or with a length, is only read if the start or the end has no column of its own. */
function withoutSpare({ times, hours, ...places }: ColumnPlaces): ColumnPlaces {
  const isComplete = places.start_time !== undefined && places.end_time !== undefined;
  return {
    ...places,
    ...(times !== undefined && !isComplete && { times }),
    ...(hours !== undefined && places.end_time === undefined && { hours }),
  };
}

/** Whether the table has the column, or another one that says the same. */
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
  return isThere(places, column);
}

/**
 * Columns whose values are in the cells of others: a start may come with its date or its end, and a date with the
 * start.
 */
function toldByOthers(places: ColumnPlaces, sample: readonly GridRow[]): readonly TableColumn[] {
  const holds = (column: TableColumn, test: (cell: Cell) => boolean) =>
    sample.some(({ cells }) => {
      const cell = cells[places[column] ?? -1];
      return cell !== undefined && test(cell);
    });
  const told: TableColumn[] = [];
  if (holds('start_time', hasDateAndTime)) told.push('date');
  if (holds('date', hasDateAndTime)) told.push('start_time');
  if (holds('start_time', (cell) => typeof cell === 'string' && readTimes(cell) !== undefined))
    told.push('end_time');
  return told;
}

/** With breaks, a length is ambiguous: it may be that of the work or that of the shift. */
function checkBreaks(
  headings: readonly string[],
  places: ColumnPlaces,
  options: HeaderOptions,
  tell: Tell,
): void {
  const ignored = new Set(options.ignoredColumns.map(folded));
  const breaks = headings.find((heading) => isBreakWord(heading) && !ignored.has(folded(heading)));
  if (places.hours === undefined || breaks === undefined) return;
  tell(
    breaks,
    `there is no column for the end, and the hours may be with the breaks or without; give the end, or, if the hours are with the breaks, say --ignore-columns ${shown(breaks)}`,
  );
}

function tellTwo(column: TableColumn, first: string, second: string, tell: Tell): void {
  if (folded(first) === folded(second)) tell(second, `there are two columns for ${column}`);
  else
    tell(
      second,
      `there are two columns for ${column}, ${quote(first)} and this one; say which it is, such as --columns ${pair(column, first)}`,
      ['--columns', `${column}=${first}`, `${column}=${second}`],
    );
}

function tellLacking(column: TableColumn, tell: Tell): void {
  const ways: Partial<Record<TableColumn, readonly [way: string, fix?: ImportProblem['fix']]>> = {
    publish_date: [
      'give the column, or one date for all with --published-from',
      ['--published-from', 'today'],
    ],
    group: ['--columns tells what a sheet calls it, and --group gives one for all rows', ['--group', 'NAME']],
  };
  const [way = '--columns tells what a sheet calls it', fix] = ways[column] ?? [];
  tell(undefined, `there is no column "${column}"; ${way}`, fix);
}

/**
 * Reports headings that look like misspelt names of missing columns. Returns the columns that they seem to stand for.
 */
function tellMisspelt(
  headings: readonly string[],
  places: ColumnPlaces,
  { columnNames, ignoredColumns, given }: HeaderOptions,
  tell: Tell,
): ReadonlySet<TableColumn> {
  const meant = new Set<TableColumn>();
  const taken = new Set(Object.values(places));
  const left = new Set([...ignoredColumns, ...columnNames.values()].map(folded));
  for (const [i, heading] of headings.entries()) {
    if (heading === '' || taken.has(i) || left.has(folded(heading))) continue;
    const column = nearlyColumn(heading);
    if (column === undefined || isTold(places, column) || given.has(column) || columnNames.has(column))
      continue;
    meant.add(column);
    tell(
      heading,
      `there is no such column; did you mean "${column}"? Then say --columns ${pair(column, heading)}, else --ignore-columns ${shown(heading)}`,
      ['--columns', `${column}=${heading}`],
    );
  }
  return meant;
}

/** Checks that the columns named by --columns and --ignore-columns exist. */
function checkOptions(
  headings: readonly string[],
  { columnNames, ignoredColumns }: HeaderOptions,
  tell: Tell,
): void {
  const hasHeading = (wanted: string) => headings.some((heading) => folded(heading) === folded(wanted));
  const isIgnored = (heading: string) => ignoredColumns.some((one) => folded(one) === folded(heading));
  const named = new Map<string, TableColumn>();
  for (const [column, heading] of columnNames) {
    const other = named.get(folded(heading));
    named.set(folded(heading), column);
    if (!hasHeading(heading))
      tell(undefined, `there is no column ${quote(heading)}, which --columns names for ${column}`);
    else if (isIgnored(heading)) tell(heading, 'both --columns and --ignore-columns name this column');
    else if (other !== undefined)
      tell(heading, `--columns names this column for ${other} and for ${column}, but it can be only one`);
  }
  for (const heading of ignoredColumns) {
    if (!hasHeading(heading))
      tell(undefined, `there is no column ${quote(heading)}, which --ignore-columns names`);
  }
}

function reported(headings: readonly string[], places: ColumnPlaces): Pick<SheetReport, 'taken' | 'leftOut'> {
  const columns = new Map(Object.entries(places).map(([column, place]) => [place, column as TableColumn]));
  const taken: SheetReport['taken'][number][] = [];
  const leftOut: string[] = [];
  for (const [i, heading] of headings.entries()) {
    const column = columns.get(i);
    if (column === undefined) {
      if (heading !== '') leftOut.push(heading);
    } else if (plainWord(heading) !== plainWord(column)) {
      taken.push({ heading, column });
    }
  }
  return { taken, leftOut };
}
