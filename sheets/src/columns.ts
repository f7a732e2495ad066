/** Finds out which column of a sheet holds what, or what is wrong with its headings. */

import { type Cell, type GridRow, textOf } from './cell.ts';
import { askAboutHeadings, HALF_OF_DAY, shown } from './heading-questions.ts';
import type { ReadAs } from './ledger.ts';
import { placeInSheet, type SheetPlace } from './place.ts';
import type { SheetProblem } from './problem.ts';
import type { SheetReport } from './report.ts';
import { NO_DAYS, type RosterDays, rosterDays } from './shape/days.ts';
import { type ColumnPlaces, countHeadings, folded } from './shape/heading-row.ts';
import { type Across, type List, type Roster, type Shape, sampleOf } from './shape/shape.ts';
import { dayOfWeek } from './shape/titles.ts';
import type { SheetOptions } from './sheet-options.ts';
import { isWeekday } from './words/date.ts';
import { columnOf, isOurName, numberedTime, type TableColumn } from './words/headings.ts';
import { isZoneHeading, statusHeading } from './words/status.ts';
import { hasWeekWord, mayBeName } from './words/title.ts';
import { isTotalWord } from './words/words.ts';

/** The columns of a list. Sheets of other shapes are turned into lists with such columns. */
export interface Columns extends Pick<SheetReport, 'taken'> {
  /** What the cells of each column of the sheet become; undefined for those that are left out. */
  readonly became: readonly (ReadAs | undefined)[];
  readonly places: ColumnPlaces;
  /** If there are any, no row can be read. */
  readonly problems: readonly SheetProblem[];
  /** The headings of a list, as they are written. */
  readonly headings: readonly string[];
  /** How many cells a row has. */
  readonly width: number;
  /** A column of weekdays, which must agree with the dates. */
  readonly weekday?: number | undefined;
  /** Whether the sheet is an export of ours, which a program wrote: there is nothing to ask about its ids and names. */
  readonly isExport?: boolean;
  /** Columns of a list that change what a row means. */
  readonly statuses?: readonly MeaningColumn[];
  readonly zones?: readonly MeaningColumn[];
  /** Other columns in which a word such as `sick` would change what a row means. */
  readonly others?: readonly MeaningColumn[];
  /** The times of further shifts in each row: `Start 2`, `End 2`. */
  readonly further?: readonly ColumnPlaces[];
  /** A column of lengths beside start and end, which it must not contradict. */
  readonly hoursBeside?: number | undefined;
  /** A column of weeks, if the dates of a list are only weekdays. */
  readonly week?: number | undefined;
  /** Columns that say am or pm for the times on their left. */
  readonly halves: readonly number[];
  /** Whether a row with more cells than headings is a problem: in a text file, its cells may be shifted by a column. */
  readonly isStrict: boolean;
  /** The columns that the sheet lacks and that a row without an id would need. */
  readonly lacking: readonly TableColumn[];
  /** For shapes with several shifts in a row: how a row for each of them is made. */
  readonly wide?: WideColumns;
}

export interface MeaningColumn {
  readonly place: number;
  readonly heading: string;
  /** Whether the heading may name something else. */
  readonly isVague: boolean;
}

export interface WideColumns {
  /** Where the columns are in a row of the sheet. */
  readonly places: ColumnPlaces;
  readonly weekday: number | undefined;
  /** Those of a roster. */
  readonly days: RosterDays;
  /**
   * The cells for one shift: those of the row that are read, and those that are added. With the others, a sheet with
   * many columns would take the square of its size.
   */
  narrow(cells: readonly Cell[], ...added: readonly Cell[]): GridRow['cells'];
}

/** `isText`: whether the sheet comes from a text file. */
export function columnsOf(shape: Shape, options: SheetOptions, isText: boolean): Columns {
  switch (shape.kind) {
    case 'list':
      return listColumns(shape, options, isText);
    case 'across':
      return acrossColumns(shape, options);
    case 'roster':
      return rosterColumns(shape, options);
  }
}

function listColumns(shape: List, options: SheetOptions, isText: boolean): Columns {
  const headings = shape.headings.cells.map(textOf);
  const sample = sampleOf(shape);
  const trimmed = headings.slice(0, headings.findLastIndex((heading) => heading !== '') + 1);
  const named = readHeadings(
    isText ? headings : trimmed,
    shape.headings,
    options,
    sample,
    hasNamesAlone(sample),
  );
  const { start_time, end_time } = named.places;
  const halves = otherColumns(named, sample, (text) => HALF_OF_DAY.test(text)).filter(
    (place) => place - 1 === start_time || place - 1 === end_time,
  );
  const week = weekBeside(named, sample, options);
  const further = furtherTimes(named, shape.headings, options);
  const meaning = isExport(trimmed) ? {} : meaningColumns(named, options);
  // Of several shifts in a row, it may be the sum.
  const hoursBeside = further.further?.length ? undefined : hoursIn(headings, options);
  const weekday = otherColumns(named, sample, isWeekday)[0];
  const placesOf = (columns: readonly MeaningColumn[] = []) => columns.map(({ place }) => place);
  return {
    ...named,
    became: became(named.width, [
      ...readPlaces(named.places),
      ...(further.further ?? []).flatMap(readPlaces),
      ['hours', hoursBeside],
      ['weekday', weekday],
      ['week', week],
      ...halves.map((place) => ['am or pm', place] as const),
      ...placesOf(meaning.statuses?.filter(({ isVague }) => !isVague)).map(
        (place) => ['status', place] as const,
      ),
      ...placesOf(meaning.zones).map((place) => ['time zone', place] as const),
    ]),
    headings,
    isStrict: isText,
    isExport: isExport(trimmed),
    hoursBeside,
    weekday,
    halves,
    week,
    ...further,
    ...meaning,
  };
}

/** The column with the week of each row, beside one of weekdays. */
function weekBeside(
  { headings, places: { date = -1 } }: Columns,
  sample: readonly GridRow[],
  { year }: SheetOptions,
): number | undefined {
  const days = sample.filter(({ cells }) => isWeekday(textOf(cells[date])));
  const place = headings.findIndex(
    (heading, column) =>
      hasWeekWord(heading) &&
      days.some(({ cells }) => dayOfWeek(heading, cells[column], cells[date], year) !== undefined),
  );
  return place === -1 ? undefined : place;
}

type Reading = readonly [as: ReadAs, place: number | undefined];

function readPlaces(places: ColumnPlaces): readonly Reading[] {
  return Object.entries(places) as [TableColumn, number][];
}

/** The first reading of a column counts. */
function became(width: number, readings: readonly Reading[]): Columns['became'] {
  const byPlace = new Map(readings.map(([as, place]) => [place, as] as const).reverse());
  return Array.from({ length: width }, (_, place) => byPlace.get(place));
}

function meaningColumns(
  { headings, places }: Columns,
  { ignoredColumns }: SheetOptions,
): Pick<Columns, 'statuses' | 'zones' | 'others'> {
  const known = new Set(Object.values(places));
  const inWords = [places.group, places.location, places.remarks].filter((place) => place !== undefined);
  const ignored = new Set(ignoredColumns.map(folded));
  const others = headings.flatMap((heading, place) =>
    heading === '' || known.has(place) || ignored.has(folded(heading))
      ? []
      : { place, heading, isVague: statusHeading(heading) === 'vague' },
  );
  const [statuses = [], rest = []] = [true, false].map((isStatus) =>
    others.filter(({ heading }) => (statusHeading(heading) !== undefined) === isStatus),
  );
  return {
    statuses,
    zones: rest.filter(({ heading }) => isZoneHeading(heading)),
    others: [...rest, ...inWords.map((place) => ({ place, heading: headings[place] ?? '', isVague: true }))],
  };
}

/** The columns of further shifts of a row. Each needs what the first one has. */
function furtherTimes(
  { headings, places, problems }: Columns,
  row: SheetPlace,
  { ignoredColumns }: SheetOptions,
): Pick<Columns, 'further' | 'problems'> {
  const known = new Set(Object.values(places));
  const ignored = new Set(ignoredColumns.map(folded));
  const byNumber = new Map<number, { [C in TableColumn]?: number }>();
  const lonely: SheetProblem[] = [];
  for (const [place, heading] of headings.entries()) {
    const numbered = known.has(place) || ignored.has(folded(heading)) ? undefined : numberedTime(heading);
    if (numbered === undefined || places[numbered.column] === undefined) continue;
    byNumber.set(numbered.number, { ...byNumber.get(numbered.number), [numbered.column]: place });
  }
  for (const { start_time, end_time, times } of byNumber.values()) {
    if (times !== undefined || (start_time === undefined) === (end_time === undefined)) continue;
    const heading = headings[start_time ?? end_time ?? -1] ?? '';
    lonely.push({
      place: placeInSheet(row, heading),
      message: `there is no ${start_time === undefined ? 'start' : 'end'} with the same number`,
      advice: `; if the column is not needed, say --ignore-columns ${shown(heading)}`,
      offers: [['ignore-columns', heading]],
    });
  }
  return { further: [...byNumber.values()], problems: [...problems, ...lonely] };
}

function isExport(headings: readonly string[]): boolean {
  return headings.includes('id') && headings.every(isOurName);
}

/** The place of a column of lengths, whether it is needed or not. */
function hoursIn(
  headings: readonly string[],
  { columnNames, ignoredColumns }: SheetOptions,
): number | undefined {
  const named = columnNames.get('hours');
  const ignored = new Set(ignoredColumns.map(folded));
  const place = headings.findIndex((heading) =>
    named === undefined
      ? columnOf(heading, 'first') === 'hours' && !ignored.has(folded(heading))
      : folded(heading) === folded(named),
  );
  return place === -1 ? undefined : place;
}

const MOST = 0.8;

/** The places of unknown columns most of whose filled cells in the first rows pass the test. */
function otherColumns(
  { places, width }: Columns,
  sample: readonly GridRow[],
  test: (text: string) => boolean,
): readonly number[] {
  const known = new Set(Object.values(places));
  return Array.from({ length: width }, (_, place) => place).filter((place) => {
    if (known.has(place)) return false;
    // Titles and totals tell nothing.
    const texts = sample
      .filter(({ cells }) => cells.filter((cell) => cell !== '').length > 1)
      .map(({ cells }) => textOf(cells[place]))
      .filter((text) => text !== '' && !isTotalWord(text));
    const fitting = texts.filter(test).length;
    // One of them may be misspelt.
    return texts.length > 0 && fitting >= texts.length * MOST;
  });
}

/** The columns of the list are those that are not across, followed by person and times. */
function acrossColumns(shape: Across, options: SheetOptions): Columns {
  const { headings: row } = shape;
  const headings = row.cells.map(textOf);
  const isAcross = new Set(shape.columns);
  const others = headings.map((heading, column) => (isAcross.has(column) ? '' : heading));
  const named = readHeadings([...others, 'person', 'times'], row, options);
  const weekday = otherColumns(named, sampleOf(shape), isWeekday).find((place) => !isAcross.has(place));
  const cellsAre = shape.columnsAre === 'person' ? 'times' : 'person';
  const read = became(headings.length, [
    ...readPlaces(named.places),
    ['weekday', weekday],
    ...shape.columns.map((place) => [cellsAre, place] as const),
  ]);
  return narrowed({ ...named, became: read, weekday }, headings.length);
}

/** The columns of the list are those left of the days, followed by date and times, or date and person. */
function rosterColumns(shape: Roster, options: SheetOptions): Columns {
  const { headings: row, first, times } = shape;
  const labels = row.cells.slice(0, first).map(textOf);
  const days = rosterDays(row, first, options);
  const others = new Set([...days.others.values()].map(folded));
  const named = readHeadings(
    times === undefined
      ? [...withPeople(labels, options), 'date', 'times', ...(first === 0 ? ['person'] : [])]
      : [...labels.with(times, 'times'), 'date', 'person'],
    row,
    { ...options, ignoredColumns: options.ignoredColumns.filter((one) => !others.has(folded(one))) },
    [],
    shape.hasNamedBlocks || hasNamesAlone(sampleOf(shape)),
  );
  const problems = [...days.problems, ...named.problems];
  const weeks = labels.flatMap((label, place) => (hasWeekWord(label) ? [['week', place] as const] : []));
  const read = became(first, [...readPlaces(named.places), ...weeks]);
  return narrowed({ ...named, problems, became: read }, first, days);
}

/** Whether some row holds nothing but a name. */
function hasNamesAlone(sample: readonly GridRow[]): boolean {
  return sample.some(({ cells }) => {
    const [name, ...others] = cells.filter((cell) => cell !== '');
    return name !== undefined && others.length === 0 && mayBeName(name);
  });
}

/** In most rosters the rows are people, under any heading or none. */
function withPeople(labels: readonly string[], options: SheetOptions): readonly string[] {
  if (labels.length === 0 || labels.some((label) => countHeadings([label], options) > 0)) return labels;
  const place = labels.findIndex((label) => label !== '');
  return labels.with(Math.max(0, place), 'person');
}

/** From column `width` on, `wide` is about the cells that are added to each row. */
function narrowed(wide: Columns, width: number, days = NO_DAYS): Columns {
  const { weekday } = wide;
  const kept = [...new Set([...Object.values(wide.places), ...(weekday === undefined ? [] : [weekday])])];
  const places = Object.fromEntries(
    Object.entries(wide.places).map(([column, place]) => [column, kept.indexOf(place)]),
  ) as ColumnPlaces;
  return {
    ...wide,
    places,
    weekday: weekday === undefined ? undefined : kept.indexOf(weekday),
    headings: [],
    width: kept.length,
    wide: {
      places: wide.places,
      weekday,
      days,
      narrow: (cells, ...added) =>
        kept.map((place) => (place < width ? cells[place] : added[place - width]) ?? ''),
    },
  };
}

function readHeadings(
  headings: readonly string[],
  row: SheetPlace,
  options: SheetOptions,
  sample: readonly GridRow[] = [],
  mayHaveSections = false,
): Columns {
  return {
    ...askAboutHeadings(headings, row, options, sample, mayHaveSections),
    headings,
    width: headings.length,
    became: [],
    halves: [],
    isStrict: false,
  };
}
