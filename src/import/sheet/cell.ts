/**
 * A cell of a grid: plain text, as in a CSV, or a typed cell of a workbook. The text of a typed cell is unambiguous:
 * dates are YYYY-MM-DD, times H:MM, a date with a time has a space in between, and numbers have a decimal point.
 */

import type { ImportProblem } from '../problems.ts';
import { ERROR_VALUES } from './words/error-values.ts';

export type Cell = string | TypedCell;

export interface TypedCell {
  readonly type: 'date' | 'time' | 'date and time' | 'number' | 'boolean' | 'error';
  readonly text: string;
}

/** What is read from a file: a single grid, or several sheets of a workbook. */
export interface OpenSheets {
  readonly grids: readonly Grid[];
  /** When all sheets with shifts are read: the sheets that hold none. */
  readonly leftOut: readonly string[];
  /** Whether other sheets of the workbook also hold shifts, but are not read. */
  readonly isOneOfSeveral: boolean;
}

/** A sheet as rows of cells. */
export interface Grid {
  /** Yields some rows at a time. Throws SheetRefused where the rest of the file cannot be read. */
  readonly rows: AsyncIterable<readonly GridRow[]>;
  /** Whether it comes from a text file, and not from a workbook. */
  readonly isText: boolean;
  /** The name of the sheet of a workbook. */
  readonly sheet?: string | undefined;
  /** Its number in the workbook, if several sheets are read. It is also part of the line numbers of its rows. */
  readonly number?: number | undefined;
  /** Problems that did not stop the reading. Each is returned only once. */
  takeProblems(): readonly ImportProblem[];
}

/** A row of a grid. */
export interface GridRow {
  /** The line of the file on which it begins, or the row of the workbook, from 1 on. */
  readonly line: number;
  readonly cells: readonly Cell[];
  /** Whether it is hidden in the workbook, by hand or by a filter. */
  readonly isHidden?: boolean;
}

export function textOf(cell: Cell | undefined): string {
  return typeof cell === 'string' ? cell : (cell?.text ?? '');
}

/** Whether a formula failed, or the column was too narrow when the sheet was saved as text. */
export function isError(cell: Cell): boolean {
  if (typeof cell !== 'string') return cell.type === 'error';
  const first = cell.charCodeAt(0);
  if (first === HASH) return ERROR_VALUES.has(cell) || /^#{3,}$/.test(cell);
  return first === CAPITAL_E && /^Err:\d{3}$/.test(cell);
}

const HASH = 35;
const CAPITAL_E = 69;

export function isEmptyRow({ cells }: GridRow): boolean {
  return cells.every((cell) => cell === '');
}
