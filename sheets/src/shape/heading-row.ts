/** Finds the row of headings, and the column that each heading stands for. */

import { type GridRow, isEmptyRow, textOf } from '../cell.ts';
import type { SheetOptions } from '../sheet-options.ts';
import { columnOf, type TableColumn } from '../words/headings.ts';
import { plainWord } from '../words/languages.ts';

/** Where the cells of each column are in a row; undefined for columns that the sheet does not have. */
export type ColumnPlaces = { readonly [C in TableColumn]?: number };

type HeadingOptions = Pick<SheetOptions, 'columnNames' | 'ignoredColumns'>;

/** The headings are expected among this many filled rows. */
export const MAX_ROWS_TO_HEADINGS = 50;

/** The index of the row with the most known headings, or else of the first filled row; -1: there is none. */
export function indexOfHeadings(rows: readonly GridRow[], options: HeadingOptions): number {
  let best = rows.findIndex((row) => !isEmptyRow(row));
  let mostKnown = 0;
  let filled = 0;
  for (const [i, row] of rows.entries()) {
    if (isEmptyRow(row)) continue;
    if (++filled > MAX_ROWS_TO_HEADINGS) break;
    const known = countHeadings(row.cells.map(textOf), options);
    if (known > mostKnown) [best, mostKnown] = [i, known];
  }
  return best;
}

/** How many headings of a row are understood. */
export function countHeadings(
  headings: readonly string[],
  { columnNames, ignoredColumns }: HeadingOptions,
): number {
  const named = new Set([...columnNames.values(), ...ignoredColumns].map(folded));
  const columns = new Set<string>();
  for (const heading of headings) {
    if (heading === '') continue;
    const column = named.has(folded(heading)) ? folded(heading) : columnOf(heading);
    if (column !== undefined) columns.add(column);
  }
  return columns.size;
}

/** Case does not matter in headings, nor does what follows after the first few hundred characters. */
export function folded(heading: string): string {
  return heading.slice(0, MAX_CHARACTERS).trim().toLowerCase();
}

const MAX_CHARACTERS = 300;

export interface UnreadHeading {
  readonly place: number;
  readonly heading: string;
}

/** The headings that stand for none of these columns, and are not left out by an option. */
export function unreadHeadings(
  headings: readonly string[],
  places: ColumnPlaces,
  ignoredColumns: readonly string[],
): readonly UnreadHeading[] {
  const read = new Set(Object.values(places));
  const ignored = new Set(ignoredColumns.map(folded));
  return headings.flatMap((heading, place) =>
    heading === '' || read.has(place) || ignored.has(folded(heading)) ? [] : { place, heading },
  );
}

interface NamedColumns {
  readonly places: ColumnPlaces;
  /** The column of lengths, whether it is needed or not. */
  readonly hours: number | undefined;
  /** Headings that stand for a column beside another one, and are not read. */
  readonly seconds: readonly {
    readonly column: TableColumn;
    readonly first: string;
    readonly second: string;
  }[];
}

export function columnsNamed(
  headings: readonly string[],
  { columnNames, ignoredColumns }: HeadingOptions,
): NamedColumns {
  const places: { [C in TableColumn]?: number } = {};
  const seconds: NamedColumns['seconds'][number][] = [];
  const named = new Map([...columnNames].map(([column, heading]) => [folded(heading), column]));
  const ignored = new Set(ignoredColumns.map(folded));
  const ofSecondRank = new Set<TableColumn>();
  for (const rank of ['first', 'second'] as const) {
    for (const [i, heading] of headings.entries()) {
      if (heading === '' || ignored.has(folded(heading))) continue;
      const byOption = named.get(folded(heading));
      const byWord = byOption === undefined ? columnOf(heading, rank) : undefined;
      const column = rank === 'first' ? (byOption ?? byWord) : byWord;
      if (column === undefined || (byOption === undefined && columnNames.has(column))) continue;
      const before = places[column];
      if (before === undefined) {
        places[column] = i;
        if (rank === 'second') ofSecondRank.add(column);
      } else if (rank === 'first' || (WEIGHTY.has(column) && ofSecondRank.has(column))) {
        seconds.push({ column, first: headings[before] ?? '', second: heading });
      }
    }
  }
  // "Do" is also a Thursday, so it is an end only beside "Od".
  const until = headings.findIndex((heading) => plainWord(heading) === 'do' && !ignored.has(folded(heading)));
  if (
    places.end_time === undefined &&
    plainWord(headings[places.start_time ?? -1] ?? '') === 'od' &&
    until >= 0
  )
    places.end_time = until;
  return {
    places: withoutSpare(withBothNames(places, ofSecondRank.has('person'))),
    hours: places.hours,
    seconds,
  };
}

/**
 * If two second-rank headings stand for one of these columns, that is a problem. For other columns, the first one wins.
 */
const WEIGHTY: ReadonlySet<TableColumn> = new Set(['group', 'person']);

/** Beside `Prénom`, `Nom` is the last name; beside `Apellidos`, `Nombre` is the first name. */
function withBothNames(places: ColumnPlaces, isPersonVague: boolean): ColumnPlaces {
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
