/** Opens a workbook as the grids of the sheets that hold shifts. */

import { quote } from '../../../../quote.ts';
import { lineOfSheet, MAX_SHEET } from '../../../place.ts';
import type { Grid, GridRow, OpenSheets } from '../../cell.ts';
import { ALL_SHEETS, type SheetOptions } from '../../options.ts';
import { refusal, SheetRefused } from '../../refusal.ts';
import { looksLikeShifts } from '../../table/table.ts';
import { openOds } from './ods.ts';
import type { WorkbookSheet } from './sheet.ts';
import { openXlsx } from './xlsx.ts';
import { openZip, type Zip } from './zip.ts';

/** Throws SheetRefused. */
export async function openWorkbook(
  bytes: AsyncIterable<Uint8Array>,
  options: SheetOptions,
): Promise<OpenSheets> {
  const sheets = await sheetsOf(await openZip(bytes));
  const asked = options.sheet === undefined ? undefined : findSheet(sheets, options.sheet);
  if (asked !== undefined) {
    const others = sheets.filter((sheet) => sheet !== asked && !sheet.isHidden);
    const isOneOfSeveral = await mayHoldShifts(others, options);
    return { grids: [gridOf(asked, sheets)], leftOut: [], isOneOfSeveral };
  }
  const visible = sheets.filter(({ isHidden }) => !isHidden);
  const fitting = visible.length === 1 ? visible : await holdingShifts(visible, options);
  const [first] = fitting;
  if (first === undefined)
    throw refusal(
      `no sheet of the workbook holds shifts under headings that are understood; it has ${namesOf(sheets)}`,
    );
  if (fitting.length === 1) return { grids: [gridOf(first, sheets)], leftOut: [], isOneOfSeveral: false };
  if (options.sheet === undefined) throw severalSheets(fitting);
  const leftOut = visible.filter((sheet) => !fitting.includes(sheet)).map(({ name }) => name);
  return { grids: fitting.map((sheet) => numberedGrid(sheet, sheets)), leftOut, isOneOfSeveral: false };
}

function gridOf({ name, rows }: WorkbookSheet, sheets: readonly WorkbookSheet[]): Grid {
  return { rows: rows(), isText: false, sheet: sheets.length > 1 ? name : undefined, takeProblems: () => [] };
}

/** For one of several sheets that are read together. */
function numberedGrid(sheet: WorkbookSheet, sheets: readonly WorkbookSheet[]): Grid {
  const number = sheets.indexOf(sheet) + 1;
  if (number > MAX_SHEET)
    throw refusal(`of a workbook, at most ${MAX_SHEET} sheets are read together; it has ${sheets.length}`);
  async function* rows() {
    for await (const some of sheet.rows())
      yield some.map((row) => ({ ...row, line: lineOfSheet(number, row.line) }));
  }
  return { ...gridOf(sheet, sheets), rows: rows(), number };
}

async function sheetsOf(zip: Zip): Promise<readonly WorkbookSheet[]> {
  if (zip.namesUnder('Index/').some((name) => name.endsWith('.iwa')) || zip.has('Index.zip')) {
    throw refusal('the file is a document of Numbers: export it as Excel or CSV, and import that file');
  }
  if (zip.has('content.xml')) return openOds(zip);
  if (zip.has('[Content_Types].xml')) {
    if (zip.namesUnder('xl/').some((name) => name.endsWith('.bin') && name.includes('workbook'))) {
      throw refusal('the file is a binary workbook (.xlsb): save it as .xlsx');
    }
    return openXlsx(zip);
  }
  throw refusal('the file is a zip archive, and no workbook');
}

/** Returns undefined when all sheets are asked for. */
function findSheet(sheets: readonly WorkbookSheet[], asked: string): WorkbookSheet | undefined {
  const wanted = asked.trim().toLowerCase();
  const found = sheets.find(({ name }) => name.trim().toLowerCase() === wanted) ?? sheets[Number(wanted) - 1];
  if (found === undefined && wanted !== ALL_SHEETS)
    throw refusal(`there is no sheet ${quote(asked)}; the workbook has ${namesOf(sheets)}`);
  return found;
}

function severalSheets(sheets: readonly WorkbookSheet[]): SheetRefused {
  const [first = '', ...others] = sheets.map(({ name }) => name);
  return new SheetRefused({
    place: '',
    message: `several sheets of the workbook hold shifts; say which with --sheet: ${namesOf(sheets)}, or read all of them with --sheet ${ALL_SHEETS}`,
    fix: ['--sheet', first, ALL_SHEETS, ...others],
  });
}

function namesOf(sheets: readonly WorkbookSheet[]): string {
  return sheets.map(({ name }) => quote(name)).join(', ');
}

/** Ignores sheets that cannot be read: only the sheet that was asked for must be readable. */
async function mayHoldShifts(sheets: readonly WorkbookSheet[], options: SheetOptions): Promise<boolean> {
  try {
    return !(await lookFor(sheets, options).next()).done;
  } catch (error) {
    if (error instanceof SheetRefused) return true;
    throw error;
  }
}

async function holdingShifts(
  sheets: readonly WorkbookSheet[],
  options: SheetOptions,
): Promise<readonly WorkbookSheet[]> {
  const holding: WorkbookSheet[] = [];
  for await (const sheet of lookFor(sheets, options)) holding.push(sheet);
  return holding;
}

/** Yields the sheets that hold shifts. */
async function* lookFor(
  sheets: readonly WorkbookSheet[],
  options: SheetOptions,
): AsyncGenerator<WorkbookSheet> {
  let looked = 0;
  for (const sheet of sheets) {
    const beginning = await beginningOf(sheet);
    for (const { cells } of beginning) looked += cells.length;
    if (looked > MAX_LOOKED_CELLS)
      throw refusal(
        `the workbook has too many sheets, or too wide ones, to look for shifts in all of them; say which holds them with --sheet`,
      );
    if (looksLikeShifts(beginning, options)) yield sheet;
  }
}

/** 1,000 sheets with 30 columns have as many. Each takes some microseconds. */
const MAX_LOOKED_CELLS = 2_000_000;
const ROWS_AT_BEGINNING = 70;

async function beginningOf(sheet: WorkbookSheet): Promise<readonly GridRow[]> {
  const beginning: GridRow[] = [];
  for await (const rows of sheet.rows()) {
    beginning.push(...rows.slice(0, ROWS_AT_BEGINNING));
    if (beginning.length >= ROWS_AT_BEGINNING) break;
  }
  return beginning;
}
