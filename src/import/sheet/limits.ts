/**
 * What a sheet may have. Each limit is far above any plan. Together they bound the time and the memory that a file
 * takes: a small file can name, repeat and merge any number of cells.
 */

import type { GridRow } from './cell.ts';
import { refusal } from './refusal.ts';

/** Those of spreadsheet programs. */
export const MAX_ROWS = 1_048_576;
export const MAX_COLUMNS = 16_384;
export const MAX_SHEETS = 1_000;
/** Of all sheets that are read. Empty cells left of filled ones count, and so do those that a merge fills. */
const MAX_CELLS = 30_000_000;
const MAX_CHARACTERS = 300_000_000;
/** More than a spreadsheet allows in a cell, and more than any field of a shift takes. */
const MAX_CELL_CHARACTERS = 40_000;

/** Such as `1,048,576`. */
export function inFull(number: number): string {
  return number.toLocaleString('en');
}

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
