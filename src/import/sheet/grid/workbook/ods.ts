/** An .ods: all sheets in one part of XML. */

import type { Cell, GridRow } from '../../cell.ts';
import { refusal } from '../../refusal.ts';
import { type Merge, mergeFiller } from './merged.ts';
import { clock } from './number-format.ts';
import { MAX_COLUMNS, MAX_ROWS, type WorkbookSheet } from './sheet.ts';
import { isoCell } from './xlsx.ts';
import { attribute, readWholeXml, readXml, type XmlHandler } from './xml.ts';
import { HAS_PASSWORD, type Zip } from './zip.ts';

const CONTENT = 'content.xml';

export async function openOds(zip: Zip): Promise<readonly WorkbookSheet[]> {
  await checkPassword(zip);
  const names: string[] = [];
  await readWholeXml(zip.open(CONTENT), {
    open(name, attributes) {
      if (name === 'table') names.push(attribute(attributes, 'name') ?? '');
    },
  });
  return names.map((name, i) => ({ name, isHidden: false, rows: () => readRows(zip, i) }));
}

async function checkPassword(zip: Zip): Promise<void> {
  if (!zip.has('META-INF/manifest.xml')) return;
  await readWholeXml(zip.open('META-INF/manifest.xml'), {
    open(name) {
      if (name === 'encryption-data') throw refusal(HAS_PASSWORD);
    },
  });
}

async function* readRows(zip: Zip, sheet: number): AsyncGenerator<readonly GridRow[]> {
  let rows: GridRow[] = [];
  const reader = rowHandler(sheet, (row) => rows.push(row));
  for await (const _ of readXml(zip.open(CONTENT), reader.handler)) {
    if (rows.length > 0) yield rows;
    rows = [];
    if (reader.isDone()) return;
  }
}

/** Rows and cells that follow each other unchanged are written once, with their number. */
const MAX_REPEATED_CELLS = 2_000_000;

function rowHandler(
  sheet: number,
  take: (row: GridRow) => void,
): { handler: XmlHandler; isDone: () => boolean } {
  let table = -1;
  let line = 1;
  let repeatedRows = 1;
  let cells: Cell[] = [];
  let column = 0;
  let repeatedCells = 0;
  let merges: Merge[] = [];
  const open: ReturnType<typeof mergeFiller>[] = [];
  let attributes: Readonly<Record<string, string>> = {};
  let paragraphs: string[] = [];
  let depth = 0;
  let notes = 0;
  const isHere = () => table === sheet;

  function endRow(): void {
    if (cells.length * repeatedRows > MAX_REPEATED_CELLS) throw refusal('the sheet repeats a row too often');
    if (line > MAX_ROWS) throw refusal('the sheet has more rows than any spreadsheet');
    if (cells.length > 0) {
      for (let i = 0; i < repeatedRows; i++) {
        let row: GridRow = { line: line + i, cells };
        for (const fill of open) row = fill(row);
        if (merges.length > 0) {
          const fill = mergeFiller(merges);
          fill(row);
          open.push(fill);
          merges = [];
        }
        take(row);
      }
    }
    line += repeatedRows;
  }

  function endCell(): void {
    const repeated = numberOf(attributes, 'number-columns-repeated');
    const cell = cellOf(attributes, paragraphs);
    const spanned = numberOf(attributes, 'number-rows-spanned');
    if (spanned > 1) merges.push({ column, firstRow: line, lastRow: line + spanned - 1 });
    if (cell !== '') {
      repeatedCells += repeated - 1;
      if (column + repeated > MAX_COLUMNS || repeatedCells > MAX_REPEATED_CELLS)
        throw refusal('the sheet repeats a cell too often');
      while (cells.length < column) cells.push('');
      for (let i = 0; i < repeated; i++) cells.push(cell);
    }
    column += repeated;
  }

  const handler: XmlHandler = {
    open(name, given) {
      if (name === 'table') table++;
      if (!isHere()) return;
      if (name === 'table-row') {
        repeatedRows = numberOf(given, 'number-rows-repeated');
        cells = [];
        column = 0;
      } else if (name === 'table-cell' || name === 'covered-table-cell') {
        attributes = given;
        paragraphs = [];
      } else if (name === 'annotation') notes++;
      else if (name === 'p' && notes === 0) {
        paragraphs.push('');
        depth++;
      } else if (depth > 0 && notes === 0) {
        if (name === 's') add(paragraphs, ' '.repeat(Math.min(numberOf(given, 'c'), 1_000)));
        else if (name === 'tab') add(paragraphs, '\t');
        else if (name === 'line-break') add(paragraphs, '\n');
      }
    },
    text(text) {
      if (depth > 0 && notes === 0) add(paragraphs, text);
    },
    close(name) {
      if (!isHere()) return;
      if (name === 'annotation') notes--;
      else if (name === 'p' && notes === 0) depth--;
      else if (name === 'table-cell' || name === 'covered-table-cell') endCell();
      else if (name === 'table-row') endRow();
      else if (name === 'table') table = Number.POSITIVE_INFINITY;
    },
  };
  return { handler, isDone: () => table === Number.POSITIVE_INFINITY };
}

function add(paragraphs: string[], text: string): void {
  paragraphs[paragraphs.length - 1] += text;
}

function numberOf(attributes: Readonly<Record<string, string>>, name: string): number {
  const number = Number(attribute(attributes, name) ?? 1);
  return Number.isSafeInteger(number) && number > 0 ? number : 1;
}

function cellOf(attributes: Readonly<Record<string, string>>, paragraphs: readonly string[]): Cell {
  const text = paragraphs.join('\n').trim();
  if (attributes['calcext:value-type'] === 'error') return { type: 'error', text };
  switch (attributes['office:value-type']) {
    case 'float':
    case 'percentage':
    case 'currency':
      return { type: 'number', text: String(Number(Number(attributes['office:value']).toPrecision(15))) };
    case 'boolean':
      return { type: 'boolean', text: attributes['office:boolean-value'] === 'true' ? 'TRUE' : 'FALSE' };
    case 'date':
      return isoCell(attributes['office:date-value'] ?? text);
    case 'time':
      return timeCell(attributes['office:time-value'] ?? '', text);
    default:
      return text;
  }
}

/** `PT09H30M00S` */
function timeCell(value: string, text: string): Cell {
  const [, hours, minutes, seconds] = /^PT(\d+)H(\d+)M(\d+)(?:[.,]\d+)?S$/.exec(value) ?? [];
  if (hours === undefined) return text;
  return { type: 'time', text: clock(Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) };
}
