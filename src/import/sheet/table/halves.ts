/** Columns that say am or pm for the times on their left: the two cells become one. */

import { type Cell, type GridRow, textOf } from '../cell.ts';
import type { Header } from './columns.ts';
import { otherColumns } from './other-columns.ts';

/** Finds such columns by the content of the first rows. */
export function halfColumns(header: Header, sample: readonly GridRow[]): readonly number[] {
  const { start_time, end_time } = header.places;
  return otherColumns(header, sample, (text) => HALF.test(text)).filter(
    (place) => place - 1 === start_time || place - 1 === end_time,
  );
}

export function joinHalves(row: GridRow, halves: readonly number[]): GridRow {
  const { cells } = row;
  const joined: Cell[] = [...cells];
  for (const place of halves) {
    const [time, half] = [textOf(cells[place - 1]), textOf(cells[place])];
    if (time !== '' && half !== '') joined[place - 1] = `${time} ${half}`;
  }
  return { ...row, cells: joined };
}

const HALF = /^[ap]\.?\s?m?\.?$/i;
