/** What is wrong with a sheet, where, and what would mend it: values, which are made into sentences at the end. */

import { quote } from '@shiftfeed/common/quote';
import type { Reason } from '@shiftfeed/common/reason';

export type { Reason };

export interface SheetProblem extends Reason {
  /** Empty for the file as a whole. */
  readonly place: ProblemPlace | '';
  /** An option that was meant for another file: it names what this one does not have. */
  readonly stale?: readonly [key: string, value: string] | undefined;
}

/** What is wrong with a row, and with which of its columns. */
export interface Flaw extends Reason {
  readonly path: readonly string[];
  /** It is only wrong if the account has no person of this name. */
  readonly unlessPerson?: string | undefined;
}

/** A sentence about columns, which options call by their names, and a page in words. */
export function naming(
  sentence: (nameOf: (column: string) => string) => string,
): Pick<Reason, 'message' | 'onPage'> {
  return { message: sentence((column) => column), onPage: sentence(inWords) };
}

/** Such as `start time`. */
export function inWords(column: string): string {
  return column.replace('_', ' ');
}

/** How to import a sheet whose ids were changed by a spreadsheet. */
export function orWithoutIds(why: string): Pick<Reason, 'message' | 'onPage'> {
  const found = 'rows are found by date, start, group and location';
  return {
    message: `${why} with --ignore-columns id, ${found}`,
    onPage: `${why} without the column of ids, ${found}`,
  };
}

/** A place in a sheet: a row, or one of its cells. Lines and sheets count from 1, columns from 0. */
export interface SheetPlace {
  /** Only if several sheets are read together. */
  readonly sheet?: number | undefined;
  readonly line: number;
  /** Only for a cell. */
  readonly column?: number | undefined;
  /** Which of several shifts in the cell, from 0 on. */
  readonly nth?: number | undefined;
}

/** Where a problem is. Without a line, it is about the sheet as a whole, or about a column. */
export interface ProblemPlace extends Partial<SheetPlace> {
  /** Our name of the column, or its heading. */
  readonly name?: string | undefined;
}

export function placeInSheet({ sheet, line, column }: SheetPlace, name?: string): ProblemPlace {
  return { sheet, line, column, name };
}

/** Such as `line 14, end_time`, `cell C14` or `sheet 2, cell C14, person`. */
export function describePlace({ sheet, line, column, name }: ProblemPlace): string {
  const ofSheet = sheet === undefined ? [] : [`sheet ${sheet}`];
  const named = name === undefined ? [] : [shownHeading(name)];
  if (line === undefined) return [...ofSheet, ...named].join(', ');
  const place = column === undefined ? `line ${line}` : `cell ${columnLetters(column)}${line}`;
  const isClear = column !== undefined && name === 'times';
  return [...ofSheet, place, ...(isClear ? [] : named)].join(', ');
}

/** A heading as places show it. */
function shownHeading(name: string): string {
  return /^[\w -]{1,40}$/.test(name) ? name : quote(name);
}

/** Such as `C` for the third column, 2. */
export function columnLetters(column: number): string {
  let letters = '';
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26)) {
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters;
  }
  return letters;
}

/** How many shifts one cell may hold. */
export const MAX_SHIFTS_IN_CELL = 16;
const COLUMNS = 2 ** 14;
/** More cells than any sheet of a workbook has. */
const CELLS_OF_SHEET = 2 ** 36;
/** Cells have higher numbers than all lines. */
const FIRST_CELL = 2 ** 42;
const NEXT_IN_CELL = 2 ** 48;
/** The highest number of a sheet when several are read together. */
export const MAX_SHEET = FIRST_CELL / CELLS_OF_SHEET - 1;

/** A place as a number from 0 on, which is how the stage keeps it. */
export function positionOf({ sheet = 0, line, column, nth = 0 }: SheetPlace): number {
  const first = sheet * CELLS_OF_SHEET - 1;
  if (column === undefined) return first + line;
  return first + FIRST_CELL + line * COLUMNS + column + nth * NEXT_IN_CELL;
}

export function placeAt(position: number): SheetPlace {
  const isCell = position + 1 >= FIRST_CELL;
  const number = isCell ? (position + 1 - FIRST_CELL) % NEXT_IN_CELL : position + 1;
  const sheet = Math.floor(number / CELLS_OF_SHEET) || undefined;
  const inSheet = number % CELLS_OF_SHEET;
  if (!isCell) return { sheet, line: inSheet };
  const nth = Math.floor((position + 1 - FIRST_CELL) / NEXT_IN_CELL);
  return { sheet, line: Math.floor(inSheet / COLUMNS), column: inSheet % COLUMNS, nth };
}
