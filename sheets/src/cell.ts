/** A sheet as rows of cells, how much of it there may be, and how it is refused. */

import { inFull, quote } from '@shiftfeed/common/quote';
import { placeInSheet, type Reason, type SheetPlace, type SheetProblem } from './problem.ts';
import { ERROR_VALUES } from './words/words.ts';

/** A sheet of a workbook, or the only one of a text file. */
export interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** Whether it comes from a text file, which can be read only once. */
  readonly isText: boolean;
  /**
   * Yields some rows at a time, from the first on. Throws SheetRefused where the rest of the file cannot be read.
   * Sheets should be asked for in their order: some workbooks can only be read from their beginning on.
   */
  rows(): AsyncIterable<readonly GridRow[]>;
  /** Columns that are hidden in the workbook, as far as rows were read. */
  readonly hiddenColumns?: ReadonlySet<number>;
  /** Comments on cells, likewise: the text of each by its cell, such as `C4`. */
  readonly comments?: ReadonlyMap<string, string>;
  /** Its number in the workbook, if several sheets are read. It is also part of the places of its rows. */
  readonly number?: number;
}

/** A row of a sheet, and where it stands. A row that was made of a cell stands where the cell does. */
export interface GridRow extends SheetPlace {
  readonly cells: readonly Cell[];
  /** Whether it is hidden in the workbook, by hand or by a filter. */
  readonly isHidden?: boolean;
  /** Filled cells that are merged with those right of them, by column: the last column of each. */
  readonly spans?: ReadonlyMap<number, number>;
  /** The cells of a row of which all is crossed out, and those that are merged with it. It has no others. */
  readonly crossedOut?: readonly Cell[];
  /** The column of a text with lines that look like rows. */
  readonly swallowing?: number;
  /** What stands above the rows of a block, if it is their group or location. */
  readonly section?: string;
  /** A row of days without dates that is written like the one above it, with nothing between them that dates it. */
  readonly hasDaysOfAbove?: boolean;
}

/**
 * Plain text, as in a CSV, or a typed cell of a workbook. The text of a typed cell is unambiguous: dates are YYYY-MM-DD,
 * times H:MM, a date with a time has a space in between, and numbers have a decimal point.
 */
export type Cell = string | TypedCell;

export interface TypedCell {
  readonly type:
    | 'date'
    | 'time'
    | 'date and time'
    | 'number'
    | 'boolean'
    | 'error'
    | 'crossed out'
    | 'partly crossed out';
  readonly text: string;
  /** Whether it is empty in the sheet. */
  readonly isMade?: boolean;
}

/** What may be read of a cell: nothing if it is crossed out. If a part of it is, it is marked so that nobody can read it. */
export function textOf(cell: Cell | undefined): string {
  if (typeof cell === 'string') return cell;
  if (cell === undefined || cell.type === 'crossed out') return '';
  return isPartlyCrossedOut(cell) ? cell.text.replaceAll(/./gsu, '$&\u0336') : cell.text;
}

/** What stands in a cell, also if it is crossed out. */
export function writtenIn(cell: Cell | undefined): string {
  return typeof cell === 'string' ? cell : (cell?.text ?? '');
}

/** A row as it was before it was crossed out: what continues below it goes on from there. */
export function asWritten(row: GridRow): GridRow {
  return row.crossedOut === undefined ? row : { ...row, cells: row.crossedOut.map(writtenIn) };
}

export function isCrossedOut(cell: Cell): boolean {
  return typeof cell !== 'string' && cell.type === 'crossed out';
}

export function isPartlyCrossedOut(cell: Cell): boolean {
  return typeof cell !== 'string' && cell.type === 'partly crossed out';
}

/**
 * Whether a cell cannot be read: a formula failed, the column was too narrow when the sheet was saved as text, or it is
 * crossed out.
 */
export function isError(cell: Cell): boolean {
  if (typeof cell !== 'string') return cell.type === 'error' || cell.type.endsWith('crossed out');
  if (cell.startsWith('#')) return ERROR_VALUES.has(cell) || /^#{3,}$/.test(cell);
  return cell.startsWith('Err:') && /^Err:\d{3}$/.test(cell);
}

/** What is wrong with such a cell, as the end of a sentence. The text of a formula without a result is the formula. */
export function whyError(cell: Cell): string {
  const text = writtenIn(cell);
  if (isCrossedOut(cell))
    return `${quote(text)} is crossed out, and its row is not: cross out or remove the whole row, or empty the cell`;
  if (isPartlyCrossedOut(cell))
    return `a part of ${quote(text)} is crossed out: remove that part, or all of the cell`;
  if (text.startsWith('='))
    return `${quote(text)} was never calculated: open the workbook in a spreadsheet program, and save it again`;
  return /^#+$/.test(text)
    ? `${quote(text)} shows that the column was too narrow: widen it, and save the sheet again`
    : `${quote(text)} is an error of the spreadsheet: mend the formula, or empty the cell`;
}

export function isEmptyRow({ cells }: GridRow): boolean {
  return cells.every((cell) => cell === '');
}

/** The file, or the rest of it, cannot be read. */
export class SheetRefused extends Error {
  readonly problems: readonly SheetProblem[];

  constructor(...problems: readonly SheetProblem[]) {
    super(problems[0]?.message);
    this.problems = problems;
  }
}

export function refusal(message: string): SheetRefused {
  return new SheetRefused({ place: '', message });
}

export function refusedAt(place: SheetPlace, message: string, how: Partial<Reason> = {}): SheetRefused {
  return new SheetRefused({ place: placeInSheet(place), message, ...how });
}

/*
 * What a sheet may have. Each limit is far above any plan. Together they bound the time and the memory that a file
 * takes: a small file can name, repeat and merge any number of cells.
 */

/** Those of spreadsheet programs. */
export const MAX_ROWS = 1_048_576;
export const MAX_COLUMNS = 16_384;
export const MAX_SHEETS = 1_000;
/** Of all sheets that are read. Empty cells left of filled ones count, and so do those that a merge fills. */
const MAX_CELLS = 30_000_000;
const MAX_CHARACTERS = 300_000_000;
/** More than a spreadsheet allows in a cell, and more than any field of a shift takes. */
const MAX_CELL_CHARACTERS = 40_000;

/** Whether the text of a cell need not be gathered any further. */
export function isFullCell(text: string): boolean {
  return text.length > MAX_CELL_CHARACTERS;
}

/** A longer text is cut. What is left is still too long for any field and is marked, so nothing takes it for a value. */
export function cutCell(text: string): string {
  return isFullCell(text) ? `${text.slice(0, MAX_CELL_CHARACTERS)}…` : text;
}

/** Returns a function that counts the rows that are read, and throws SheetRefused at the limit. */
export function rowCounter(): (row: GridRow) => GridRow {
  let cellCount = 0;
  let characters = 0;
  return (row) => {
    const { cells, line } = row;
    // An empty row takes time, too.
    cellCount += 1 + cells.length;
    for (const cell of cells) characters += typeof cell === 'string' ? cell.length : cell.text.length;
    if (cellCount > MAX_CELLS) throw tooMuch(line, MAX_CELLS, 'cells');
    if (characters > MAX_CHARACTERS) throw tooMuch(line, MAX_CHARACTERS, 'characters');
    return row;
  };
}

function tooMuch(line: number, limit: number, what: string): Error {
  return refusal(
    `up to row ${inFull(line)}, the workbook has more than ${inFull(limit)} ${what}, empty and merged cells included: save the rows and columns of the plan as CSV, and import that`,
  );
}
