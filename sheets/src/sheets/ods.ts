/** An .ods: all sheets in one file of XML. */

import { inFull } from '@shiftfeed/common/quote';
import {
  findTags,
  HAS_PASSWORD,
  readWholeXml,
  readXml,
  type XmlHandler,
  type Zip,
} from '../bytes/archive.ts';
import {
  type Cell,
  cutCell,
  type GridRow,
  isFullCell,
  MAX_COLUMNS,
  MAX_ROWS,
  MAX_SHEETS,
  refusal,
  rowCounter,
  type Sheet,
} from '../cell.ts';
import { columnLetters } from '../problem.ts';
import {
  type Asides,
  charactersIn,
  clock,
  hideColumns,
  isoCell,
  type Merge,
  MergedCells,
  neverCalculated,
  newAsides,
  noteComment,
  tooManySheets,
  withCrossing,
  withoutCrossedOut,
} from './workbook-cells.ts';

const CONTENT = 'content.xml';

export async function openOds(zip: Zip): Promise<readonly Sheet[]> {
  await checkPassword(zip);
  const sheets: { readonly name: string; readonly isHidden: boolean }[] = [];
  const hidden = new Set<string>();
  let style = '';
  for await (const [tag] of findTags(zip.open(CONTENT), SHEET_OR_STYLE)) {
    if (tag.startsWith('<style:style')) style = attributeIn(tag, 'style:name');
    else if (tag.startsWith('<style')) {
      if (tag.includes(' table:display="false"')) hidden.add(style);
    } else {
      const isHidden = hidden.has(attributeIn(tag, 'table:style-name'));
      sheets.push({ name: withoutEntities(attributeIn(tag, 'table:name')), isHidden });
    }
    if (sheets.length > MAX_SHEETS) throw tooManySheets();
  }
  const asides = sheets.map(newAsides);
  const rowsOf = rowsInPasses(zip, asides);
  return sheets.map((sheet, i) => ({ ...sheet, ...asides[i], isText: false, rows: () => rowsOf(i) }));
}

/** A style says whether a sheet is shown. */
const SHEET_OR_STYLE = /<(?:table:table|style:style|style:table-properties)(?:\s[^<>]*)?>/g;

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

/**
 * All sheets are in one file, one after the other. Sheets that are asked for in their order are read in one pass, even
 * if only their beginnings are taken: with a pass for each, the time would grow with the square of their number.
 */
function rowsInPasses(
  zip: Zip,
  asides: readonly Asides[],
): (sheet: number) => AsyncGenerator<readonly GridRow[]> {
  const newPass = () => {
    const reader = new RowReader(asides);
    return { reader, xml: readXml(zip.open(CONTENT), reader) };
  };
  let pass: ReturnType<typeof newPass> | undefined;
  return async function* (sheet) {
    if (pass === undefined || pass.reader.asked >= sheet) pass = newPass();
    const { reader, xml } = pass;
    for (; reader.asked < sheet; reader.asked++) reader.rows.delete(reader.asked);
    for (;;) {
      const rows = reader.rows.get(sheet) ?? [];
      reader.rows.delete(sheet);
      yield rows;
      if (reader.sheet > sheet || (await xml.next()).done) return;
    }
  };
}

const HIDDEN: ReadonlySet<string> = new Set(['collapse', 'filter']);

/** Repeated rows and cells are written once, with a count. The count could be a lie, so it is limited. */
const MAX_REPEATED_CELLS = 2_000_000;

class RowReader implements XmlHandler {
  readonly #count = rowCounter();
  readonly #asides: readonly Asides[];
  /** Rows that were read and not taken yet, by sheet: one piece of XML may hold several. */
  readonly rows = new Map<number, GridRow[]>();
  /** The last sheet whose rows were asked for. Those of earlier ones are not kept. */
  asked = -1;
  /** The sheet that is being read, from 0 on. */
  sheet = -1;
  #line = 1;
  #repeatedRows = 1;
  #isHidden = false;
  #cells: Cell[] = [];
  #column = 0;
  #repeatedCells = 0;
  #merges: Merge[] = [];
  #merged = new MergedCells();
  #attributes: Readonly<Record<string, string>> = {};
  /** The paragraphs of the cell, or as much of them as is kept of a cell. */
  #text = '';
  #paragraphs = 0;
  #depth = 0;
  #notes = 0;
  /** The comment on the cell. */
  #comment = '';
  /** The style that is being read, and those that cross out, and that do not. */
  #style = '';
  readonly #crossing = new Map<string, boolean>();
  /** Those of the spans around the text. */
  readonly #spans: (boolean | undefined)[] = [];
  #characters = 0;
  #crossed = 0;

  /** `asides` are those of each sheet. */
  constructor(asides: readonly Asides[]) {
    this.#asides = asides;
  }

  open(name: string, given: Readonly<Record<string, string>>): void {
    if (name === 'table') {
      this.sheet++;
      this.#line = 1;
      this.#column = 0;
      this.#merged = new MergedCells();
    } else if (name === 'table-column') {
      const repeated = numberOf(given, 'table:number-columns-repeated');
      const hidden = this.#asides[this.sheet]?.hiddenColumns;
      if (HIDDEN.has(given['table:visibility'] ?? '') && hidden) hideColumns(hidden, this.#column, repeated);
      this.#column += repeated;
    } else if (name === 'table-row') {
      this.#repeatedRows = numberOf(given, 'table:number-rows-repeated');
      this.#isHidden = HIDDEN.has(given['table:visibility'] ?? '');
      this.#cells = [];
      this.#column = 0;
    } else if (name === 'table-cell' || name === 'covered-table-cell') {
      this.#attributes = given;
      this.#text = '';
      this.#paragraphs = 0;
      [this.#characters, this.#crossed] = [0, 0];
    } else if (name === 'style') this.#style = given['style:name'] ?? '';
    else if (name === 'text-properties') {
      const line = given['style:text-line-through-style'] ?? given['style:text-line-through-type'];
      if (line !== undefined) this.#crossing.set(this.#style, line !== 'none');
    } else if (name === 'span') {
      const own = this.#crossing.get(given['text:style-name'] ?? '');
      this.#spans.push(own ?? this.#spans.at(-1));
    } else if (name === 'annotation') {
      this.#notes++;
      this.#comment = '';
    } else if (name === 'p') {
      if (this.#notes > 0) this.#comment += ' ';
      else if (this.#paragraphs++ > 0) this.#add('\n');
      this.#depth++;
    } else if (this.#isText()) {
      if (name === 's') this.#add(' '.repeat(Math.min(numberOf(given, 'text:c'), 1_000)));
      else if (name === 'tab') this.#add('\t');
      else if (name === 'line-break') this.#add('\n');
    }
  }

  text(text: string): void {
    if (this.#notes > 0 && this.#depth > 0 && !isFullCell(this.#comment)) this.#comment += text;
    if (!this.#isText()) return;
    this.#add(text);
    const characters = charactersIn(text);
    this.#characters += characters;
    if (this.#spans.at(-1) ?? this.#isCrossed()) this.#crossed += characters;
  }

  #isCrossed(): boolean {
    return this.#crossing.get(this.#attributes['table:style-name'] ?? '') ?? false;
  }

  close(name: string): void {
    if (name === 'span') this.#spans.pop();
    else if (name === 'annotation') this.#endComment();
    else if (name === 'p') this.#depth--;
    else if (name === 'table-cell' || name === 'covered-table-cell') this.#endCell();
    else if (name === 'table-row') this.#endRow();
  }

  #isText(): boolean {
    return this.#depth > 0 && this.#notes === 0;
  }

  #add(text: string): void {
    if (!isFullCell(this.#text)) this.#text += text;
  }

  #endComment(): void {
    this.#notes--;
    const { comments } = this.#asides[this.sheet] ?? {};
    if (comments) noteComment(comments, `${columnLetters(this.#column)}${this.#line}`, this.#comment);
  }

  #endCell(): void {
    const repeated = numberOf(this.#attributes, 'table:number-columns-repeated');
    const cell = withCrossing(cellOf(this.#attributes, this.#text), this.#crossed, this.#characters);
    const rows = numberOf(this.#attributes, 'table:number-rows-spanned');
    const columns = numberOf(this.#attributes, 'table:number-columns-spanned');
    if (rows > 1 || columns > 1) {
      const [lastRow, lastColumn] = [this.#line + rows - 1, this.#column + columns - 1];
      this.#merges.push({ column: this.#column, lastColumn, lastRow });
    }
    if (cell !== '') {
      this.#repeatedCells += repeated - 1;
      const last = this.#column + repeated;
      if (last > MAX_COLUMNS)
        throw this.#refusal(
          `has a cell in column ${inFull(last)}: a sheet has at most ${inFull(MAX_COLUMNS)}`,
        );
      if (this.#repeatedCells > MAX_REPEATED_CELLS)
        throw this.#refusal(`repeats a cell; a sheet may do so ${inFull(MAX_REPEATED_CELLS)} times in all`);
      while (this.#cells.length < this.#column) this.#cells.push('');
      for (let i = 0; i < repeated; i++) this.#cells.push(cell);
    }
    this.#column += repeated;
  }

  #endRow(): void {
    const rows = this.#cells.length > 0 ? this.#repeatedRows : 0;
    if (rows > 0 && this.#line + rows - 1 > MAX_ROWS)
      throw this.#refusal(`is there ${inFull(rows)} times: a sheet has at most ${inFull(MAX_ROWS)} rows`);
    if (this.#cells.length * rows > MAX_REPEATED_CELLS)
      throw this.#refusal(
        `is there ${inFull(rows)} times, which is too often: remove the rows below the plan`,
      );
    for (let i = 0; i < rows; i++) {
      const row = withoutCrossedOut({
        line: this.#line + i,
        cells: this.#cells,
        isHidden: this.#isHidden,
      });
      const filled = this.#count(this.#merged.fill(row, i === 0 ? this.#merges : []));
      if (this.sheet >= this.asked) this.rows.getOrInsert(this.sheet, []).push(filled);
    }
    this.#merges = [];
    this.#line += this.#repeatedRows;
  }

  #refusal(what: string): Error {
    return refusal(`row ${inFull(this.#line)} ${what}`);
  }
}

function numberOf(attributes: Readonly<Record<string, string>>, name: string): number {
  const number = Number(attributes[name] ?? 1);
  return Number.isSafeInteger(number) && number > 0 ? number : 1;
}

function cellOf(attributes: Readonly<Record<string, string>>, paragraphs: string): Cell {
  const text = isFullCell(paragraphs) ? cutCell(paragraphs) : paragraphs.trim();
  if (attributes['calcext:value-type'] === 'error') return { type: 'error', text };
  switch (attributes['office:value-type']) {
    case 'float':
    case 'percentage':
    case 'currency':
      return { type: 'number', text: String(Number(Number(attributes['office:value']).toPrecision(15))) };
    case 'boolean':
      return { type: 'boolean', text: attributes['office:boolean-value'] === 'true' ? 'TRUE' : 'FALSE' };
    case 'date':
      return isoCell(cutCell(attributes['office:date-value'] ?? text));
    case 'time':
      return timeCell(attributes['office:time-value'] ?? '', text);
    case undefined: {
      const formula = attributes['table:formula'];
      return formula === undefined || text !== ''
        ? text
        : neverCalculated(formula.replace(/^\w{0,10}:?=/, ''));
    }
    default:
      return text;
  }
}

/** `PT09H30M00S` */
function timeCell(value: string, text: string): Cell {
  const [, hours, minutes, seconds] = /^PT(\d{1,9})H(\d{1,9})M(\d{1,9})(?:[.,]\d{1,20})?S$/.exec(value) ?? [];
  if (hours === undefined) return text;
  return { type: 'time', text: clock(Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) };
}
