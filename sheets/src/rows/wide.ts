/** Makes a row of a list for each shift of a sheet with several shifts in a row: people, times or days stand across. */

import { quote } from '@shiftfeed/common/quote';
import { byOption } from '@shiftfeed/common/reason';
import { asWritten, type Cell, type GridRow, isCrossedOut, SheetRefused, textOf } from '../cell.ts';
import type { AcrossColumns, Columns, ListColumns } from '../columns.ts';
import { placeInSheet, type SheetPlace } from '../problem.ts';
import { cover, type Notes } from '../report.ts';
import { notWeekday } from '../shape/dated.ts';
import type { ShapedRows } from '../shape/shape.ts';
import { dayFinder } from '../shape/titles.ts';
import type { SheetOptions } from '../sheet-options.ts';
import { fitsWeekday, onlyDate } from '../words/date.ts';
import { saysShift } from '../words/status.ts';
import { timesNamed } from '../words/time.ts';
import { isTotalWord } from '../words/words.ts';
import { filling } from './list.ts';
import { rosterRows } from './roster.ts';
import { personIn, rowsOfNames, spread } from './wide-cells.ts';

/** A row for each shift. Throws SheetRefused. */
export function rowsOfShape(
  rows: ShapedRows['rows'],
  columns: Columns,
  report: Notes,
  options: SheetOptions,
): AsyncIterable<readonly GridRow[]> {
  switch (columns.kind) {
    case 'list': {
      const { halves, week } = columns;
      if (halves.length === 0 && week === undefined) return rows;
      const dated = week === undefined ? (row: GridRow) => row : dating(week, columns, options);
      return mapped(rows, (row) => [joinHalves(dated(row), halves)]);
    }
    case 'across':
      return mapped(rows, acrossRow(columns, report, options));
    case 'roster':
      return rosterRows(rows, columns, report, options);
  }
}

async function* mapped(
  rows: ShapedRows['rows'],
  map: (row: GridRow) => readonly GridRow[],
): AsyncGenerator<readonly GridRow[]> {
  for await (const some of rows) yield some.flatMap(map);
}

/** Puts the date in place of a weekday, by the week beside it. */
function dating(
  week: number,
  { headings, places: { date = -1 } }: ListColumns,
  { year }: SheetOptions,
): (row: GridRow) => GridRow {
  const dayIn = dayFinder(headings[week] ?? '', { week, date }, year);
  return (row) => {
    const day = dayIn(row);
    return day === undefined ? row : { ...row, cells: row.cells.with(date, { type: 'date', text: day }) };
  };
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
  {
    shape: { columns, columnsAre, hasCrosses, headings },
    inSheet: { places, weekday },
    narrow,
    became,
  }: AcrossColumns,
  report: Notes,
  options: SheetOptions,
): (row: GridRow) => readonly GridRow[] {
  const texts = headings.cells.map(textOf);
  const all = new Set(columns);
  const { ledger } = report;
  const entries = ledger.entries(became, headings);
  if (columnsAre === 'person') for (const column of columns) ledger.noteName(texts[column] ?? '');
  const isAcross = (column: number) => all.has(column);
  const fill = filling(places, options, texts.length);
  return (inSheet) => {
    const written = asWritten(inSheet);
    if (isTotalWord(textOf(written.cells.find((cell) => cell !== '')))) {
      ledger.leaveOut(inSheet, 'total');
      return [];
    }
    const row = fill(written);
    if (inSheet.crossedOut !== undefined) return [];
    ledger.take(inSheet, entries);
    checkWeekday(row, places.date, weekday, options);
    const made: GridRow[] = [];
    const cells = spread(row, isAcross, options);
    for (const column of columns) {
      if (column >= cells.length) break;
      const cell = cells[column] ?? '';
      if (cell === '' || isCrossedOut(cell)) continue;
      const heading = texts[column] ?? '';
      const place = { ...row, column };
      if (hasCrosses && !isShift(place, cell, options)) continue;
      if (columnsAre === 'person')
        made.push({ ...place, cells: narrow(cells, personIn(heading, report), cell) });
      else
        made.push(
          ...rowsOfNames(cell, place, { report, options }, (name) =>
            narrow(cells, name, timesNamed(heading) ?? heading),
          ),
        );
    }
    // A shift without crosses is open.
    if (hasCrosses && made.length === 0 && textOf(row.cells[places.date ?? -1]) !== '')
      return [{ ...row, cells: narrow(cells, '') }];
    if (made.length === 0)
      cover(
        report.covers,
        onlyDate(textOf(row.cells[places.date ?? -1]), options.year),
        textOf(row.cells[places.group ?? -1]),
      );
    return made;
  };
}

/** Whether a cross says that somebody works then. Throws SheetRefused. */
function isShift(place: SheetPlace, cell: Cell, { statuses }: SheetOptions): boolean {
  const sign = textOf(cell);
  const told = saysShift(sign, statuses);
  if (told !== undefined) return told;
  throw new SheetRefused({
    place: placeInSheet(place),
    message: `${quote(sign)} is another sign than those that stand for a shift`,
    advice: `; if it stands for one, too, say --status ${quote(`${sign}=shift`)}, else --status ${quote(`${sign}=none`)}`,
    fix: byOption('status', `${sign}=shift`, `${sign}=none`),
  });
}

/** A weekday beside a date must match it, if the date can be read in one way only. Throws SheetRefused. */
function checkWeekday(
  row: GridRow,
  dateColumn = -1,
  column: number | undefined,
  options: SheetOptions,
): void {
  if (column === undefined || options.dateFormat !== undefined) return;
  const date = onlyDate(textOf(row.cells[dateColumn]), options.year);
  if (date === undefined || fitsWeekday(textOf(row.cells[column]), date)) return;
  throw notWeekday({ ...row, column }, row.cells[column] ?? '', date);
}
