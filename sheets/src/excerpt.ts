/** The rows of a sheet around its problems, so that a page can show where they are. */

import { type GridRow, type Sheet, SheetRefused, writtenIn } from './cell.ts';
import { columnsOf, type ListColumns } from './columns.ts';
import { shortened } from './ledger.ts';
import type { ProblemPlace } from './problem.ts';
import { chooseSheets, sheetsIn } from './shape/choose.ts';
import { findShape } from './shape/shape.ts';
import type { SheetOptions } from './sheet-options.ts';

/** Sheets and lines count from 1, columns from 0. */
export interface ProblemCell {
  readonly sheet: number;
  readonly line: number;
  readonly column?: number | undefined;
  /** Of a list, what the sheet calls the column. */
  readonly heading?: string | undefined;
}

export interface SheetExcerpt {
  readonly number: number;
  readonly name: string;
  /** Where a line is missing, rows were left out. */
  readonly rows: readonly { readonly line: number; readonly cells: readonly string[] }[];
}

export interface Excerpt {
  /** Of each problem; undefined if it has none. */
  readonly cells: readonly (ProblemCell | undefined)[];
  readonly sheets: readonly SheetExcerpt[];
}

const ROWS_AROUND = 2;
const MAX_COLUMNS = 60;

/** What cannot be read again is left out. */
export async function cutExcerpt(
  bytes: AsyncIterable<Uint8Array>,
  options: SheetOptions,
  places: readonly (ProblemPlace | undefined)[],
): Promise<Excerpt> {
  const excerpts: SheetExcerpt[] = [];
  const cells: (ProblemCell | undefined)[] = places.map(() => undefined);
  try {
    const all = await sheetsIn(bytes, options);
    for (const sheet of (await chooseSheets(all, options)).sheets) {
      const number = sheet.number ?? all.findIndex(({ name }) => name === sheet.name) + 1;
      const own = places.map((place) =>
        place?.line !== undefined && place.sheet === sheet.number ? place : undefined,
      );
      if (own.every((place) => place === undefined)) continue;
      const { rows, columnOf } = await rowsAround(sheet, options, own);
      excerpts.push({ number, name: sheet.name, rows });
      for (const [i, place] of own.entries())
        if (place?.line !== undefined) cells[i] = { sheet: number, line: place.line, ...columnOf(place) };
    }
  } catch (error) {
    if (!(error instanceof SheetRefused)) throw error;
  }
  return { cells, sheets: excerpts };
}

async function rowsAround(
  sheet: Sheet,
  options: SheetOptions,
  places: readonly (ProblemPlace | undefined)[],
) {
  const wanted = new Set<number>();
  for (const place of places)
    for (let i = -ROWS_AROUND; place?.line !== undefined && i <= ROWS_AROUND; i++) wanted.add(place.line + i);
  const last = Math.max(...wanted);
  const kept = new Map<number, readonly string[]>();
  const keep = ({ line, cells }: GridRow) =>
    kept.set(
      line,
      cells.slice(0, MAX_COLUMNS).map((cell) => shortened(writtenIn(cell))),
    );
  // A text can be read only once, so its rows are kept as they pass.
  async function* passing() {
    for await (const some of sheet.rows()) {
      for (const row of some) if (wanted.has(row.line)) keep(row);
      yield some;
      if ((some.at(-1)?.line ?? 0) > last) return;
    }
  }
  let columnOf = ({ column }: ProblemPlace): Pick<ProblemCell, 'column' | 'heading'> => ({ column });
  try {
    const { shape, rows } = await findShape(passing(), options);
    keep(shape.headings);
    const columns = columnsOf(shape, options, sheet.isText);
    if (columns.kind === 'list') columnOf = columnFinder(columns);
    for await (const _some of rows);
  } catch (error) {
    if (!(error instanceof SheetRefused)) throw error;
  }
  const rows = [...kept].sort(([one], [other]) => one - other).map(([line, cells]) => ({ line, cells }));
  return { rows, columnOf };
}

/** By our name of the column, or by its heading. */
function columnFinder({ places, headings }: ListColumns) {
  const byName: Readonly<Record<string, number | undefined>> = places;
  return ({ column, name = '' }: ProblemPlace) => {
    const named = headings.findIndex((one) => one !== '' && one === name);
    const found = column ?? byName[name] ?? (named === -1 ? undefined : named);
    return { column: found, heading: headings[found ?? -1] };
  };
}
