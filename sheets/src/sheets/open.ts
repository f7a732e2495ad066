/** Opens a file as its sheets. The type of the file is told by its first bytes, not by its name. */

import { lookAhead } from '@shiftfeed/common/look-ahead';
import type { Zip } from '../bytes/archive.ts';
import { refusal, type Sheet } from '../cell.ts';
import { type CsvOptions, openCsv } from './csv.ts';

/** Throws SheetRefused. A text file has one sheet. */
export async function openSheets(
  bytes: AsyncIterable<Uint8Array>,
  options: CsvOptions,
): Promise<readonly Sheet[]> {
  let length = 0;
  const { first, all } = await lookAhead(bytes, (chunk) => {
    length += chunk.length;
    return length >= SIGNATURE_BYTES;
  });
  const beginning = Buffer.concat(first);
  const begins = (...signature: number[]) => signature.every((byte, i) => beginning[i] === byte);
  if (begins(0xd0, 0xcf, 0x11, 0xe0)) throw refusal(OLD_WORKBOOK);
  if (begins(0x50, 0x4b)) {
    // Loaded on demand, because a CSV does not need it.
    const { openZip } = await import('../bytes/archive.ts');
    return openWorkbook(await openZip(all));
  }
  if (begins(...Buffer.from('%PDF'))) throw refusal(PDF);
  if (/^\s*<(?:!|\?|html|table|office)/i.test(beginning.toString('latin1').replace('ï»¿', '')))
    throw refusal(WEB_PAGE);
  return [openCsv(all, options)];
}

const PDF = 'the file is a PDF, whose cells cannot be told: save the sheet itself as .xlsx or CSV';
const WEB_PAGE =
  'the file is a web page or XML, whatever its name says: open it in your spreadsheet program, and save it as .xlsx';

const OLD_WORKBOOK =
  'the file is an old workbook (.xls), or one with a password: open it in your spreadsheet program, and save it as .xlsx without a password';

async function openWorkbook(zip: Zip): Promise<readonly Sheet[]> {
  if (zip.namesUnder('Index/').some((name) => name.endsWith('.iwa')) || zip.has('Index.zip'))
    throw refusal('the file is a document of Numbers: export it as Excel or CSV, and import that file');
  if (zip.has('content.xml')) return (await import('./ods.ts')).openOds(zip);
  if (!zip.has('[Content_Types].xml')) throw refusal('the file is a zip archive, and no workbook');
  if (zip.namesUnder('xl/').some((name) => name.endsWith('.bin') && name.includes('workbook')))
    throw refusal('the file is a binary workbook (.xlsb): save it as .xlsx');
  return (await import('./xlsx.ts')).openXlsx(zip);
}

const SIGNATURE_BYTES = 16;
