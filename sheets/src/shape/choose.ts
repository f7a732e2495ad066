/** Chooses the sheets of a workbook that are read: the one that was asked for, or those that hold shifts. */

import { quote } from '@shiftfeed/common/quote';
import { byOption } from '@shiftfeed/common/reason';
import { refusal, type Sheet, SheetRefused } from '../cell.ts';
import type { SheetProblem } from '../problem.ts';
import { MAX_SHEET } from '../problem.ts';
import { ALL_SHEETS, type SheetOptions } from '../sheet-options.ts';
import { openSheets } from '../sheets/open.ts';
import { countHeadings } from './heading-row.ts';
import { firstRows, lookAt } from './shape.ts';

export interface ChosenSheets {
  readonly sheets: readonly Sheet[];
  /** Whether the workbook has others, so that it should be told which were read. */
  readonly areNamed: boolean;
  /** When all sheets with shifts are read: the sheets that hold none. */
  readonly leftOut: readonly string[];
  /** Whether other sheets of the workbook also hold shifts, but are not read. */
  readonly isOneOfSeveral: boolean;
}

/** Throws SheetRefused. `tell` gets problems that do not stop the reading. */
export function sheetsIn(
  bytes: AsyncIterable<Uint8Array>,
  options: SheetOptions,
  tell: (problem: SheetProblem) => void = () => undefined,
): Promise<readonly Sheet[]> {
  const { encoding } = options;
  return openSheets(bytes, { encoding, countHeadings: (cells) => countHeadings(cells, options), tell });
}

/** Throws SheetRefused. */
export async function chooseSheets(sheets: readonly Sheet[], options: SheetOptions): Promise<ChosenSheets> {
  const chosen = { areNamed: sheets.length > 1, leftOut: [], isOneOfSeveral: false };
  if (sheets[0]?.isText) return { ...chosen, sheets };
  const asked = options.sheet === undefined ? undefined : findSheet(sheets, options.sheet);
  if (asked !== undefined) {
    const others = sheets.filter((sheet) => sheet !== asked && !sheet.isHidden);
    return { ...chosen, sheets: [asked], isOneOfSeveral: await doSomeHoldShifts(others, options) };
  }
  const visible = sheets.filter(({ isHidden }) => !isHidden);
  const fitting = visible.length === 1 ? visible : await Array.fromAsync(sheetsWithShifts(visible, options));
  if (fitting.length === 0)
    throw refusal(
      `no sheet of the workbook holds shifts under headings that are understood; it has ${namesOf(sheets)}`,
    );
  if (fitting.length === 1) return { ...chosen, sheets: fitting };
  if (options.sheet === undefined) throw severalSheets(fitting);
  const leftOut = visible.filter((sheet) => !fitting.includes(sheet)).map(({ name }) => name);
  return { ...chosen, sheets: fitting.map((sheet) => numbered(sheet, sheets)), leftOut };
}

/** One of several sheets that are read together. */
function numbered(sheet: Sheet, sheets: readonly Sheet[]): Sheet {
  const number = sheets.indexOf(sheet) + 1;
  if (number > MAX_SHEET)
    throw refusal(`of a workbook, at most ${MAX_SHEET} sheets are read together; it has ${sheets.length}`);
  return {
    ...sheet,
    number,
    async *rows() {
      for await (const some of sheet.rows()) yield some.map((row) => ({ ...row, sheet: number }));
    },
  };
}

/** Returns undefined when all sheets are asked for. */
function findSheet(sheets: readonly Sheet[], asked: string): Sheet | undefined {
  const wanted = asked.trim().toLowerCase();
  const found = sheets.find(({ name }) => name.trim().toLowerCase() === wanted) ?? sheets[Number(wanted) - 1];
  if (found === undefined && wanted !== ALL_SHEETS)
    throw new SheetRefused({
      place: '',
      message: `there is no sheet ${quote(asked)}; the workbook has ${namesOf(sheets)}`,
      stale: ['sheet', asked],
    });
  return found;
}

function severalSheets(sheets: readonly Sheet[]): SheetRefused {
  const [first = '', ...others] = sheets.map(({ name }) => name);
  return new SheetRefused({
    place: '',
    message: 'several sheets of the workbook hold shifts',
    advice: `; say which with --sheet: ${namesOf(sheets)}, or read all of them with --sheet ${ALL_SHEETS}`,
    fix: byOption('sheet', first, ALL_SHEETS, ...others),
  });
}

function namesOf(sheets: readonly Sheet[]): string {
  return sheets.map(({ name }) => quote(name)).join(', ');
}

/** Ignores sheets that cannot be read: only the sheet that was asked for must be readable. */
async function doSomeHoldShifts(sheets: readonly Sheet[], options: SheetOptions): Promise<boolean> {
  try {
    return !(await sheetsWithShifts(sheets, options).next()).done;
  } catch (error) {
    if (error instanceof SheetRefused) return true;
    throw error;
  }
}

/** 1,000 sheets with 30 columns have as many. Each takes some microseconds. */
const MAX_LOOKED_CELLS = 2_000_000;
const TOO_MANY = 'the workbook has too many sheets, or too wide ones, to look for shifts in all of them';

async function* sheetsWithShifts(sheets: readonly Sheet[], options: SheetOptions): AsyncGenerator<Sheet> {
  let looked = 0;
  for (const sheet of sheets) {
    const iterator = sheet.rows()[Symbol.asyncIterator]();
    const { first } = await firstRows(iterator);
    await iterator.return?.();
    for (const { cells } of first) looked += cells.length || 1;
    if (looked > MAX_LOOKED_CELLS)
      throw new SheetRefused({
        place: '',
        message: TOO_MANY,
        onPage: `${TOO_MANY}: save those that hold them in a workbook of their own`,
        advice: '; say which holds them with --sheet',
      });
    if (lookAt(first, options).mayHoldShifts) yield sheet;
  }
}
