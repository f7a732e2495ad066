import { quote } from '../quote.ts';

/** A place in a document, such as `shifts[13].end_time`. */
export function placeOf(...keys: readonly (string | number)[]): string {
  return keys.map(keyPlace).join('').replace(/^\./, '');
}

/** A place in a sheet, such as `line 14, end_time`. */
export function placeInSheet(line: number, column: string | undefined): string {
  const isCell = line >= FIRST_CELL_NUMBER;
  const number = isCell ? (line - FIRST_CELL_NUMBER) % PARTS : line;
  const sheet = Math.floor(number / SHEET);
  const place = isCell ? placeOfCell(number % SHEET, column) : placeOfLine(number % SHEET, column);
  return sheet === 0 ? place : `${placeOfSheet(sheet)}, ${place}`;
}

export function placeOfSheet(sheet: number): string {
  return `sheet ${sheet}`;
}

/** The number of a line when several sheets are read together. It is used wherever a line number is. */
export function lineOfSheet(sheet: number, line: number): number {
  return sheet * SHEET + line;
}

/**
 * The number of a cell in a roster, where a row holds many shifts. It is larger than any line number, and is used
 * wherever a line number is.
 */
export function cellNumber(line: number, column: number): number {
  const sheet = Math.floor(line / SHEET);
  return FIRST_CELL_NUMBER + lineOfSheet(sheet, (line % SHEET) * COLUMNS + column);
}

/** The number of one of several shifts in the same cell, of a roster or of the `column` of a list. */
export function partNumber(line: number, column: number, part: number): number {
  if (part === 0) return line;
  return (line >= FIRST_CELL_NUMBER ? line : cellNumber(line, column)) + part * PARTS;
}

/** How many shifts one cell may hold. */
export const MAX_PARTS = 16;
const PARTS = 2 ** 48;
const FIRST_CELL_NUMBER = 2 ** 42;
const COLUMNS = 2 ** 14;
/** More cells than any sheet of a workbook has. */
const SHEET = 2 ** 36;
/** The highest number of a sheet when several are read together. The first is 1. */
export const MAX_SHEET = FIRST_CELL_NUMBER / SHEET - 1;

function placeOfLine(line: number, column: string | undefined): string {
  if (column === undefined) return `line ${line}`;
  return `line ${line}, ${/^[\w -]{1,40}$/.test(column) ? column : quote(column)}`;
}

/** Such as `cell C14`. */
function placeOfCell(number: number, column: string | undefined): string {
  const cell = `cell ${columnLetters(number % COLUMNS)}${Math.floor(number / COLUMNS)}`;
  return column === undefined || column === 'times' ? cell : `${cell}, ${column}`;
}

/** Such as `C` for the third column, 2. */
export function columnLetters(column: number): string {
  let letters = '';
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26)) {
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters;
  }
  return letters;
}

/** How a key or an index is appended. */
function keyPlace(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`;
  // A key may be any text. If it is not a plain word, it is quoted, escaped and shortened like a value.
  return /^\w{1,40}$/.test(key) ? `.${key}` : `[${quote(key)}]`;
}
