/** Finds the rows of a list that hold shifts. Empty rows, totals and headings in between are left out and counted. */

import { asWritten, type Cell, type GridRow, isCrossedOut, isEmptyRow, textOf } from '../cell.ts';
import type { Columns, ListColumns } from '../columns.ts';
import type { WhyRow } from '../ledger.ts';
import { MAX_SHIFTS_IN_CELL } from '../problem.ts';
import { cover, type Notes } from '../report.ts';
import type { ColumnPlaces } from '../shape/heading-row.ts';
import { KEEP_EMPTY, type SheetOptions } from '../sheet-options.ts';
import { onlyDate } from '../words/date.ts';
import { namesIn } from '../words/people.ts';
import { severalTimes } from '../words/time.ts';
import { isWeekLabel } from '../words/title.ts';
import { isDitto, isTotalWord } from '../words/words.ts';
import { Sections } from './sections.ts';

export async function* shiftRows(
  rows: AsyncIterable<readonly GridRow[]>,
  columns: Columns,
  report: Notes,
  options: SheetOptions,
): AsyncGenerator<readonly GridRow[]> {
  const { ledger } = report;
  const { date = -1, group = -1 } = columns.places;
  // Rows that were made of the cells of others are accounted for already.
  const list = columns.kind === 'list' ? columns : undefined;
  const entries = list && ledger.entries(list.became, list.shape.headings);
  // Those of others were filled before rows were made of them.
  const fill = list ? filling(columns.places, options) : (row: GridRow) => row;
  const repeat = list ? repeating() : (row: GridRow) => row;
  const whyLeftOut = leftOutTest(columns.places, list?.headings);
  const sections = new Sections(columns.places, options, report);
  const isOneShift = !list?.further.length && columns.places.times === undefined && !isPeopleTold(options);
  for await (const some of rows) {
    const kept: GridRow[] = [];
    for (const row of some) {
      const written = asWritten(row);
      const why = whyLeftOut(written.cells);
      const seen = list ? withoutCrossedOut(written, list) : row;
      const filled = isAside(seen.cells, why) ? seen : fill(seen);
      if (row.crossedOut !== undefined) {
        const [day, name] = [date, group].map((place) => textOf(written.cells[place]));
        cover(report.covers, onlyDate(day ?? '', options.year), name);
        if (why === undefined) repeat(filled);
        sections.passCrossedOut(written);
        continue;
      }
      if (why === undefined && row.isHidden) report.hiddenRows++;
      if (entries !== undefined)
        if (why === undefined) ledger.take(row, entries);
        else sections.pass(row, why);
      if (why === undefined && isOneShift)
        kept.push(sections.isLooked ? (sections.of(row, [repeat(filled)])[0] ?? row) : repeat(filled));
      else if (why === undefined)
        for (const one of furtherRows(repeat(filled), columns.places, list?.further))
          kept.push(...sections.of(row, rowsOf(one, columns, options)));
    }
    yield kept;
  }
  sections.end();
}

/** What is crossed out in remarks, and in columns that are left out, is not there. Elsewhere it is a problem. */
function withoutCrossedOut(row: GridRow, { became, isText }: ListColumns): GridRow {
  if (isText) return row;
  const isGone = (cell: Cell, place: number) =>
    isCrossedOut(cell) && (became[place] ?? 'remarks') === 'remarks';
  if (!row.cells.some(isGone)) return row;
  return { ...row, cells: row.cells.map((cell, place) => (isGone(cell, place) ? '' : cell)) };
}

/** Puts what stands above in place of ditto marks. */
function repeating(): (row: GridRow) => GridRow {
  let above: readonly Cell[] = [];
  return (row) => {
    const hasDitto = row.cells.some((cell) => typeof cell === 'string' && isDitto(cell));
    const same = hasDitto
      ? { ...row, cells: row.cells.map((cell, i) => (isDitto(textOf(cell)) ? above[i] || cell : cell)) }
      : row;
    above = same.cells;
    return same;
  };
}

/** Fills the empty cells of the columns in --fill-down, of those before `width`, with the value above them. */
export function filling(
  places: ColumnPlaces,
  { fillDown = [] }: SheetOptions,
  width = Number.POSITIVE_INFINITY,
): (row: GridRow) => GridRow {
  const columns = fillDown
    .flatMap((column) => (column === KEEP_EMPTY ? [] : (places[column] ?? [])))
    .filter((place) => place < width);
  if (columns.length === 0) return (row) => row;
  const names = new Set(NAMES.map((name) => places[name]));
  /** `KW 10` is no name for the rows below it. */
  const isCaption = ({ cells }: GridRow) => {
    const first = firstFilled(cells, 0);
    const text = textOf(cells[first]);
    return names.has(first) && firstFilled(cells, first + 1) === -1 && /\d/.test(text) && isWeekLabel(text);
  };
  const last = new Map<number, Cell>();
  return (row) => {
    if (isEmptyRow(row) || isCaption(row)) return row;
    const cells = [...row.cells];
    for (const place of columns) {
      const cell = cells[place] ?? '';
      if (cell !== '') last.set(place, cell);
      else {
        while (cells.length < place) cells.push('');
        cells[place] = last.get(place) ?? '';
      }
    }
    return { ...row, cells };
  };
}

const NAMES = ['group', 'location', 'person', 'first_name', 'last_name'] as const;

/** A row for each of the shifts whose times stand side by side. */
function furtherRows(
  row: GridRow,
  places: ColumnPlaces,
  further: ListColumns['further'] = [],
): readonly GridRow[] {
  if (further.length === 0) return [row];
  const timesOf = (of: ColumnPlaces) => TIMES.map((name) => row.cells[of[name] ?? -1] ?? '');
  const others = further.flatMap((of) => {
    const times = timesOf(of);
    if (times.every((cell) => cell === '')) return [];
    const cells = [...row.cells];
    for (const [i, name] of TIMES.entries()) {
      const place = places[name];
      if (place !== undefined) cells[place] = times[i] ?? '';
    }
    return { ...row, column: of.start_time ?? of.times, cells };
  });
  const hasFirst = others.length === 0 || timesOf(places).some((cell) => cell !== '');
  return hasFirst ? [row, ...others] : others;
}

const TIMES = ['start_time', 'end_time', 'times'] as const;

/** A row with several times or people becomes several rows. */
function rowsOf(row: GridRow, columns: Columns, options: SheetOptions): readonly GridRow[] {
  const { times, person, id } = columns.places;
  const ranges = partsOf(row.cells[times ?? -1], severalTimes);
  // With an id, a row is one shift. Names that were in one cell of a roster already have rows of their own.
  const mayBeSeveral = isPeopleTold(options) && row.nth === undefined && !row.cells[id ?? -1];
  const names = mayBeSeveral ? partsOf(row.cells[person ?? -1], (text) => namesIn(text, options)) : undefined;
  const count = (ranges?.length ?? 1) * (names?.length ?? 1);
  if (count === 1 || count > MAX_SHIFTS_IN_CELL) return [row];
  const place = ranges === undefined ? person : times;
  return Array.from({ length: count }, (_, nth) => {
    const cells = [...row.cells];
    if (ranges !== undefined && times !== undefined) {
      cells[times] = ranges[nth % ranges.length] ?? '';
      // It is that of all of them.
      if (columns.kind === 'list' && columns.hoursBeside !== undefined) cells[columns.hoursBeside] = '';
    }
    if (names !== undefined && person !== undefined)
      cells[person] = names[Math.floor(nth / (ranges?.length ?? 1))] ?? '';
    // The first of them stands for its row.
    return { ...row, ...(nth > 0 && { column: row.column ?? place, nth: (row.nth ?? 0) + nth }), cells };
  });
}

function isPeopleTold({ people, peopleSeparators }: SheetOptions): boolean {
  return people !== undefined || peopleSeparators !== undefined;
}

function partsOf(
  cell: Cell | undefined,
  cut: (text: string) => readonly string[] | undefined,
): readonly string[] | undefined {
  return typeof cell === 'string' && cell !== '' ? cut(cell) : undefined;
}

/** The index of the first filled cell at or after `from`, or -1. */
function firstFilled(cells: readonly Cell[], from: number): number {
  for (let i = from; i < cells.length; i++) if (cells[i] !== '') return i;
  return -1;
}

/** With fewer columns, an ordinary row may well have only one filled cell. */
const MIN_COLUMNS_WITH_HEADINGS = 3;

/** Why a row is no shift; undefined: it is one. */
function leftOutTest(places: ColumnPlaces, headings: readonly string[] = []) {
  const mayHaveOneCell = Object.keys(places).length >= MIN_COLUMNS_WITH_HEADINGS;
  const firstHeading = firstFilled(headings, 0);
  const width = 1 + headings.findLastIndex((heading) => heading !== '');
  /** A heading between rows has only one filled cell, or repeats the headings. */
  const isHeading = (cells: readonly Cell[], first: number) => {
    if (firstFilled(cells, first + 1) === -1) return mayHaveOneCell && first !== places.id;
    if (first !== firstHeading || cells.length < width) return false;
    return cells.every((cell, i) => i >= headings.length || textOf(cell) === headings[i]);
  };
  return (cells: readonly Cell[]): WhyRow | undefined => {
    const first = firstFilled(cells, 0);
    // Of an empty row, there is nothing to tell.
    if (first === -1) return 'between';
    if (isTotal(cells, first, places)) return 'total';
    return isHeading(cells, first) ? 'between' : undefined;
  };
}

/** Whether what stands in a row counts for none below it: in a total, and in headings that come again. */
function isAside(cells: readonly Cell[], why: WhyRow | undefined): boolean {
  const first = firstFilled(cells, 0);
  // A name beside its sum may begin a block.
  if (why === 'total') return isTotalWord(textOf(cells[first]));
  return why === 'between' && firstFilled(cells, first + 1) !== -1;
}

/** A total has neither a date nor a start, and begins with such a word, or with a name and has only numbers beside it. */
function isTotal(cells: readonly Cell[], first: number, places: ColumnPlaces): boolean {
  const isSilent = (place: number | undefined) =>
    place === undefined || place === first || (cells[place] ?? '') === '';
  if (!isSilent(places.date) || !isSilent(places.start_time) || !isSilent(places.times)) return false;
  const cell = cells[first];
  if (typeof cell === 'string' && isTotalWord(cell)) return true;
  const isName = places.date !== undefined && first === places.person && isSilent(places.end_time);
  return (
    isName &&
    firstFilled(cells, first + 1) !== -1 &&
    cells.every((one, i) => i <= first || /^(?:[\d.,]+)?$/.test(textOf(one)))
  );
}
