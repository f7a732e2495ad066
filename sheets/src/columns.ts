/** Finds out which column of a sheet holds what, or what is wrong with its headings. */

import { type Cell, type GridRow, textOf } from './cell.ts';
import { askAboutHeadings, type Headings, shown } from './heading-questions.ts';
import type { ReadAs } from './ledger.ts';
import { placeInSheet, type SheetPlace, type SheetProblem } from './problem.ts';
import { NO_DAYS, namesAmong, partsIn, type RosterDays, rosterDays } from './shape/days.ts';
import {
  type ColumnPlaces,
  countHeadings,
  folded,
  type UnreadHeading,
  unreadHeadings,
} from './shape/heading-row.ts';
import { type Across, type List, type Roster, type Shape, sampleOf } from './shape/shape.ts';
import { dayFinder } from './shape/titles.ts';
import type { SheetOptions } from './sheet-options.ts';
import { isWeekday } from './words/date.ts';
import { isOurName, numberedTime, type TableColumn } from './words/headings.ts';
import { isZoneHeading, statusHeading } from './words/status.ts';
import { HALF_OF_DAY } from './words/time.ts';
import { hasWeekWord, mayBeName } from './words/title.ts';
import { isTotalWord } from './words/words.ts';

/** Sheets of other shapes than lists are turned into rows with one shift each. */
export type Columns = ListColumns | AcrossColumns | RosterColumns;

/** Where the cells of a row with one shift are. */
interface ShiftColumns extends Headings {
  /** What the cells of each column of the sheet become; undefined for those that are left out. */
  readonly became: readonly (ReadAs | undefined)[];
  /** How many cells a row has. */
  readonly width: number;
  /** A column of weekdays, which must agree with the dates. */
  readonly weekday: number | undefined;
}

export interface ListColumns extends ShiftColumns {
  readonly kind: 'list';
  readonly shape: List;
  /** As they are written. */
  readonly headings: readonly string[];
  /** Whether it comes from a text file: in a row with more cells than headings, these may be shifted by a column. */
  readonly isText: boolean;
  /** Whether the sheet is an export of ours, which a program wrote: there is nothing to ask about its ids and names. */
  readonly isExport: boolean;
  /** Columns that change what a row means. */
  readonly statuses: readonly MeaningColumn[];
  readonly zones: readonly MeaningColumn[];
  /** Other columns in which a word such as `sick` would change what a row means. */
  readonly others: readonly MeaningColumn[];
  /** The times of further shifts in each row: `Start 2`, `End 2`. */
  readonly further: readonly ColumnPlaces[];
  /** A column of lengths beside start and end, which it must not contradict. */
  readonly hoursBeside: number | undefined;
  /** A column of weeks, if the dates are only weekdays. */
  readonly week: number | undefined;
  /** Columns that say am or pm for the times on their left. */
  readonly halves: readonly number[];
}

export interface MeaningColumn extends UnreadHeading {
  /** Whether the heading may name something else. */
  readonly isVague: boolean;
}

/** Several shifts in a row, of each of which a row is made. */
interface WideColumns extends ShiftColumns {
  /** Where the columns are in a row of the sheet. */
  readonly inSheet: Pick<ShiftColumns, 'places' | 'weekday'>;
  /**
   * The cells for one shift: those of the row that are read, and those that are added. With the others, a sheet with
   * many columns would take the square of its size.
   */
  narrow(cells: readonly Cell[], ...added: readonly Cell[]): GridRow['cells'];
}

export interface AcrossColumns extends WideColumns {
  readonly kind: 'across';
  readonly shape: Across;
}

export interface RosterColumns extends WideColumns {
  readonly kind: 'roster';
  readonly shape: Roster;
  readonly days: RosterDays;
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

function listColumns(shape: List, options: SheetOptions, isText: boolean): ListColumns {
  const all = shape.headings.cells.map(textOf);
  const sample = sampleOf(shape);
  const trimmed = all.slice(0, all.findLastIndex((heading) => heading !== '') + 1);
  const headings = isText ? all : trimmed;
  const named = askAboutHeadings(headings, shape.headings, options, sample, hasNamesAlone(sample));
  const { places } = named;
  const known = new Set(Object.values(places));
  const isUnread = (place: number) => !known.has(place);
  const halves = columnsOfMost(headings, sample, (text) => HALF_OF_DAY.test(text)).filter(
    (place) => isUnread(place) && (place - 1 === places.start_time || place - 1 === places.end_time),
  );
  const weekday = columnsOfMost(headings, sample, isWeekday).find(isUnread);
  const week = weekBeside(all, places, sample, options);
  const unread = unreadHeadings(headings, places, options.ignoredColumns);
  const { further, lonely } = furtherTimes(unread, places, shape.headings);
  const isOurs = isExport(trimmed);
  const meaning = isOurs ? NO_MEANING : meaningColumns(unread, all, places);
  // Of several shifts in a row, it may be the sum.
  const hoursBeside = further.length > 0 ? undefined : named.hours;
  return {
    ...named,
    ...meaning,
    kind: 'list',
    shape,
    problems: [...named.problems, ...lonely],
    became: became(headings.length, [
      ...readPlaces(places),
      ...further.flatMap(readPlaces),
      ['hours', hoursBeside],
      ['weekday', weekday],
      ['week', week],
      ...halves.map((place) => ['am or pm', place] as const),
      ...meaning.statuses.flatMap(({ place, isVague }) => (isVague ? [] : [['status', place] as const])),
      ...meaning.zones.map(({ place }) => ['time zone', place] as const),
    ]),
    headings: all,
    width: headings.length,
    isText,
    isExport: isOurs,
    further,
    hoursBeside,
    weekday,
    week,
    halves,
  };
}

/** The column with the week of each row, beside one of weekdays. */
function weekBeside(
  headings: readonly string[],
  { date = -1 }: ColumnPlaces,
  sample: readonly GridRow[],
  { year }: SheetOptions,
): number | undefined {
  const days = sample.filter(({ cells }) => isWeekday(textOf(cells[date])));
  const place = headings.findIndex(
    (heading, week) =>
      hasWeekWord(heading) &&
      days.map(dayFinder(heading, { week, date }, year)).some((day) => day !== undefined),
  );
  return place === -1 ? undefined : place;
}

type ReadColumn = readonly [as: ReadAs, place: number | undefined];

function readPlaces(places: ColumnPlaces): readonly ReadColumn[] {
  return Object.entries(places) as [TableColumn, number][];
}

/** The first reading of a column counts. */
function became(width: number, readings: readonly ReadColumn[]): ShiftColumns['became'] {
  const byPlace = new Map(readings.map(([as, place]) => [place, as] as const).reverse());
  return Array.from({ length: width }, (_, place) => byPlace.get(place));
}

type Meaning = Pick<ListColumns, 'statuses' | 'zones' | 'others'>;
export const NO_MEANING: Meaning = { statuses: [], zones: [], others: [] };

function meaningColumns(
  unread: readonly UnreadHeading[],
  headings: readonly string[],
  { group, location, remarks }: ColumnPlaces,
): Meaning {
  const inWords = [group, location, remarks].filter((place) => place !== undefined);
  const { statuses = [], rest = [] } = Object.groupBy(
    unread.map((one) => ({ ...one, isVague: statusHeading(one.heading) === 'vague' })),
    ({ heading }) => (statusHeading(heading) === undefined ? 'rest' : 'statuses'),
  );
  return {
    statuses,
    zones: rest.filter(({ heading }) => isZoneHeading(heading)),
    others: [...rest, ...inWords.map((place) => ({ place, heading: headings[place] ?? '', isVague: true }))],
  };
}

/** The columns of further shifts of a row. Each needs what the first one has. */
function furtherTimes(
  unread: readonly UnreadHeading[],
  places: ColumnPlaces,
  row: SheetPlace,
): { readonly further: readonly ColumnPlaces[]; readonly lonely: readonly SheetProblem[] } {
  const byNumber = new Map<number, { [C in TableColumn]?: number }>();
  const lonely: SheetProblem[] = [];
  for (const { place, heading } of unread) {
    const numbered = numberedTime(heading);
    if (numbered === undefined || places[numbered.column] === undefined) continue;
    byNumber.set(numbered.number, { ...byNumber.get(numbered.number), [numbered.column]: place });
  }
  for (const { start_time, end_time, times } of byNumber.values()) {
    if (times !== undefined || (start_time === undefined) === (end_time === undefined)) continue;
    const heading = unread.find(({ place }) => place === (start_time ?? end_time))?.heading ?? '';
    lonely.push({
      place: placeInSheet(row, heading),
      message: `there is no ${start_time === undefined ? 'start' : 'end'} with the same number`,
      advice: `; if the column is not needed, say --ignore-columns ${shown(heading)}`,
      offers: [['ignore-columns', heading]],
    });
  }
  return { further: [...byNumber.values()], lonely };
}

function isExport(headings: readonly string[]): boolean {
  return headings.includes('id') && headings.every(isOurName);
}

const MOST = 0.8;

/** The places of columns most of whose filled cells in the first rows pass the test. */
function columnsOfMost(
  headings: readonly string[],
  sample: readonly GridRow[],
  test: (text: string) => boolean,
): readonly number[] {
  // Titles and totals tell nothing.
  const rows = sample.filter(({ cells }) => cells.filter((cell) => cell !== '').length > 1);
  return [...headings.keys()].filter((place) => {
    const texts = rows
      .map(({ cells }) => textOf(cells[place]))
      .filter((text) => text !== '' && !isTotalWord(text));
    // One of them may be misspelt.
    return texts.length > 0 && texts.filter(test).length >= texts.length * MOST;
  });
}

/** The columns of the list are those that are not across, followed by person and times. */
function acrossColumns(shape: Across, options: SheetOptions): AcrossColumns {
  const { headings: row } = shape;
  const headings = row.cells.map(textOf);
  const isAcross = new Set(shape.columns);
  const others = headings.map((heading, column) => (isAcross.has(column) ? '' : heading));
  const added = shape.hasCrosses ? ['person'] : ['person', 'times'];
  const named = askAboutHeadings([...others, ...added], row, options);
  const known = new Set([...Object.values(named.places), ...isAcross]);
  const weekday = columnsOfMost(headings, sampleOf(shape), isWeekday).find((place) => !known.has(place));
  const cellsAre = shape.hasCrosses ? 'status' : shape.columnsAre === 'person' ? 'times' : 'person';
  return {
    ...named,
    ...narrowed({ places: named.places, weekday }, headings.length),
    kind: 'across',
    shape,
    became: became(headings.length, [
      ...readPlaces(named.places),
      ['weekday', weekday],
      ...shape.columns.map((place) => [cellsAre, place] as const),
    ]),
  };
}

/** The columns of the list are those left of the days, followed by date and times, or date and person. */
function rosterColumns(shape: Roster, options: SheetOptions): RosterColumns {
  const { headings: row, first, times, timesOfCrosses } = shape;
  // Whatever it is called, it is known.
  const labels = row.cells.slice(0, first).map((cell, i) => (i === timesOfCrosses ? '' : textOf(cell)));
  const days = rosterDays(row, first, options);
  const others = new Set([...days.others.values()].map(folded));
  const named = askAboutHeadings(
    times === undefined
      ? [...withPeople(labels, options), 'date', 'times', ...(first === 0 ? ['person'] : [])]
      : [...labels.with(times, 'times'), 'date', 'person'],
    row,
    { ...options, ignoredColumns: options.ignoredColumns.filter((one) => !others.has(folded(one))) },
    [],
    shape.hasNamedBlocks || hasNamesAlone(sampleOf(shape)) || hasNamesBelow(shape, days, options),
  );
  const weeks = labels.flatMap((label, place) => (hasWeekWord(label) ? [['week', place] as const] : []));
  return {
    ...named,
    ...narrowed({ places: named.places, weekday: undefined }, first),
    kind: 'roster',
    shape,
    days,
    problems: [...days.problems, ...named.problems],
    became: became(first, [...readPlaces(named.places), ['times', timesOfCrosses], ...weeks]),
  };
}

/** Whether some row holds nothing but a name. */
function hasNamesAlone(sample: readonly GridRow[]): boolean {
  return sample.some(({ cells }) => {
    const [name, ...others] = cells.filter((cell) => cell !== '');
    return name !== undefined && others.length === 0 && mayBeName(name);
  });
}

/** Whether columns that share a day have names. */
function hasNamesBelow(shape: Roster, days: RosterDays, options: SheetOptions): boolean {
  return sampleOf(shape).some((row) => namesAmong(partsIn(row, days, shape) ?? NO_DAYS, options).size > 0);
}

/** In most rosters the rows are people, under any heading or none. */
function withPeople(labels: readonly string[], options: SheetOptions): readonly string[] {
  if (labels.length === 0 || labels.some((label) => countHeadings([label], options) > 0)) return labels;
  const place = labels.findIndex((label) => label !== '');
  return labels.with(Math.max(0, place), 'person');
}

/** From column `width` on, `inSheet` is about the cells that are added to each row. */
function narrowed(
  inSheet: WideColumns['inSheet'],
  width: number,
): Pick<WideColumns, 'places' | 'weekday' | 'width' | 'inSheet' | 'narrow'> {
  const { weekday } = inSheet;
  const kept = [...new Set([...Object.values(inSheet.places), ...(weekday === undefined ? [] : [weekday])])];
  return {
    places: Object.fromEntries(
      Object.entries(inSheet.places).map(([column, place]) => [column, kept.indexOf(place)]),
    ) as ColumnPlaces,
    weekday: weekday === undefined ? undefined : kept.indexOf(weekday),
    width: kept.length,
    inSheet,
    narrow: (cells, ...added) =>
      kept.map((place) => (place < width ? cells[place] : added[place - width]) ?? ''),
  };
}
