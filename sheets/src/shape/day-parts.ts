/** Columns that share a day, under headings that come again below each: `AM` and `PM`, or `Bar` and `Kitchen`. */

import { type Cell, type GridRow, textOf } from '../cell.ts';
import type { SheetOptions } from '../sheet-options.ts';
import { columnOf } from '../words/headings.ts';
import { planMeaning } from '../words/status.ts';
import { HALF_OF_DAY } from '../words/time.ts';
import type { RosterDays } from './days.ts';
import type { Roster } from './shape.ts';

/** The days with the columns that share them. undefined: the row is something else. */
export function partsIn(
  { cells, ...row }: GridRow,
  days: RosterDays,
  { first, headings }: Pick<Roster, 'first' | 'headings'>,
): RosterDays | undefined {
  const areHalves = cells.slice(first).every((cell) => cell === '' || HALF_OF_DAY.test(textOf(cell)));
  // A heading may be merged with the cell below it, or stand only there.
  const isLabel = (cell: Cell, i: number) =>
    [textOf(headings.cells[i]), ''].includes(textOf(cell)) ||
    columnOf(textOf(cell), 'first') !== undefined ||
    (areHalves && textOf(headings.cells[i]) === '');
  if (!cells.slice(0, first).every(isLabel)) return undefined;
  const dates = new Map<number, string>();
  const texts = new Map<number, string>();
  let date: string | undefined;
  for (let column = first; column < cells.length; column++) {
    date = days.dates.get(column) ?? (days.others.has(column) ? undefined : date);
    const text = textOf(cells[column]);
    if (date === undefined || text === '') continue;
    if (/\d/.test(text)) return undefined;
    dates.set(column, date);
    texts.set(column, text);
  }
  const byDay = Map.groupBy(texts, ([column]) => dates.get(column));
  const [names = [], ...others] = [...byDay.values()].map((some) => some.map(([, text]) => text));
  const isSame = others.every((some) => some.join() === names.join()) && new Set(names).size === names.length;
  if (names.length < 2 || !isSame || ![...days.dates.keys()].every((column) => dates.has(column)))
    return undefined;
  return { ...days, dates, parts: { row, texts } };
}

/** The headings of such columns that do not tell when, and so may be groups or locations. */
export function namesAmong(
  { parts }: RosterDays,
  { codes, statuses }: SheetOptions,
): ReadonlyMap<number, string> {
  const told = new Set(codes?.keys().map((code) => code.toLowerCase()));
  return new Map(
    [...(parts?.texts ?? [])].filter(([, text]) => {
      const column = columnOf(text, 'first') ?? columnOf(text, 'second');
      const isTime = HALF_OF_DAY.test(text) || column === 'times' || column === 'hours';
      return !isTime && !told.has(text.toLowerCase()) && planMeaning(text, statuses) === undefined;
    }),
  );
}
