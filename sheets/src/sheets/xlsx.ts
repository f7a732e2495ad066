/** An .xlsx: files of XML in a zip, which refer to each other. */

import { posix } from 'node:path';
import { inFull, quote } from '@shiftfeed/common/quote';
import { findTags, localName, readWholeXml, readXml, type XmlHandler, type Zip } from '../bytes/archive.ts';
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
import {
  charactersIn,
  hideColumns,
  isoCell,
  kindOfBuiltIn,
  kindOfCode,
  type Merge,
  MergedCells,
  type NumberKind,
  neverCalculated,
  newAsides,
  noteComment,
  numberCell,
  tooManySheets,
  withCrossing,
  withoutCrossedOut,
} from './workbook-cells.ts';

export async function openXlsx(zip: Zip): Promise<readonly Sheet[]> {
  const main = await mainFile(zip);
  const folder = main.slice(0, main.lastIndexOf('/') + 1);
  const targets = await relationsOf(zip, main);
  const { sheets, has1904Dates } = await readMain(zip, main);
  const fileOf = (type: string) => {
    const target = [...targets.values()].find((one) => one.type.endsWith(`/${type}`))?.target;
    return target === undefined ? undefined : resolved(folder, target);
  };
  const readShared = async (): Promise<Shared> => ({
    strings: await sharedStrings(zip, fileOf('sharedStrings')),
    formats: await cellFormats(zip, fileOf('styles')),
    daysBefore: has1904Dates ? DAYS_TO_1904 : 0,
    count: rowCounter(),
  });
  let shared: Promise<Shared> | undefined;
  const nameOf = new Map<string, string>();
  return sheets.flatMap(({ name, id, isHidden }) => {
    const found = targets.get(id);
    if (found === undefined || !found.type.endsWith('/worksheet')) return [];
    const file = resolved(folder, found.target);
    const other = nameOf.get(file);
    if (other !== undefined)
      throw refusal(
        `the workbook is broken: its sheets ${quote(other)} and ${quote(name)} are one, ${quote(file)}`,
      );
    nameOf.set(file, name);
    const asides = newAsides();
    return {
      name,
      isHidden,
      isText: false,
      ...asides,
      async *rows() {
        shared ??= readShared();
        yield* readRows(zip, file, await shared, asides.hiddenColumns);
        await readComments(zip, file, asides.comments);
      },
    };
  });
}

/** Workbooks of old Macs count days from 1904. */
const DAYS_TO_1904 = 1_462;
const MAX_SHARED_CHARACTERS = 60_000_000;
const MAX_SHARED_STRINGS = 3_000_000;
/** Excel has at most 65,490. */
const MAX_CELL_FORMATS = 100_000;

/** `..` in a target is the folder above, and `/` the archive. */
function resolved(folder: string, target: string): string {
  return posix.resolve('/', folder, target).slice(1);
}

async function mainFile(zip: Zip): Promise<string> {
  if (!zip.has('_rels/.rels')) return 'xl/workbook.xml';
  const target = [...(await relationsOf(zip, '')).values()].find(({ type }) =>
    type.endsWith('/officeDocument'),
  )?.target;
  return resolved('', target ?? 'xl/workbook.xml');
}

interface Relation {
  readonly type: string;
  readonly target: string;
}

async function relationsOf(zip: Zip, file: string): Promise<ReadonlyMap<string, Relation>> {
  const slash = file.lastIndexOf('/') + 1;
  const name = `${file.slice(0, slash)}_rels/${file.slice(slash)}.rels`;
  const relations = new Map<string, Relation>();
  if (!zip.has(name)) return relations;
  await readWholeXml(zip.open(name), {
    open(tag, { Id = '', Type = '', Target = '' }) {
      if (tag === 'Relationship') relations.set(Id, { type: Type, target: Target });
    },
  });
  return relations;
}

async function readMain(zip: Zip, main: string) {
  const sheets: { readonly name: string; readonly id: string; readonly isHidden: boolean }[] = [];
  let has1904Dates = false;
  await readWholeXml(zip.open(main), {
    open(tag, attributes) {
      if (tag === 'workbookPr') has1904Dates = ['1', 'true'].includes(attributes.date1904 ?? '');
      if (tag !== 'sheet') return;
      const { name = '', state = 'visible' } = attributes;
      const [, id = ''] = Object.entries(attributes).find(([key]) => localName(key) === 'id') ?? [];
      sheets.push({ name, id, isHidden: state !== 'visible' });
      if (sheets.length > MAX_SHEETS) throw tooManySheets();
    },
  });
  return { sheets, has1904Dates };
}

async function sharedStrings(zip: Zip, file: string | undefined): Promise<readonly Text[]> {
  if (file === undefined || !zip.has(file)) return [];
  const strings: Text[] = [];
  let characters = 0;
  const text = textGatherer((whole) => {
    characters += plainText(whole).length;
    if (characters > MAX_SHARED_CHARACTERS || strings.length >= MAX_SHARED_STRINGS) {
      throw refusal(
        'the workbook has more text than fits into memory: save the sheet as CSV, and import that',
      );
    }
    strings.push(whole);
  }, 'si');
  await readWholeXml(zip.open(file), text);
  return strings;
}

interface CellFormat {
  readonly kind: NumberKind;
  readonly isCrossedOut: boolean;
}

async function cellFormats(zip: Zip, file: string | undefined): Promise<readonly CellFormat[]> {
  if (file === undefined || !zip.has(file)) return [];
  const codes = new Map<number, NumberKind>();
  const formats: CellFormat[] = [];
  const crossing = new Set<number>();
  let [isCells, font] = [false, -1];
  await readWholeXml(zip.open(file), {
    open(name, { numFmtId = '', formatCode = '', fontId, val = '1' }) {
      if (name === 'numFmt') codes.set(Number(numFmtId), kindOfCode(formatCode));
      else if (name === 'font') font++;
      else if (name === 'strike' && isTrue(val)) crossing.add(font);
      else if (name === 'cellXfs') isCells = true;
      else if (name === 'xf' && isCells) {
        const kind = codes.get(Number(numFmtId)) ?? kindOfBuiltIn(Number(numFmtId));
        formats.push({ kind, isCrossedOut: crossing.has(Number(fontId)) });
      }
      if (formats.length > MAX_CELL_FORMATS)
        throw refusal(
          `the workbook has more than ${inFull(MAX_CELL_FORMATS)} formats of cells: save it as CSV, and import that`,
        );
    },
    close(name) {
      if (name === 'cellXfs') isCells = false;
    },
  });
  return formats;
}

/** What the sheets of a workbook share. It is read once, when a sheet first needs it. */
interface Shared {
  readonly strings: readonly Text[];
  readonly formats: readonly CellFormat[];
  readonly daysBefore: number;
  readonly count: ReturnType<typeof rowCounter>;
}

async function* readRows(
  zip: Zip,
  file: string,
  shared: Shared,
  hiddenColumns: Set<number>,
): AsyncGenerator<readonly GridRow[]> {
  const merges = await mergesIn(zip, file);
  const merged = new MergedCells();
  let rows: GridRow[] = [];
  const take = (row: GridRow) =>
    rows.push(shared.count(merged.fill(withoutCrossedOut(row), merges.get(row.line) ?? [])));
  const handler = rowHandler(shared, take, hiddenColumns);
  for await (const _ of readXml(zip.open(file), handler)) {
    yield rows;
    rows = [];
  }
  yield rows;
}

function rowHandler(shared: Shared, take: (row: GridRow) => void, hiddenColumns: Set<number>): XmlHandler {
  let line = 0;
  let cells: Cell[] = [];
  let column = -1;
  let isHidden = false;
  let isInCell = false;
  const content = contentGatherer(shared);
  return {
    open(name, attributes) {
      if (name === 'c') {
        column = attributes.r === undefined ? column + 1 : columnOf(attributes.r);
        if (column >= MAX_COLUMNS)
          throw refusal(
            `row ${line} has a cell ${quote(attributes.r ?? column + 1)}: a sheet has at most ${inFull(MAX_COLUMNS)} columns`,
          );
        isInCell = true;
        content.begin(attributes);
      } else if (name === 'row') {
        line = attributes.r === undefined ? line + 1 : Number(attributes.r);
        if (!(line >= 1 && line <= MAX_ROWS))
          throw refusal(
            `the sheet has a row ${quote(attributes.r ?? line)}: rows count from 1 to ${inFull(MAX_ROWS)}`,
          );
        cells = [];
        column = -1;
        isHidden = isTrue(attributes.hidden);
      } else if (isInCell) content.open(name, attributes);
      else if (name === 'col' && isTrue(attributes.hidden)) {
        const [first, last] = [Number(attributes.min ?? 0), Number(attributes.max ?? 0)];
        if (first >= 1) hideColumns(hiddenColumns, first - 1, last - first + 1);
      }
    },
    text(text) {
      if (isInCell) content.text(text);
    },
    close(name) {
      if (name === 'c') {
        isInCell = false;
        const cell = content.cell();
        if (cell === '') return;
        while (cells.length < column) cells.push('');
        cells[column] = cell;
      } else if (name === 'row') take(isHidden ? { line, cells, isHidden } : { line, cells });
      else if (isInCell) content.close(name);
    },
  };
}

/** A thread of comments is also written as a comment, with a text about it. */
async function readComments(zip: Zip, file: string, comments: Map<string, string>): Promise<void> {
  const relations = [...(await relationsOf(zip, file)).values()];
  for (const kind of ['comments', 'threadedComment']) {
    const parts = relations.filter(({ type }) => type.endsWith(`/${kind}`));
    for (const { target } of parts) {
      const part = resolved(posix.dirname(file), target);
      if (!zip.has(part)) continue;
      const ofPart = new Set<string>();
      let [cell, text]: [string | undefined, string] = [undefined, ''];
      await readWholeXml(zip.open(part), {
        open(_, { ref }) {
          if (ref !== undefined) [cell, text] = [ref, ''];
        },
        text(some) {
          if (cell !== undefined && !isFullCell(text)) text += some;
        },
        close(name) {
          if (cell === undefined || (name !== 'comment' && name !== 'threadedComment')) return;
          // Answers come after the comment.
          if (!ofPart.has(cell)) noteComment(comments, cell, text);
          ofPart.add(cell);
          cell = undefined;
        },
      });
    }
  }
}

function isTrue(attribute: string | undefined): boolean {
  return attribute === '1' || attribute === 'true';
}

/** Collects what is in a cell: its value, its formula, or a text of its own. */
function contentGatherer(shared: Shared) {
  let type = '';
  let style = 0;
  /** undefined: the cell has none. */
  let value: string | undefined;
  let formula: string | undefined;
  let inElement = '';
  let inlineText: Text = '';
  const inline = textGatherer((text) => {
    inlineText = text;
  }, 'is');
  const longer = (before: string | undefined, text: string) =>
    isFullCell(before ?? '') ? before : `${before ?? ''}${text}`;
  return {
    begin(attributes: Readonly<Record<string, string>>): void {
      type = attributes.t ?? 'n';
      style = Number(attributes.s ?? 0);
      value = undefined;
      formula = undefined;
      inlineText = '';
    },
    open(name: string, attributes: Readonly<Record<string, string>>): void {
      inElement = name;
      if (name === 'v') value = '';
      else if (name === 'f') formula = '';
      else inline.open(name, attributes);
    },
    text(text: string): void {
      if (inElement === 'v') value = longer(value, text);
      else if (inElement === 'f') formula = longer(formula, text);
      else inline.text(text);
    },
    close(name: string): void {
      inElement = '';
      if (name !== 'v' && name !== 'f') inline.close(name);
    },
    cell(): Cell {
      // Only a text may be empty.
      if (formula !== undefined && (value === undefined || (value === '' && type !== 'str')))
        return neverCalculated(formula);
      const { formats, strings } = shared;
      const isCrossed = formats[style]?.isCrossedOut ?? false;
      const text =
        type === 's' ? (strings[Number(value)] ?? '') : type === 'inlineStr' ? inlineText : undefined;
      if (typeof text === 'object') {
        const { crossed, own, all } = text;
        return withCrossing(text.text, crossed + (isCrossed ? all - own : 0), all);
      }
      const cell = text ?? cellOf(type, formats[style]?.kind, value ?? '', shared.daysBefore);
      return isCrossed ? withCrossing(cell, 1, 1) : cell;
    },
  };
}

function cellOf(type: string, kind: NumberKind = 'number', value: string, daysBefore: number): Cell {
  switch (type) {
    case 'str':
      return cleaned(value);
    case 'b':
      return { type: 'boolean', text: value === '1' ? 'TRUE' : 'FALSE' };
    case 'e':
      return { type: 'error', text: cutCell(value) };
    case 'd':
      return isoCell(cutCell(value));
    default:
      return value === ''
        ? ''
        : isFullCell(value)
          ? cutCell(value)
          : numberCell(Number(value), kind, daysBefore);
  }
}

/** `AB12` is column 27, counted from 0. */
function columnOf(reference: string): number {
  let column = 0;
  for (let i = 0; i < reference.length; i++) {
    const letter = reference.charCodeAt(i) - 64;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  return column - 1;
}

const MAX_MERGES = 200_000;

/**
 * The merges of a sheet by their first row. They come after all rows in the file, so the sheet is first searched for
 * them. That is fast, because nothing is parsed.
 */
async function mergesIn(zip: Zip, file: string): Promise<ReadonlyMap<number, readonly Merge[]>> {
  const merges = new Map<number, Merge[]>();
  let count = 0;
  for await (const [, first = '', firstRow, last = '', lastRow] of findTags(zip.open(file), MERGE)) {
    const merge = { column: columnOf(first), lastColumn: columnOf(last), lastRow: Number(lastRow) };
    merges.getOrInsert(Number(firstRow), []).push(merge);
    if (++count > MAX_MERGES)
      throw refusal(
        `the sheet has more than ${inFull(MAX_MERGES)} merged cells: save it as CSV, and import that`,
      );
  }
  return merges;
}

const MERGE =
  /<(?:\w{1,20}:)?mergeCell [^<>]{0,200}?ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"[^<>]{0,200}>/g;

/** Text of which runs have a font of their own is told with how many of its characters do, and are crossed out. */
type Text =
  | string
  | { readonly text: string; readonly crossed: number; readonly own: number; readonly all: number };

function plainText(text: Text): string {
  return typeof text === 'string' ? text : text.text;
}

/** Collects the text of the runs within an element, without phonetic hints. */
function textGatherer(take: (text: Text) => void, element: string): Required<XmlHandler> {
  let [text, isText, aloud] = ['', false, 0];
  let [isOwn, isCrossed, own, crossed] = [false, false, 0, 0];
  return {
    open(name, { val = '1' }) {
      if (name === element) [text, own, crossed] = ['', 0, 0];
      else if (name === 't') isText = aloud === 0;
      else if (name === 'rPh') aloud++;
      else if (name === 'r') [isOwn, isCrossed] = [false, false];
      else if (name === 'rPr') isOwn = true;
      else if (name === 'strike') isCrossed = isTrue(val);
    },
    text(some) {
      if (!isText || isFullCell(text)) return;
      text += some;
      if (!isOwn) return;
      own += charactersIn(some);
      if (isCrossed) crossed += charactersIn(some);
    },
    close(name) {
      if (name === 't') isText = false;
      else if (name === 'r') isOwn = false;
      else if (name === 'rPh') aloud--;
      else if (name === element) {
        const whole = cleaned(text);
        take(own === 0 ? whole : { text: whole, crossed, own, all: charactersIn(text) });
      }
    },
  };
}

/** Characters that XML cannot hold are written like _x000D_. */
function cleaned(text: string): string {
  if (isFullCell(text)) return cutCell(text);
  const plain = text.includes('_x')
    ? text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;
  return plain.trim();
}
