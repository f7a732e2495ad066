/** The header of a sheet → which cell holds what, or what is wrong with it. */

import { quote } from '../../quote.ts';
import { SHEET_COLUMNS } from '../../store/records.ts';
import { meantKey, plainly } from '../misspelt.ts';
import { placeInSheet } from '../place.ts';
import type { ImportProblem } from '../problems.ts';
import type { SheetColumn } from './sheet.ts';

/** Where the cells of each column are in a row; undefined for columns that the sheet does not have. */
export type ColumnPlaces = { readonly [C in SheetColumn]?: number };

export interface Header {
  readonly places: ColumnPlaces;
  /** How many cells a row has. */
  readonly width: number;
  /** The cells without a heading, which must be empty. */
  readonly nameless: readonly number[];
  /** The columns that a row without an id would need, and the sheet does not have. */
  readonly lacking: readonly SheetColumn[];
}

export interface HeaderOptions {
  /** What the sheet calls columns, by our names. */
  readonly columnNames: ReadonlyMap<SheetColumn, string>;
  /** Columns of the sheet that are not read. */
  readonly ignoredColumns: readonly string[];
  /** Whether publish dates come from elsewhere. */
  readonly hasPublishDate: boolean;
}

/** A row that has no id of its own is known by these, and is a whole shift. */
const NEEDED_WITHOUT_ID: readonly SheetColumn[] = ['date', 'start_time', 'end_time', 'group', 'publish_date'];

export function readHeader(
  headings: readonly string[],
  line: number,
  options: HeaderOptions,
): Header | readonly ImportProblem[] {
  const problems: ImportProblem[] = [];
  const tell: Tell = (heading, message) => problems.push({ place: placeInSheet(line, heading), message });
  const { places, meantColumns } = findColumns(headings, options, tell);
  checkOptions(headings, options, tell);
  if (places.address !== undefined && places.location === undefined) {
    tell('address', 'an address belongs to a location, and there is no column "location"');
  }
  const lacking = NEEDED_WITHOUT_ID.filter(
    (column) => places[column] === undefined && !(column === 'publish_date' && options.hasPublishDate),
  );
  if (places.id === undefined && !meantColumns.has('id')) {
    for (const column of lacking) {
      if (meantColumns.has(column) || options.columnNames.has(column)) continue;
      const way =
        column === 'publish_date'
          ? '; give the column, or one date for all with --published-from'
          : HEADER_HINT;
      tell(undefined, `there is no column "${column}"${way}`);
    }
  }
  if (problems.length > 0) return problems;
  const nameless = headings.flatMap((heading, i) => (heading === '' ? i : []));
  return { places, width: headings.length, nameless, lacking };
}

/** Takes a problem of a column, by its heading, or of the header as a whole. */
type Tell = (heading: string | undefined, message: string) => void;

function findColumns(
  headings: readonly string[],
  options: HeaderOptions,
  tell: Tell,
): { readonly places: ColumnPlaces; readonly meantColumns: ReadonlySet<string> } {
  const places: { [C in SheetColumn]?: number } = {};
  /** What an unknown heading seems to stand for is not missing as well. */
  const meantColumns = new Set<string>();
  const byHeading = columnsByHeading(options);
  const ignored = new Set(options.ignoredColumns.map(folded));
  for (const [i, heading] of headings.entries()) {
    if (heading === '' || ignored.has(folded(heading))) continue;
    const column = byHeading(heading);
    if (column === undefined) {
      const meant = meantKey('sheet', heading);
      if (meant !== undefined) meantColumns.add(meant);
      tell(heading, noSuchColumn(heading, meant));
    } else if (places[column] !== undefined) {
      tell(heading, `there are two columns for ${column}`);
    } else {
      places[column] = i;
    }
  }
  return { places, meantColumns };
}

/** Whether the columns that --columns and --ignore-columns name are there. */
function checkOptions(
  headings: readonly string[],
  { columnNames, ignoredColumns }: HeaderOptions,
  tell: Tell,
): void {
  const isThere = (wanted: string) => headings.some((heading) => folded(heading) === folded(wanted));
  const isIgnored = (heading: string) => ignoredColumns.some((one) => folded(one) === folded(heading));
  const columnOf = new Map<string, SheetColumn>();
  for (const [column, heading] of columnNames) {
    const other = columnOf.get(folded(heading));
    columnOf.set(folded(heading), column);
    if (!isThere(heading))
      tell(undefined, `there is no column ${quote(heading)}, which --columns names for ${column}`);
    else if (isIgnored(heading)) tell(heading, 'both --columns and --ignore-columns name this column');
    else if (other !== undefined)
      tell(heading, `--columns names this column for ${other} and for ${column}, but it can be only one`);
  }
  for (const heading of ignoredColumns) {
    if (!isThere(heading))
      tell(undefined, `there is no column ${quote(heading)}, which --ignore-columns names`);
  }
}

const HEADER_HINT = '; the first line names the columns, and --columns tells what a sheet calls them';

function noSuchColumn(heading: string, meant: string | undefined): string {
  if (meant === undefined) {
    return `there is no such column; leave it out with --ignore-columns, or say with --columns what it is: ${SHEET_COLUMNS.join(', ')}`;
  }
  const given = /[,=\s]/.test(heading) ? `'${meant}=${heading}'` : `${meant}=${heading}`;
  return `there is no such column; did you mean "${meant}"? Then say --columns ${given}`;
}

/** `Start time` and `START_TIME` are `start_time`. What --columns names is called nothing else. */
function columnsByHeading({ columnNames }: HeaderOptions): (heading: string) => SheetColumn | undefined {
  const named = new Map([...columnNames].map(([column, heading]) => [folded(heading), column]));
  const own = new Map(SHEET_COLUMNS.map((column) => [plainly(column), column]));
  return (heading) => {
    const column = own.get(plainly(heading));
    return (
      named.get(folded(heading)) ?? (column !== undefined && columnNames.has(column) ? undefined : column)
    );
  };
}

/** Headings are the same whatever their case. */
export function folded(heading: string): string {
  return heading.trim().toLowerCase();
}
