/** The bytes of a workbook → the grid of the sheet that holds shifts. */

import { quote } from '../../../../quote.ts';
import type { Grid, GridRow } from '../../cell.ts';
import type { SheetOptions } from '../../options.ts';
import { refusal, SheetRefused } from '../../refusal.ts';
import { looksLikeShifts } from '../../table/table.ts';
import { openOds } from './ods.ts';
import type { WorkbookSheet } from './sheet.ts';
import { openXlsx } from './xlsx.ts';
import { openZip, type Zip } from './zip.ts';

/** Throws SheetRefused. */
export async function workbookGrid(bytes: AsyncIterable<Uint8Array>, options: SheetOptions): Promise<Grid> {
  const sheets = await sheetsOf(await openZip(bytes));
  const { name, rows } = await chooseSheet(sheets, options);
  return { rows: rows(), isText: false, sheet: sheets.length > 1 ? name : undefined, takeProblems: () => [] };
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

async function chooseSheet(sheets: readonly WorkbookSheet[], options: SheetOptions): Promise<WorkbookSheet> {
  const names = sheets.map(({ name }) => quote(name)).join(', ');
  if (options.sheet !== undefined) {
    const wanted = options.sheet.trim().toLowerCase();
    const chosen =
      sheets.find(({ name }) => name.trim().toLowerCase() === wanted) ?? sheets[Number(wanted) - 1];
    if (chosen !== undefined) return chosen;
    throw refusal(`there is no sheet ${quote(options.sheet)}; the workbook has ${names}`);
  }
  const visible = sheets.filter(({ isHidden }) => !isHidden);
  const [only] = visible;
  if (only !== undefined && visible.length === 1) return only;
  const fitting: WorkbookSheet[] = [];
  for (const sheet of visible) if (looksLikeShifts(await beginningOf(sheet), options)) fitting.push(sheet);
  const [first] = fitting;
  if (first === undefined)
    throw refusal(
      `no sheet of the workbook holds shifts under headings that are understood; it has ${names}`,
    );
  if (fitting.length === 1) return first;
  throw new SheetRefused({
    place: '',
    message: `several sheets of the workbook hold shifts; say which with --sheet: ${fitting.map(({ name }) => quote(name)).join(', ')}`,
    fix: ['--sheet', first.name, ...fitting.slice(1).map(({ name }) => name)],
  });
}

const ROWS_AT_BEGINNING = 70;

async function beginningOf(sheet: WorkbookSheet): Promise<readonly GridRow[]> {
  const beginning: GridRow[] = [];
  for await (const rows of sheet.rows()) {
    beginning.push(...rows);
    if (beginning.length >= ROWS_AT_BEGINNING) break;
  }
  return beginning;
}
