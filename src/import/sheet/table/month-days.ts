/** Turns the days of a roster that are numbers under the name of a month into dates. */

import { type Day, formatDate, parseDate, weekdayOf } from '../../../listing/calendar.ts';
import { quote } from '../../../quote.ts';
import { cellNumber, placeInSheet } from '../../place.ts';
import { type Cell, type GridRow, textOf } from '../cell.ts';
import type { SheetOptions } from '../options.ts';
import { SheetRefused } from '../refusal.ts';
import { monthIn, weekdaysNamed } from '../values/date.ts';

/** This many consecutive numbers are taken for days. */
const MIN_NUMBERS = 5;

/** The same rows, with dates in place of such numbers. Throws SheetRefused. */
export function withMonthDays(rows: readonly GridRow[], { year }: SheetOptions): GridRow[] {
  const dated = [...rows];
  let titles: string[] = [];
  for (const [i, row] of rows.entries()) {
    const first = firstNumber(row.cells);
    if (first === -1) {
      titles.push(...row.cells.flatMap((cell) => monthOf(cell, year) ?? []));
      continue;
    }
    titles.push(...row.cells.slice(0, first).flatMap((cell) => monthOf(cell, year) ?? []));
    dated[i] = datedRow(row, first, titles);
    checkWeekdays(dated[i], first, [rows[i - 1], rows[i + 1]]);
    titles = [];
  }
  return dated;
}

export function hasMonthDays(rows: readonly GridRow[]): boolean {
  return rows.some(({ cells }) => firstNumber(cells) !== -1);
}

/** The index of the first day, or -1. */
function firstNumber(cells: readonly Cell[]): number {
  return cells.findIndex((_, i) =>
    Array.from({ length: MIN_NUMBERS }, (_, n) => numberIn(cells[i + n]) - n).every(
      (day, _, days) => day === days[0],
    ),
  );
}

function numberIn(cell: Cell | undefined): number {
  const [, digits] = /^(\d{1,2})\.?$/.exec(textOf(cell)) ?? [];
  return Number(digits ?? Number.NaN);
}

/** As YYYY-MM; undefined: it is no month. */
function monthOf(cell: Cell, year: number | undefined): string | undefined {
  if (typeof cell === 'string') return monthIn(cell, year);
  return cell.type === 'date' && cell.text.endsWith('-01') ? cell.text.slice(0, 7) : undefined;
}

function datedRow({ cells, ...row }: GridRow, first: number, titles: readonly string[]): GridRow {
  const months = [...new Set(titles)];
  const [month] = months;
  if (month === undefined || months.length > 1) {
    const found = months.length > 1 ? `, and not two such as ${months.slice(0, 2).join(' and ')}` : '';
    throw new SheetRefused({
      place: placeInSheet(row.line, undefined),
      message: `the days are numbers: write their month and year above them, such as "March 2027"${found}`,
    });
  }
  if (mayBeDay(numberIn(cells[first - 1]))) throw notNext(row.line, first, cells[first]);
  let before = (parseDate(`${month}-01`) as Day) - 1 + numberIn(cells[first]) - 1;
  let numberBefore = 0;
  return {
    ...row,
    cells: cells.map((cell, column) => {
      const number = numberIn(cell);
      if (column < first || !mayBeDay(number)) return cell;
      const date = formatDate((before + 1) as Day);
      const isNext = Number(date.slice(8)) === number;
      if (!isNext && number !== numberBefore + 1) throw notNext(row.line, column, cell);
      numberBefore = number;
      // Some number every month up to 31. What the month does not have is then not a day.
      if (!isNext) return cell;
      before++;
      return { type: 'date', text: date };
    }),
  };
}

function mayBeDay(number: number): boolean {
  return number >= 1 && number <= 31;
}

/** A day may be there twice or be left out, and numbers alone do not tell which days are meant. */
function notNext(line: number, column: number, cell: Cell | undefined): SheetRefused {
  return new SheetRefused({
    place: placeInSheet(cellNumber(line, column), undefined),
    message: `${quote(textOf(cell))} is not the day after the one left of it: number all days without a gap, or write dates such as 2027-03-01`,
  });
}

/** Weekdays above or below the days must match them: the month may be left over from another sheet. */
function checkWeekdays(
  { cells, line }: GridRow,
  first: number,
  beside: readonly (GridRow | undefined)[],
): void {
  for (const row of beside) {
    for (const [column, cell] of (row?.cells ?? []).entries()) {
      const possible = column < first ? undefined : weekdaysNamed(textOf(cell));
      const day = parseDate(textOf(cells[column]));
      if (possible === undefined || day === undefined || possible.has(weekdayOf(day))) continue;
      throw new SheetRefused({
        place: placeInSheet(cellNumber(row?.line ?? line, column), undefined),
        message: `${quote(textOf(cell))} is not the weekday of ${formatDate(day)}: is the month above the days right?`,
      });
    }
  }
}
