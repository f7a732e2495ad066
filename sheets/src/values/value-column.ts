/** How each cell of a column is read by itself, and refused. */

import { type Cell, isError, whyError } from '../cell.ts';
import type { Flaw, Reason } from '../problem.ts';
import type { TableColumn } from '../words/headings.ts';

/** Reports what is wrong with a cell, and which fields of the shift are unknown because of it. */
export type Refuse = (
  column: TableColumn,
  fields: readonly string[],
  reason: string | Omit<Flaw, 'path'>,
) => void;

export const EMPTY = 'is empty';

/** An empty cell is a problem. */
export const REQUIRED = Symbol('required');

/** A column, and how each of its cells is read by itself. */
export interface ValueColumn<Value> {
  readonly name: TableColumn;
  /** undefined: the sheet does not have it. */
  readonly place: number | undefined;
  /** The fields of the shift that are unknown if a cell cannot be read. */
  readonly fields: readonly string[];
  /** undefined: the cell is not what is expected. */
  readonly read: (text: string, cell: Cell) => Value | undefined;
  /** Why `read` returned undefined. */
  readonly why: (text: string, cell: Cell) => string | Reason;
  readonly whenEmpty: Value | typeof REQUIRED | undefined;
}

/** undefined: there is no such column, its cell is refused, or it is empty and that means nothing. */
export function valueIn<Value>(
  { name, place, fields, read, why, whenEmpty }: ValueColumn<Value>,
  cells: readonly Cell[],
  refuse: Refuse,
): Value | undefined {
  if (place === undefined) return undefined;
  const cell = cells[place] ?? '';
  if (cell === '') {
    if (whenEmpty !== REQUIRED) return whenEmpty;
    refuse(name, fields, EMPTY);
    return undefined;
  }
  const text = typeof cell === 'string' ? cell : cell.text;
  const value = isError(cell) ? undefined : read(text, cell);
  if (value === undefined) refuse(name, fields, isError(cell) ? whyError(cell) : why(text, cell));
  return value;
}
