/** An .xlsx: parts of XML in a zip, which refer to each other. */

import type { Cell, GridRow } from '../../cell.ts';
import { refusal } from '../../refusal.ts';
import { type Merge, mergeFiller } from './merged.ts';
import { kindOfBuiltIn, kindOfCode, type NumberKind, numberCell } from './number-format.ts';
import { MAX_COLUMNS, MAX_ROWS, type WorkbookSheet } from './sheet.ts';
import { attribute, findTags, readWholeXml, readXml, type XmlHandler } from './xml.ts';
import type { Zip } from './zip.ts';

export async function openXlsx(zip: Zip): Promise<readonly WorkbookSheet[]> {
  const main = await mainPart(zip);
  const folder = main.slice(0, main.lastIndexOf('/') + 1);
  const targets = await relationsOf(zip, main);
  const { sheets, has1904Dates } = await readMain(zip, main);
  const partOf = (type: string) => {
    const target = [...targets.values()].find((one) => one.type.endsWith(`/${type}`))?.target;
    return target === undefined ? undefined : resolved(folder, target);
  };
  // All sheets share both, so they are read once, when a sheet first needs them.
  const shared = once(() => sharedStrings(zip, partOf('sharedStrings')));
  const kinds = once(() => numberKinds(zip, partOf('styles')));
  return sheets.flatMap(({ name, id, isHidden }) => {
    const found = targets.get(id);
    if (found === undefined || !found.type.endsWith('/worksheet')) return [];
    const part = resolved(folder, found.target);
    return {
      name,
      isHidden,
      async *rows() {
        const context = {
          shared: await shared(),
          kinds: await kinds(),
          daysBefore: has1904Dates ? DAYS_TO_1904 : 0,
        };
        yield* readRows(zip, part, context);
      },
    };
  });
}

/** Workbooks of old Macs count days from 1904. */
const DAYS_TO_1904 = 1_462;
const MAX_SHARED_CHARACTERS = 60_000_000;
const MAX_SHARED_STRINGS = 3_000_000;
const MAX_MERGES = 200_000;

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function resolved(folder: string, target: string): string {
  return target.startsWith('/') ? target.slice(1) : `${folder}${target}`.replaceAll(/[^/]+\/\.\.\//g, '');
}

async function mainPart(zip: Zip): Promise<string> {
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

async function relationsOf(zip: Zip, part: string): Promise<ReadonlyMap<string, Relation>> {
  const slash = part.lastIndexOf('/') + 1;
  const name = `${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`;
  const relations = new Map<string, Relation>();
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
      sheets.push({ name, id: attribute(attributes, 'id') ?? '', isHidden: state !== 'visible' });
    },
  });
  return { sheets, has1904Dates };
}

async function sharedStrings(zip: Zip, part: string | undefined): Promise<readonly string[]> {
  if (part === undefined || !zip.has(part)) return [];
  const strings: string[] = [];
  let characters = 0;
  const text = textGatherer((whole) => {
    characters += whole.length;
    if (characters > MAX_SHARED_CHARACTERS || strings.length >= MAX_SHARED_STRINGS) {
      throw refusal(
        'the workbook has more text than fits into memory: save the sheet as CSV, and import that',
      );
    }
    strings.push(whole);
  }, 'si');
  await readWholeXml(zip.open(part), text);
  return strings;
}

/** Collects the text of the runs within an element, without phonetic hints. */
function textGatherer(take: (text: string) => void, element: string): Required<XmlHandler> {
  let text = '';
  let isText = false;
  let aloud = 0;
  return {
    open(name) {
      if (name === element) text = '';
      else if (name === 't') isText = aloud === 0;
      else if (name === 'rPh') aloud++;
    },
    text(some) {
      if (isText) text += some;
    },
    close(name) {
      if (name === 't') isText = false;
      else if (name === 'rPh') aloud--;
      else if (name === element) take(cleaned(text));
    },
  };
}

/** Characters that XML cannot hold are written like _x000D_. */
function cleaned(text: string): string {
  const plain = text.includes('_x')
    ? text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;
  return plain.trim();
}

async function numberKinds(zip: Zip, part: string | undefined): Promise<readonly NumberKind[]> {
  if (part === undefined || !zip.has(part)) return [];
  const codes = new Map<number, NumberKind>();
  const kinds: NumberKind[] = [];
  let isCells = false;
  await readWholeXml(zip.open(part), {
    open(name, { numFmtId = '', formatCode = '' }) {
      if (name === 'numFmt') codes.set(Number(numFmtId), kindOfCode(formatCode));
      else if (name === 'cellXfs') isCells = true;
      else if (name === 'xf' && isCells)
        kinds.push(codes.get(Number(numFmtId)) ?? kindOfBuiltIn(Number(numFmtId)));
    },
    close(name) {
      if (name === 'cellXfs') isCells = false;
    },
  });
  return kinds;
}

interface SheetContext {
  readonly shared: readonly string[];
  readonly kinds: readonly NumberKind[];
  readonly daysBefore: number;
}

async function* readRows(zip: Zip, part: string, context: SheetContext): AsyncGenerator<readonly GridRow[]> {
  const fill = mergeFiller(await mergesIn(zip, part));
  let rows: GridRow[] = [];
  const handler = rowHandler(context, (row) => rows.push(fill(row)));
  for await (const _ of readXml(zip.open(part), handler)) {
    if (rows.length === 0) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

function rowHandler(context: SheetContext, take: (row: GridRow) => void): XmlHandler {
  let line = 0;
  let cells: Cell[] = [];
  let column = -1;
  let type = '';
  let style = 0;
  let value = '';
  let isValue = false;
  let isInCell = false;
  let isHidden = false;
  const inline = textGatherer((text) => {
    value = text;
  }, 'is');
  return {
    open(name, attributes) {
      if (name === 'c') {
        column = attributes.r === undefined ? column + 1 : columnOf(attributes.r);
        if (column >= MAX_COLUMNS) throw refusal('the sheet has more columns than any spreadsheet');
        type = attributes.t ?? 'n';
        style = Number(attributes.s ?? 0);
        value = '';
        isInCell = true;
      } else if (name === 'row') {
        line = attributes.r === undefined ? line + 1 : Number(attributes.r);
        if (!(line >= 1 && line <= MAX_ROWS)) throw refusal('the sheet has more rows than any spreadsheet');
        cells = [];
        column = -1;
        isHidden = attributes.hidden === '1' || attributes.hidden === 'true';
      } else if (isInCell) {
        if (name === 'v') isValue = true;
        else inline.open(name, attributes);
      }
    },
    text(text) {
      if (isValue) value += text;
      else if (isInCell) inline.text(text);
    },
    close(name) {
      if (name === 'v') isValue = false;
      else if (name === 'c') {
        isInCell = false;
        const cell = cellOf(type, style, value, context);
        if (cell === '') return;
        while (cells.length < column) cells.push('');
        cells[column] = cell;
      } else if (name === 'row') take(isHidden ? { line, cells, isHidden } : { line, cells });
      else if (isInCell) inline.close(name);
    },
  };
}

function cellOf(
  type: string,
  style: number,
  value: string,
  { shared, kinds, daysBefore }: SheetContext,
): Cell {
  switch (type) {
    case 's':
      return shared[Number(value)] ?? '';
    case 'inlineStr':
      return value;
    case 'str':
      return cleaned(value);
    case 'b':
      return { type: 'boolean', text: value === '1' ? 'TRUE' : 'FALSE' };
    case 'e':
      return { type: 'error', text: value };
    case 'd':
      return isoCell(value);
    default:
      return value === '' ? '' : numberCell(Number(value), kinds[style] ?? 'number', daysBefore);
  }
}

/** A time of day is written with the date 1899-12-30, 1899-12-31 or 1904-01-01. */
const FIRST_DATE = '1904-01-02';

/** `2027-03-06T09:00:00` */
export function isoCell(value: string): Cell {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::00(?:\.0+)?)?Z?)?$/.exec(value) ?? [];
  if (date === undefined) return value;
  if (time !== undefined && date < FIRST_DATE) return { type: 'time', text: time };
  return time === undefined
    ? { type: 'date', text: date }
    : { type: 'date and time', text: `${date} ${time}` };
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

/**
 * Merges come after all rows in the file, so the sheet is first searched for them. That is fast, because nothing is
 * parsed.
 */
async function mergesIn(zip: Zip, part: string): Promise<readonly Merge[]> {
  const merges: Merge[] = [];
  for await (const [, first = '', firstRow, lastRow] of findTags(zip.open(part), MERGE)) {
    merges.push({ column: columnOf(first), firstRow: Number(firstRow), lastRow: Number(lastRow) });
    if (merges.length > MAX_MERGES) throw refusal('the sheet has more merged cells than can be read');
  }
  return merges;
}

const MERGE = /<(?:\w+:)?mergeCell [^>]{0,100}?ref="([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})"[^>]*>/g;
