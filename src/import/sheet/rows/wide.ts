/** Makes a row of a list for each shift of a sheet with several shifts in a row: people, times or days stand across. */

import { quote } from '@shiftfeed/common/quote';
import { MAX_SHIFTS_IN_CELL, placeInSheet, type SheetPlace } from '../../place.ts';
import { type Cell, type GridRow, SheetRefused, textOf } from '../cell.ts';
import type { Columns, WideColumns } from '../columns.ts';
import type { SheetOptions } from '../options.ts';
import { type LeftOutRows, noteTitle, noteUnnamed, type SheetReport } from '../report.ts';
import { findDays, type RosterDays, rosterDays } from '../shape/days.ts';
import { type Across, type Pairs, pairsIn, type Roster, type ShapedRows } from '../shape/shape.ts';
import { isWeekday } from '../words/date.ts';
import { columnOf } from '../words/headings.ts';
import { readTimes, timesNamed } from '../words/time.ts';
import { isFree, isTotalWord } from '../words/words.ts';
import { filling } from './list.ts';

/** A row for each shift. Throws SheetRefused. */
export function rowsOfShape(
  { shape, rows }: ShapedRows,
  { wide, halves }: Columns,
  report: SheetReport,
  options: SheetOptions,
): AsyncIterable<readonly GridRow[]> {
  if (shape.kind === 'list' || wide === undefined)
    return halves.length === 0 ? rows : mapped(rows, (row) => [joinHalves(row, halves)]);
  return shape.kind === 'across'
    ? mapped(rows, acrossRow(shape, wide, report))
    : rosterRows(rows, { roster: shape, wide, report, options });
}

async function* mapped(
  rows: ShapedRows['rows'],
  map: (row: GridRow) => readonly GridRow[],
): AsyncGenerator<readonly GridRow[]> {
  for await (const some of rows) yield some.flatMap(map);
}

/** A column that says am or pm, and the one of the times on its left, become one. */
function joinHalves(row: GridRow, halves: readonly number[]): GridRow {
  const { cells } = row;
  const joined: Cell[] = [...cells];
  for (const place of halves) {
    const [time, half] = [textOf(cells[place - 1]), textOf(cells[place])];
    if (time !== '' && half !== '') joined[place - 1] = `${time} ${half}`;
  }
  return { ...row, cells: joined };
}

function acrossRow(
  { columns, columnsAre, headings }: Across,
  { narrow, unnamed }: WideColumns,
  report: SheetReport,
): (row: GridRow) => readonly GridRow[] {
  const texts = headings.cells.map(textOf);
  return (row) => {
    if (isTotalWord(textOf(row.cells.find((cell) => cell !== '')))) {
      report.leftOutRows.totals++;
      return [];
    }
    const made: GridRow[] = [];
    for (const column of columns) {
      if (column >= row.cells.length) break;
      const cell = row.cells[column] ?? '';
      if (cell === '') continue;
      const heading = texts[column] ?? '';
      const place = { ...row, column };
      if (columnsAre === 'person') made.push({ ...place, cells: narrow(row.cells, heading, cell) });
      else
        made.push(...rowsOfNames(cell, place, (name) => narrow(row.cells, name, timesNamed(heading) ?? '')));
    }
    if (made.length > 0) noteUnnamed(report, row.cells, unnamed);
    return made;
  };
}

/** A row for each person in a cell. A dash means nobody. */
function rowsOfNames(
  cell: Cell,
  place: SheetPlace,
  cellsWith: (name: string) => GridRow['cells'],
): readonly GridRow[] {
  const text = textOf(cell);
  const refused = (message: string) => new SheetRefused({ place: placeInSheet(place), message });
  if (text.includes(','))
    throw refused(
      `${quote(text)} may be one name or several: write each on a line of its own within the cell`,
    );
  const names = text.split(/[\n/&+;]/).map((name) => name.trim());
  const people = names.filter((name) => name !== '' && !isFree(name));
  if (people.length > MAX_SHIFTS_IN_CELL)
    throw refused(
      `${quote(text)} holds ${people.length} names, and a cell may hold ${MAX_SHIFTS_IN_CELL}: give the others a row of their own`,
    );
  return people.map((name, nth) => ({ ...place, nth, cells: cellsWith(name) }));
}

interface RosterSheet {
  readonly roster: Roster;
  readonly wide: WideColumns;
  readonly report: SheetReport;
  readonly options: SheetOptions;
}

/**
 * Reads the rows of a roster as people lay it out: the days may be repeated for each week, and start and end may have
 * cells of their own, side by side or one below the other. Throws SheetRefused.
 */
async function* rosterRows(rows: ShapedRows['rows'], sheet: RosterSheet): AsyncGenerator<readonly GridRow[]> {
  const { roster, wide, options, report } = sheet;
  const { first } = roster;
  const fill = filling(wide.places, options);
  let { days } = wide;
  let shiftsOf = rosterRow(sheet, days, roster.headings);
  let pairs: Pairs | undefined;
  /** A row of starts whose ends are in the next row. */
  let starts: GridRow | undefined;
  const read = (row: GridRow) => shiftsOf(fill(pairs === undefined ? row : joinAcross(row, pairs)));
  for await (const some of rows) {
    const made: GridRow[] = [];
    const add = (more: readonly GridRow[]) => {
      for (const row of more) made.push(row);
    };
    for (const row of some) {
      const isEnds = starts !== undefined && labelledAs('end_time', row, first) !== undefined;
      if (starts !== undefined) add(read(isEnds ? joinDown(starts, row, first) : starts));
      starts = labelledAs('start_time', row, first) === undefined ? undefined : row;
      const found = pairsIn(row, first);
      if (isEnds || starts !== undefined) continue;
      if (areDaysAnew(row, roster, options)) {
        // Days without a year continue those of the previous block.
        days = rosterDays(row, first, options, [...days.dates.values()].at(-1));
        if (days.problems.length > 0) throw new SheetRefused(...days.problems);
        shiftsOf = rosterRow(sheet, days, row);
        pairs = undefined;
        report.leftOutRows.between++;
      } else if (isHeadingOfOthers(row, roster)) {
        throw otherHeading(row);
      } else if (found !== undefined) {
        pairs = found;
        report.leftOutRows.between++;
      } else add(read(row));
    }
    yield made;
  }
  if (starts !== undefined) yield read(starts);
}

/** A row for each filled cell below a day of these headings. */
function rosterRow(
  { roster: { first, times }, wide: { narrow, unnamed }, report }: RosterSheet,
  { dates, others: otherHeadings }: RosterDays,
  headings: GridRow,
): (row: GridRow) => readonly GridRow[] {
  const last = Math.max(first, ...dates.keys());
  const isOther = new Set(otherHeadings);
  const others = new Set(
    headings.cells.flatMap((cell, i) => (i > first && isOther.has(textOf(cell)) ? i : [])),
  );
  return ({ cells, line, sheet }) => {
    const labels: Cell[] = cells.slice(0, first);
    if (isSumOrTitle(labels, cells, first, report.leftOutRows)) return [];
    if (times !== undefined) labels[times] = timesNamed(textOf(labels[times])) ?? textOf(labels[times]);
    const rows: GridRow[] = [];
    let isHeading = true;
    for (let column = first; column < cells.length; column++) {
      const cell = cells[column] ?? '';
      if (cell === '' || others.has(column)) continue;
      if (column > last && readTimes(textOf(cell)) === undefined) continue;
      if (!isWeekday(textOf(cell))) isHeading = false;
      // A filled cell without a heading, between the days or (with times) after them, has no date, which is a problem.
      const date = dates.get(column);
      const when: Cell = date === undefined ? '' : { type: 'date', text: date };
      const place = { sheet, line, column };
      if (times === undefined) rows.push({ ...place, cells: narrow(labels, when, cell) });
      else rows.push(...rowsOfNames(cell, place, (name) => narrow(labels, when, name)));
    }
    if (rows.length >= MIN_WEEKDAYS && isHeading) {
      report.leftOutRows.between++;
      return [];
    }
    if (rows.length > 0) noteUnnamed(report, labels, unnamed);
    return rows;
  };
}

/** So many weekdays, and nothing else, are headings. */
const MIN_WEEKDAYS = 2;

/** Whether a row adds up others, or has nothing below the days. */
function isSumOrTitle(
  labels: readonly Cell[],
  cells: readonly Cell[],
  first: number,
  leftOut: LeftOutRows,
): boolean {
  if (labels.some((label) => isTotalWord(textOf(label))) && cells.slice(first).every(isSum)) {
    leftOut.totals++;
    return true;
  }
  const [title, ...more] = cells.filter((cell) => cell !== '');
  if (title !== undefined && more.length === 0 && labels.includes(title)) noteTitle(leftOut, textOf(title));
  return cells.length <= first;
}

/** A group may be called "Total", but its cells are then not just numbers. */
function isSum(cell: Cell): boolean {
  return /^[\d.,:\s]*h?$/.test(textOf(cell));
}

/**
 * Whether a row repeats the days. A row of a person must not be taken for one, so only the first heading, a week or
 * nothing may stand left of the days.
 */
function areDaysAnew(row: GridRow, { headings, first }: Roster, options: SheetOptions): boolean {
  const isLabel = (cell: Cell, i: number) => {
    const text = textOf(cell);
    return text === '' || text === textOf(headings.cells[i]) || WEEK.test(text);
  };
  return row.cells.slice(0, first).every(isLabel) && findDays([row], options)?.first === first;
}

/** Whether a row repeats the same days beside another label. */
function isHeadingOfOthers({ cells }: GridRow, { headings, first }: Roster): boolean {
  const days = cells.slice(first).map(textOf);
  return days.some((day) => day !== '') && days.every((day, i) => day === textOf(headings.cells[first + i]));
}

function otherHeading(row: GridRow): SheetRefused {
  const label = textOf(row.cells.find((cell) => cell !== ''));
  return new SheetRefused({
    place: placeInSheet(row),
    message: `the days come anew beside ${quote(label)}; if that is a group, write the group of each row into a column headed "Group"`,
  });
}

const WEEK = /^(?:kw|wk|week|woche|kalenderwoche|semaine|semana|sem)\b/i;

function joinAcross(row: GridRow, { columns, others }: Pairs): GridRow {
  const cells: Cell[] = [...row.cells];
  for (const other of others) {
    if (other >= cells.length) break;
    cells[other] = '';
  }
  for (const { start, end } of columns) {
    if (start >= cells.length) break;
    cells[start] = bothTimes(cells[start] ?? '', cells[end] ?? '');
    if (end < cells.length) cells[end] = '';
  }
  return { ...row, cells };
}

/** The place of the label that says so, left of the days. */
function labelledAs(
  column: 'start_time' | 'end_time',
  { cells }: GridRow,
  first: number,
): number | undefined {
  const place = cells.findIndex(
    (cell, i) => i < first && cell !== '' && columnOf(textOf(cell), 'first') === column,
  );
  return place === -1 ? undefined : place;
}

function joinDown(starts: GridRow, ends: GridRow, first: number): GridRow {
  const label = labelledAs('start_time', starts, first);
  const width = Math.max(starts.cells.length, ends.cells.length);
  const cells = Array.from({ length: width }, (_, column): Cell => {
    const [start = '', end = ''] = [starts.cells[column], ends.cells[column]];
    if (column === label) return '';
    return column < first ? start : bothTimes(start, end);
  });
  return { ...starts, cells };
}

/** One time alone stays as it is, and is then refused as not understood. */
function bothTimes(start: Cell, end: Cell): Cell {
  if (start === '' || end === '') return start === '' ? end : start;
  return `${textOf(start)} - ${textOf(end)}`;
}
