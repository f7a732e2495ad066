/** The cells of a sheet with several shifts in a row: those that are merged, and those that hold names. */

import { quote } from '@shiftfeed/common/quote';
import { type Cell, type GridRow, isError, refusedAt, type SheetRefused, textOf } from '../cell.ts';
import { MAX_SHIFTS_IN_CELL, type SheetPlace } from '../problem.ts';
import { type Notes, noteCell } from '../report.ts';
import type { SheetOptions } from '../sheet-options.ts';
import { isNobody, namesIn, toldPeople } from '../words/people.ts';
import { readTimes } from '../words/time.ts';
import { isFree } from '../words/words.ts';

/** The cells of a row, in which one that is merged with others on its right counts for all of them. Throws SheetRefused. */
export function spread(
  { cells, spans, ...row }: GridRow,
  isRead: (column: number) => boolean,
  { codes }: SheetOptions,
): readonly Cell[] {
  if (spans === undefined) return cells;
  const all: Cell[] = [...cells];
  for (const [column, last] of spans) {
    const cell = cells[column] ?? '';
    if (cell === '' || !isRead(column)) continue;
    // Each cell is filled only once, however many merges there are.
    for (let next = column + 1; next <= last && (all[next] ?? '') === ''; next++) {
      if (!isRead(next)) continue;
      if (isOvernight(codes?.get(textOf(cell)) ?? textOf(cell))) throw maybeOne({ ...row, column }, cell);
      while (all.length < next) all.push('');
      all[next] = cell;
    }
  }
  return all;
}

function isOvernight(text: string): boolean {
  const [start, end] = readTimes(text) ?? [];
  return start !== undefined && end !== undefined && end.minute <= start.minute;
}

function maybeOne(place: SheetPlace, cell: Cell): SheetRefused {
  return refusedAt(
    place,
    `${quote(textOf(cell))} is merged over several cells, and may be one shift over night or one in each of them: write it into each cell in which a shift begins`,
  );
}

/**
 * A row for each person in a cell. A word such as `open` is a shift without a person, and one such as `frei` or a dash no
 * shift, which is counted. Throws SheetRefused.
 */
export function rowsOfNames(
  cell: Cell,
  place: SheetPlace,
  { report, options }: { report: Notes; options: SheetOptions },
  cellsWith: (name: Cell) => GridRow['cells'],
): readonly GridRow[] {
  const text = textOf(cell);
  if (isError(cell)) return [{ ...place, cells: cellsWith(cell) }];
  const told = toldPeople(text, options);
  if (told !== undefined && told.length < 2) return [{ ...place, nth: 0, cells: cellsWith(text) }];
  const { peopleSeparators = [] } = options;
  if (isFree(text)) {
    noteCell(report.noShifts, text);
    return [];
  }
  if (
    told === undefined &&
    text.includes(',') &&
    !peopleSeparators.some((one) => one === ',' || one === 'none')
  )
    throw refusedAt(
      place,
      `${quote(text)} may be one name or several: write each on a line of its own within the cell`,
      {
        advice: ', or say --people-separator "," for several, or none for one',
        offers: [
          ['people-separator', ','],
          ['people-separator', 'none'],
        ],
      },
    );
  const names =
    told ??
    (isNobody(text)
      ? [text]
      : text.split(/[\n/&+;]/).flatMap((some) => namesIn(some, options) ?? some.trim()));
  const people = names.filter((name) => name !== '' && !isFree(name));
  for (const name of names) if (name !== '' && isFree(name)) noteCell(report.noShifts, name);
  if (people.length > MAX_SHIFTS_IN_CELL)
    throw refusedAt(
      place,
      `${quote(text)} holds ${people.length} names, and a cell may hold ${MAX_SHIFTS_IN_CELL}: give the others a row of their own`,
    );
  return people.map((name, nth) => ({ ...place, nth, cells: cellsWith(personIn(name, report)) }));
}

/** The name of a person, or nothing if it stands for nobody, which is counted. */
export function personIn(name: string, { nobodies }: Notes): string {
  if (!isNobody(name)) return name;
  noteCell(nobodies, name);
  return '';
}
