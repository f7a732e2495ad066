/**
 * A cell of a grid: text as a CSV has it, or a cell of a workbook that says what it is. The text of a typed cell has one
 * reading only: dates are YYYY-MM-DD, times H:MM, both with a space between them, numbers have a decimal point.
 */

import type { ImportProblem } from '../problems.ts';
import { ERROR_VALUES } from './words/error-values.ts';

export type Cell = string | TypedCell;

export interface TypedCell {
  readonly type: 'date' | 'time' | 'date and time' | 'number' | 'boolean' | 'error';
  readonly text: string;
}

/** What is read of a file: a single grid, or several sheets of a workbook. */
export interface OpenSheets {
  readonly grids: readonly Grid[];
  /** Sheets of a workbook that hold no shifts, where all that do are read. */
  readonly leftOut: readonly string[];
  /** Whether other sheets of the workbook hold shifts, too, and are not read. */
  readonly isOneOfSeveral: boolean;
}

/** A sheet as rows of cells. */
export interface Grid {
  /** Some at a time. Throws SheetRefused where the file cannot be read on. */
  readonly rows: AsyncIterable<readonly GridRow[]>;
  /** Whether it is text, and not a workbook. */
  readonly isText: boolean;
  /** The name of the sheet of a workbook. */
  readonly sheet?: string | undefined;
  /** Its number in the workbook, where several are read. The lines of its rows hold it, too. */
  readonly number?: number | undefined;
  /** What was found wrong so far, though the rest could be read. Taken once. */
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
