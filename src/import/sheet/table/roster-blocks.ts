/**
 * Reads the rows of a roster as people lay it out: the days may be repeated for each week, and start and end may have
 * cells of their own, side by side or one below the other.
 */

import { quote } from '../../../quote.ts';
import { placeInSheet } from '../../place.ts';
import { type Cell, type GridRow, textOf } from '../cell.ts';
import type { SheetOptions } from '../options.ts';
import { SheetRefused } from '../refusal.ts';
import { columnOf } from '../words/column-of.ts';
import {
  findRoster,
  type Roster,
  type RosterDays,
  type RosterLayout,
  rosterDays,
  rosterRows,
} from './roster.ts';

/** Yields a row of a list for each cell. Throws SheetRefused. */
export async function* readBlocks(
  rows: AsyncIterable<readonly GridRow[]>,
  headings: GridRow,
  firstDays: RosterDays,
  options: SheetOptions,
  fill: (row: GridRow) => GridRow,
  layout: RosterLayout,
): AsyncGenerator<readonly GridRow[]> {
  const { roster, count } = layout;
  let days = firstDays;
  let expand = rosterRows(days, headings, layout);
  let pairs: Pairs | undefined;
  /** A row of starts whose ends are in the next row. */
  let starts: GridRow | undefined;
  const read = (row: GridRow) => expand(fill(pairs === undefined ? row : joinAcross(row, pairs)));
  for await (const some of rows) {
    const made: GridRow[] = [];
    for (const row of some) {
      const isEnds = starts !== undefined && labelledAs('end_time', row, roster) !== undefined;
      if (starts !== undefined) add(made, read(isEnds ? joinDown(starts, row, roster) : starts));
      starts = labelledAs('start_time', row, roster) === undefined ? undefined : row;
      const found = pairsIn(row, roster);
      if (isEnds || starts !== undefined) continue;
      if (areDaysAnew(row, headings, roster, options)) {
        days = daysAnew(row, roster, days, options);
        expand = rosterRows(days, row, layout);
        pairs = undefined;
        count.between++;
      } else if (isHeadingOfOthers(row, headings, roster)) {
        throw otherHeading(row);
      } else if (found !== undefined) {
        pairs = found;
        count.between++;
      } else add(made, read(row));
    }
    yield made;
  }
  if (starts !== undefined) yield read(starts);
}

function add(rows: GridRow[], more: readonly GridRow[]): void {
  for (const row of more) rows.push(row);
}

/**
 * Whether a row repeats the days. A row of a person must not be taken for one, so only the first heading, a week or
 * nothing may stand left of the days.
 */
function areDaysAnew(row: GridRow, headings: GridRow, { first }: Roster, options: SheetOptions): boolean {
  const isLabel = (cell: Cell, i: number) => {
    const text = textOf(cell);
    return text === '' || text === textOf(headings.cells[i]) || WEEK.test(text);
  };
  return row.cells.slice(0, first).every(isLabel) && findRoster([row], options)?.first === first;
}

/** Whether a row repeats the same days beside another label. */
function isHeadingOfOthers({ cells }: GridRow, headings: GridRow, { first }: Roster): boolean {
  const days = cells.slice(first).map(textOf);
  return days.some((day) => day !== '') && days.every((day, i) => day === textOf(headings.cells[first + i]));
}

function otherHeading({ cells, line }: GridRow): SheetRefused {
  const label = textOf(cells.find((cell) => cell !== ''));
  return new SheetRefused({
    place: placeInSheet(line, undefined),
    message: `the days come anew beside ${quote(label)}; if that is a group, write the group of each row into a column headed "Group"`,
  });
}

const WEEK = /^(?:kw|wk|week|woche|kalenderwoche|semaine|semana|sem)\b/i;

/** Days without a year continue those of the previous block. */
function daysAnew(row: GridRow, roster: Roster, before: RosterDays, options: SheetOptions): RosterDays {
  const days = rosterDays(row, roster, options, [...before.dates.values()].at(-1));
  if (days.problems.length > 0) throw new SheetRefused(...days.problems);
  return days;
}

interface Pairs {
  readonly columns: readonly { readonly start: number; readonly end: number }[];
  /** Such as breaks and sums. */
  readonly others: readonly number[];
}

/** Pairs below the days: `von`, `bis`, `von`, `bis`. Returns undefined if the row is something else. */
export function pairsIn({ cells }: GridRow, { first }: Pick<Roster, 'first'>): Pairs | undefined {
  const columns: { readonly start: number; readonly end: number }[] = [];
  const others: number[] = [];
  let start: number | undefined;
  for (let column = first; column < cells.length; column++) {
    const text = textOf(cells[column]);
    const word = text === '' ? undefined : columnOf(text, 'first');
    if (word === 'start_time') start = column;
    else if (word === 'end_time' && start !== undefined) {
      columns.push({ start, end: column });
      start = undefined;
    } else if (text !== '') others.push(column);
  }
  return columns.length === 0 ? undefined : { columns, others };
}

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
  { first }: Roster,
): number | undefined {
  const place = cells.findIndex(
    (cell, i) => i < first && cell !== '' && columnOf(textOf(cell), 'first') === column,
  );
  return place === -1 ? undefined : place;
}

function joinDown(starts: GridRow, ends: GridRow, roster: Roster): GridRow {
  const label = labelledAs('start_time', starts, roster);
  const width = Math.max(starts.cells.length, ends.cells.length);
  const cells = Array.from({ length: width }, (_, column): Cell => {
    const [start = '', end = ''] = [starts.cells[column], ends.cells[column]];
    if (column === label) return '';
    return column < roster.first ? start : bothTimes(start, end);
  });
  return { ...starts, cells };
}

/** One time alone stays as it is, and is then refused as not understood. */
function bothTimes(start: Cell, end: Cell): Cell {
  if (start === '' || end === '') return start === '' ? end : start;
  return `${textOf(start)} - ${textOf(end)}`;
}
