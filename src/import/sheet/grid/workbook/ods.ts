/** An .ods: all sheets in one part of XML. */

import type { Cell, GridRow } from '../../cell.ts';
import { refusal } from '../../refusal.ts';
import { type Merge, mergeFiller } from './merged.ts';
import { clock } from './number-format.ts';
import { MAX_COLUMNS, MAX_ROWS, type WorkbookSheet } from './sheet.ts';
import { isoCell } from './xlsx.ts';
import { findTags, readWholeXml, readXml, type XmlHandler } from './xml.ts';
import { HAS_PASSWORD, type Zip } from './zip.ts';

const CONTENT = 'content.xml';

export async function openOds(zip: Zip): Promise<readonly WorkbookSheet[]> {
  await checkPassword(zip);
  const sheets: { readonly name: string; readonly isHidden: boolean }[] = [];
  const hidden = new Set<string>();
  let style = '';
  for await (const [tag] of findTags(zip.open(CONTENT), SHEET_OR_STYLE)) {
    if (tag.startsWith('<style:style')) style = attributeIn(tag, 'style:name');
    else if (tag.startsWith('<style')) hidden.add(style);
    else {
      const isHidden = hidden.has(attributeIn(tag, 'table:style-name'));
      sheets.push({ name: withoutEntities(attributeIn(tag, 'table:name')), isHidden });
    }
    if (sheets.length > MAX_SHEETS) throw refusal('the workbook has more sheets than can be read');
  }
  return sheets.map((sheet, i) => ({ ...sheet, rows: () => readRows(zip, i) }));
}

const MAX_SHEETS = 10_000;
/** A style says whether a sheet is shown. */
const SHEET_OR_STYLE =
  /<table:table\s[^>]{0,1000}>|<style:style\s[^>]{0,1000}>|<style:table-properties\s[^>]{0,1000}?table:display="false"[^>]{0,1000}>/g;

function attributeIn(tag: string, name: string): string {
  const start = tag.indexOf(` ${name}="`);
  if (start === -1) return '';
  const value = start + name.length + 3;
  return tag.slice(value, tag.indexOf('"', value));
}

function withoutEntities(text: string): string {
  const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return Buffer.from(text, 'latin1')
    .toString()
    .replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name] ?? '');
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
  const reader = new RowReader(sheet, (row) => rows.push(row));
  for await (const _ of readXml(zip.open(CONTENT), reader)) {
    if (rows.length > 0) yield rows;
    rows = [];
    if (reader.isDone) return;
  }
}

const HIDDEN: ReadonlySet<string> = new Set(['collapse', 'filter']);

/** Repeated rows and cells are written once, with a count. The count could be a lie, so it is limited. */
const MAX_REPEATED_CELLS = 2_000_000;

class RowReader implements XmlHandler {
  readonly #sheet: number;
  readonly #take: (row: GridRow) => void;
  #table = -1;
  #line = 1;
  #repeatedRows = 1;
  #isHidden = false;
  #cells: Cell[] = [];
  #column = 0;
  #repeatedCells = 0;
  #merges: Merge[] = [];
  readonly #fills: ReturnType<typeof mergeFiller>[] = [];
  #attributes: Readonly<Record<string, string>> = {};
  #paragraphs: string[] = [];
  #depth = 0;
  #notes = 0;

  constructor(sheet: number, take: (row: GridRow) => void) {
    this.#sheet = sheet;
    this.#take = take;
  }

  get isDone(): boolean {
    return this.#table === Number.POSITIVE_INFINITY;
  }

  open(name: string, given: Readonly<Record<string, string>>): void {
    if (name === 'table') this.#table++;
    if (this.#table !== this.#sheet) return;
    if (name === 'table-row') {
      this.#repeatedRows = numberOf(given, 'table:number-rows-repeated');
      this.#isHidden = HIDDEN.has(given['table:visibility'] ?? '');
      this.#cells = [];
      this.#column = 0;
    } else if (name === 'table-cell' || name === 'covered-table-cell') {
      this.#attributes = given;
      this.#paragraphs = [];
    } else if (name === 'annotation') this.#notes++;
    else if (name === 'p' && this.#notes === 0) {
      this.#paragraphs.push('');
      this.#depth++;
    } else if (this.#isText()) {
      if (name === 's') add(this.#paragraphs, ' '.repeat(Math.min(numberOf(given, 'text:c'), 1_000)));
      else if (name === 'tab') add(this.#paragraphs, '\t');
      else if (name === 'line-break') add(this.#paragraphs, '\n');
    }
  }

  text(text: string): void {
    if (this.#isText()) add(this.#paragraphs, text);
  }

  close(name: string): void {
    if (this.#table !== this.#sheet) return;
    if (name === 'annotation') this.#notes--;
    else if (name === 'p' && this.#notes === 0) this.#depth--;
    else if (name === 'table-cell' || name === 'covered-table-cell') this.#endCell();
    else if (name === 'table-row') this.#endRow();
    else if (name === 'table') this.#table = Number.POSITIVE_INFINITY;
  }

  #isText(): boolean {
    return this.#depth > 0 && this.#notes === 0;
  }

  #endCell(): void {
    const repeated = numberOf(this.#attributes, 'table:number-columns-repeated');
    const cell = cellOf(this.#attributes, this.#paragraphs);
    const spanned = numberOf(this.#attributes, 'table:number-rows-spanned');
    if (spanned > 1) {
      this.#merges.push({ column: this.#column, firstRow: this.#line, lastRow: this.#line + spanned - 1 });
    }
    if (cell !== '') {
      this.#repeatedCells += repeated - 1;
      if (this.#column + repeated > MAX_COLUMNS || this.#repeatedCells > MAX_REPEATED_CELLS)
        throw refusal('the sheet repeats a cell too often');
      while (this.#cells.length < this.#column) this.#cells.push('');
      for (let i = 0; i < repeated; i++) this.#cells.push(cell);
    }
    this.#column += repeated;
  }

  #endRow(): void {
    if (this.#cells.length * this.#repeatedRows > MAX_REPEATED_CELLS)
      throw refusal('the sheet repeats a row too often');
    if (this.#line > MAX_ROWS) throw refusal('the sheet has more rows than any spreadsheet');
    const rows = this.#cells.length > 0 ? this.#repeatedRows : 0;
    for (let i = 0; i < rows; i++) {
      let row: GridRow = { line: this.#line + i, cells: this.#cells, isHidden: this.#isHidden };
      for (const fill of this.#fills) row = fill(row);
      if (this.#merges.length > 0) {
        const fill = mergeFiller(this.#merges);
        fill(row);
        this.#fills.push(fill);
        this.#merges = [];
      }
      this.#take(row);
    }
    this.#line += this.#repeatedRows;
  }
}

function add(paragraphs: string[], text: string): void {
  paragraphs[paragraphs.length - 1] += text;
}

function numberOf(attributes: Readonly<Record<string, string>>, name: string): number {
  const number = Number(attributes[name] ?? 1);
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
